// Who makes the objects of a managed resource, and what one round of its crank believes.

import { mappingOf } from "../../../constructs/iaas/registry.js";
import { cloudOf } from "../../../constructs/spec/defaults.js";
import type { ClusterSpec } from "../../../constructs/spec/gen/spec.js";
import type { Context, Resource } from "../../framework/resource.js";
import { ownVendor } from "../../managed/own.js";
import type { VendorOf } from "../../managed/vendor.js";
import { VendorProblem } from "../../shim/vendor.js";
import { pluginOf, type StartPlugin, startInstalled } from "./plugins.js";

/** Types that say how the cluster is: they are read again before every plan of a crank. */
export const moving = (type: string): boolean => ["honest_pki", "honest_boot", "honest_node", "honest_barrier"].includes(type);

/** Who makes objects of a cluster, with what the process gives to every call. `spec` null: what is kept of it is not understood. */
export type Makers = (context: Context, spec: ClusterSpec | null) => VendorOf;

/** `own`: resources of this provider, which need no other process. `start`: the vendor's provider. */
export const makersOf =
  (own: readonly Resource[], start: StartPlugin = startInstalled): Makers =>
  (context, spec) => {
    const kit = ownVendor(own, context);
    return (type) => {
      if (own.some(({ name }) => name === type)) return kit;
      if (spec === null) throw notUnderstood(type);
      const { provider } = mappingOf(spec);
      if (!provider || !type.startsWith(`${provider.type}_`)) throw new TypeError(`nobody here makes a ${type}`);
      return pluginOf({ provider, cloud: cloudOf(spec.iaas), spec, context, start });
    };
  };

const notUnderstood = (type: string): VendorProblem =>
  new VendorProblem(
    "The cluster in the state is not understood",
    `A ${type} of it is to be asked for, and this version of the kit does not understand the configuration that it was made with. Use the version that made it.`,
  );

/** In a stack each command of Terraform is a process with one look at the cluster; here each round has one. */
export function roundContext(context: Context): Context {
  const seen = new Map<string, unknown>();
  return {
    ...context,
    once<T>(key: string, make: () => T): T {
      if (!key.startsWith("cluster/facts/")) return context.once(key, make);
      if (!seen.has(key)) seen.set(key, make());
      return seen.get(key) as T;
    },
  };
}
