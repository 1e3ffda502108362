// honest_boot and honest_pki under a real terraform, over facts that the test writes.
import type { MachineSpec } from "../../../constructs/blueprint/machine-spec.js";
import { releaseOf } from "../../../constructs/blueprint/machine-spec.js";
import type { Context, Provider, Resource } from "../../../provider/framework/resource.js";
import { failed, ok } from "../../../provider/kube/outcome.js";
import { honestBoot } from "../../../provider/resources/honest-boot.js";
import { honestPki } from "../../../provider/resources/honest-pki.js";
import type { Facts } from "../../../provider/rollout/facts.js";
import { type Workspace, workspace } from "../../support/terraform.js";

export interface Cluster {
  /** null = the API does not answer. */
  facts: Facts | null;
}

export interface Fixture {
  readonly w: Workspace;
  readonly cluster: Cluster;
  /** How often the cluster was read. */
  readonly reads: { count: number };
}

/** The one place where a resource asks for the cluster's facts is the snapshot that all share; the test puts its own there. */
function over(cluster: Cluster, reads: { count: number }): Resource {
  const withFacts = (context: Context): Context => ({
    ...context,
    once: <T>(key: string, make: () => T): T =>
      context.once<T>(key, () => {
        if (!key.startsWith("cluster/facts/")) return make();
        reads.count += 1;
        const { facts } = cluster;
        return Promise.resolve(facts ? ok(facts) : failed({ kind: "unreachable", message: "connection refused" })) as T;
      }),
  });
  return { ...honestBoot, read: (request, context) => honestBoot.read(request, withFacts(context)) };
}

export async function fixture(facts: Facts | null): Promise<Fixture> {
  const cluster: Cluster = { facts };
  const reads = { count: 0 };
  const provider: Provider = {
    version: "0.1.0",
    schema: { version: 0, description: "Test.", attributes: {} },
    resources: [over(cluster, reads), honestPki],
    dataSources: [],
    ephemeralResources: [],
  };
  return { w: await workspace({ provider }), cluster, reads };
}

export const machineSpec = (over: Partial<MachineSpec> = {}): MachineSpec => ({
  cluster: "demo",
  pool: "cp",
  name: "demo-cp-a",
  role: "control-plane",
  version: "1.36.3",
  template_epoch: 1,
  endpoint_name: "api.demo.honest.internal",
  endpoint_port: 6443,
  pod_ipv4_cidr: "10.244.0.0/16",
  service_ipv4_cidr: "10.96.0.0/16",
  cert_names: ["127.0.0.1", "localhost"],
  component_flags: {},
  mirror_binaries: null,
  mirror_images: null,
  mirror_ca: null,
  shape: { instance_type: "local.cpu2.mem2048", image: "honest-paas/machine:1.36.3", root_disk_gib: 20 },
  ...over,
});

/** One control plane's arguments; its machine is a terraform_data that is replaced with the bytes and the type. */
export function stack(
  specs: Readonly<Record<string, MachineSpec>>,
  change: { readonly boot?: object; readonly late?: object } = {},
): object {
  const names = Object.values(specs).map((spec) => spec.name);
  const roster = Object.fromEntries(Object.values(specs).map((spec) => [spec.name, releaseOf(spec)]));
  const members = Object.fromEntries(names.map((name, n) => [name, `10.98.0.1${n + 1}`]));
  const boot = Object.fromEntries(
    Object.entries(specs).map(([key, spec]) => [
      key,
      {
        spec,
        late: {
          endpoint_address: "10.98.0.10",
          address: members[spec.name],
          etcd_disk: `honest-disk-${key}`,
          pki: "${honest_pki.demo.bundle}",
          members,
          ...change.late,
        },
        born: "${honest_pki.demo.born}",
        members: names,
        roster,
        access: access,
        ...change.boot,
      },
    ]),
  );
  return {
    terraform: { required_providers: { honest: { source: "honest-paas/honest" } } },
    resource: {
      honest_pki: { demo: { cluster: "demo" } },
      honest_boot: boot,
      terraform_data: Object.fromEntries(
        Object.keys(specs).map((key) => [
          key,
          { triggers_replace: [`\${sha256(honest_boot.${key}.user_data)}`, `\${honest_boot.${key}.instance_type}`] },
        ]),
      ),
    },
    output: { pending: { value: Object.fromEntries(Object.keys(specs).map((key) => [key, `\${honest_boot.${key}.pending}`])) } },
  };
}

export const access = {
  endpoint: "https://127.0.0.1:1",
  ca_bundle: "${honest_pki.demo.ca_cert}",
  client_ca_cert: "${honest_pki.demo.client_ca_cert}",
  client_ca_key: "${honest_pki.demo.client_ca_key}",
};

export const three = (over: Partial<MachineSpec> = {}): Readonly<Record<string, MachineSpec>> =>
  Object.fromEntries(["a", "b", "c"].map((letter) => [letter, machineSpec({ name: `demo-cp-${letter}`, ...over })]));

export const bootStates = async (w: Workspace): Promise<Readonly<Record<string, Record<string, unknown>>>> =>
  Object.fromEntries((await w.resources()).filter((r) => r.type === "honest_boot").map((r) => [r.name, r.values]));

/** Addresses that a plan replaces or changes in place. */
export const changes = (json: {
  readonly resource_changes?: readonly { readonly address: string; readonly change: { readonly actions: readonly string[] } }[];
}) =>
  Object.fromEntries(
    (json.resource_changes ?? []).filter((c) => c.change.actions.join() !== "no-op").map((c) => [c.address, c.change.actions.join("+")]),
  );

/** Terraform breaks lines where the screen ends. */
export const flat = (text: string): string => text.replace(/[│\s]+/g, " ");
