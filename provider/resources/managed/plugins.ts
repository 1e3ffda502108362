// The vendor's plugin of a managed cluster: found as installed for this project, started once in a process, configured as the
// constructs' provider block would, its credentials tried at once.
import { dirname, join } from "node:path";
import type { VendorProvider } from "../../../constructs/iaas/mapping.js";
import type { ClusterSpec } from "../../../constructs/spec/gen/spec.js";
import { vendorFacts } from "../../clouds/index.js";
import type { Context, Log } from "../../framework/resource.js";
import type { ObjectValue } from "../../framework/value.js";
import { pluginVendor } from "../../managed/plugin.js";
import { resolveArgs } from "../../managed/resolve.js";
import type { Vendor as Port } from "../../managed/vendor.js";
import { createExecutor } from "../../shim/executor.js";
import { type Journal, openJournal } from "../../shim/journal.js";
import { launchVendor } from "../../shim/launch.js";
import { locateVendor, type VendorSource } from "../../shim/locate.js";
import { preflight } from "../../shim/preflight.js";
import type { Vendor } from "../../shim/vendor.js";
import { createVendorPool, type VendorPool } from "../../shim/vendor-pool.js";
import { rangeOf } from "../../shim/vendor-version.js";
import { unsavedPath } from "./unsaved.js";

/** Rejects with `VendorProblem`: not installed, another version, not what the lock file says. */
export type StartPlugin = (wanted: VendorSource, log: Log) => Promise<Vendor>;

export const startInstalled: StartPlugin = async (wanted, log) => launchVendor({ ...(await locateVendor(wanted)), log });

export interface PluginAsk {
  readonly provider: VendorProvider;
  readonly cloud: string;
  readonly spec: ClusterSpec;
  readonly context: Context;
  readonly start: StartPlugin;
}

const nothing = (): undefined => undefined;

export function pluginOf({ provider, cloud, spec, context, start }: PluginAsk): Port {
  const { log, signal } = context;
  const facts = vendorFacts(cloud);
  const config: ObjectValue = resolveArgs(provider.args(spec), nothing);
  const wanted: VendorSource = { source: provider.source, versions: rangeOf(provider.version) };
  const configure = async (vendor: Vendor) => {
    const diagnostics = await vendor.configure(config);
    if (diagnostics.some((d) => d.severity === "error") || facts.preflight === null) return diagnostics;
    return [...diagnostics, ...(await preflight(vendor, facts.preflight, null)).diagnostics];
  };
  // one process for all clusters of one configuration
  const key = JSON.stringify([provider.source, config]);
  const vendors = context.once(`vendor/${key}`, () => createVendorPool(() => start(wanted, log), configure));
  const opened = `journal/${spec.name}`;
  const journal = (): Promise<Journal> => context.once(opened, () => recovered(journalPath(spec.name), vendors, log));
  // a note that stays is looked at by the next run and found to be in the state: no reason to fail
  const settled = (name: string): void =>
    void journal()
      .then((open) => open.forget(new Set([name])))
      .catch((cause: unknown) => log("warn", `the journal of ${spec.name} still names ${name}: ${String(cause)}`));
  return pluginVendor({ vendors, journal, settled, lookups: facts.lookups, log, signal });
}

/** Beside the other notes of the cluster; its groups, whose objects have names of their own, write into the same. */
const journalPath = (cluster: string): string => join(dirname(unsavedPath(cluster)), `${cluster}.journal`);

async function recovered(path: string, vendors: VendorPool, log: Log): Promise<Journal> {
  const journal = openJournal(path);
  await createExecutor({ vendors, journal, lookups: {}, log }).ready();
  return journal;
}
