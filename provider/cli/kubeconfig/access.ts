// How to reach the cluster of a stack: found in the state of its own resources, so that it works for constructs and HCL.
import { UserError } from "../command.js";
import type { State } from "../terraform/state.js";

export interface ClusterAccess {
  readonly cluster: string;
  readonly endpoint: string;
  readonly caBundle: string;
  readonly clientCaCert: string;
  readonly clientCaKey: string;
  /** What the API's certificate is checked against; null: the endpoint's host. */
  readonly serverName: string | null;
}

interface AccessAttribute {
  readonly endpoint?: string;
  readonly ca_bundle?: string;
  readonly client_ca_cert?: string;
  readonly client_ca_key?: string;
  readonly server_name?: string | null;
}

/** Barrier first: it is written last, so its access is the one that works; memberships serve a half-made cluster. */
const holders = ["honest_barrier", "honest_node"];

export function clustersIn(state: State): readonly ClusterAccess[] {
  const found = new Map<string, ClusterAccess>();
  for (const type of holders)
    for (const resource of state.resources.filter((r) => r.mode === "managed" && r.type === type))
      for (const { attributes } of resource.instances) {
        const cluster = attributes?.cluster;
        const access = attributes?.access as AccessAttribute | null | undefined;
        if (typeof cluster !== "string" || found.has(cluster)) continue;
        const { endpoint, ca_bundle: caBundle, client_ca_cert: clientCaCert, client_ca_key: clientCaKey } = access ?? {};
        const serverName = access?.server_name ?? null;
        if (endpoint && caBundle && clientCaCert && clientCaKey)
          found.set(cluster, { cluster, endpoint, caBundle, clientCaCert, clientCaKey, serverName });
      }
  return [...found.values()];
}

export function chooseCluster(clusters: readonly ClusterAccess[], wanted: string | undefined, where: string): ClusterAccess {
  const names = clusters.map((c) => c.cluster);
  const [only] = clusters;
  if (!only) throw new UserError(`The state of ${where} has no cluster yet. Run terraform apply there first.`);
  if (wanted === undefined && clusters.length > 1)
    throw new UserError(`The state of ${where} has ${clusters.length} clusters: ${names.join(", ")}. Choose one: --cluster ${names[0]}.`);
  const chosen = wanted === undefined ? only : clusters.find((c) => c.cluster === wanted);
  if (!chosen) throw new UserError(`The state of ${where} has no cluster "${wanted}". It has: ${names.join(", ")}.`);
  return chosen;
}
