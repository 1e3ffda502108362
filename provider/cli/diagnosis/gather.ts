// Reads everything that a diagnosis is made of. Changes nothing; every call is bounded.
import { X509Certificate } from "node:crypto";
import type { KubeClient } from "../../kube/client.js";
import { factsLimitMs, factsOf, readSnapshot } from "../../kube/facts.js";
import { isUnschedulable } from "../../kube/node-status.js";
import type { KubeObject } from "../../kube/object.js";
import { engineHost } from "../demo/space.js";
import type { ClusterAccess } from "../kubeconfig/access.js";
import { clientOf } from "../kubeconfig/client.js";
import { clusterState } from "../status/from-state.js";
import type { State } from "../terraform/state.js";
import type { Evidence } from "./evidence.js";
import { reachOf } from "./handshake.js";
import { localMachines, type Seen } from "./local.js";

type Env = Readonly<Record<string, string | undefined>>;

export async function gather(state: State, access: ClusterAccess, env: Env, signal: AbortSignal): Promise<Evidence> {
  const known = clusterState(state, access.cluster);
  const controlPlanes = known.machines.filter((m) => m.role === "control-plane").map((m) => m.name);
  const client = clientOf(access);
  try {
    const seen: Promise<Seen> = isLocal(state)
      ? localMachines(access.cluster, controlPlanes, engineHost(env), signal)
      : Promise.resolve({ machines: null, balancer: null });
    const [reach, kubernetes, machines] = await Promise.all([
      reachOf(access.endpoint, access.caBundle, access.serverName),
      objects(client, signal),
      seen,
    ]);
    signal.throwIfAborted();
    return {
      cluster: access.cluster,
      endpoint: access.endpoint,
      now: Date.now(),
      reach,
      ...kubernetes,
      memberships: known.memberships.map((m) => m.nodeName),
      controlPlanes,
      workers: known.machines.filter((m) => m.role === "worker").map((m) => m.name),
      ...settings(state, access.cluster),
      authorities: Object.fromEntries(
        Object.entries(known.authorities).map(([name, pem]) => [name, Date.parse(new X509Certificate(pem).validTo)]),
      ),
      ...machines,
    };
  } finally {
    await client.close();
  }
}

type Objects = Pick<Evidence, "refused" | "nodes" | "etcd" | "pods" | "events" | "budgets" | "workloads">;

async function objects(client: KubeClient, signal: AbortSignal): Promise<Objects> {
  const snapshot = await readSnapshot(client, signal);
  if (!snapshot.ok) return { refused: snapshot.failure, nodes: [], etcd: {}, pods: [], events: [], budgets: [], workloads: null };
  const call = { signal, timeoutMs: factsLimitMs };
  const list = async (apiVersion: string, kind: string, more: object = {}): Promise<readonly KubeObject[] | null> => {
    const found = await client.list(apiVersion, kind, { ...call, ...more });
    // one list that is refused leaves the others to be judged
    return found.ok ? found.value : null;
  };
  const system = { namespace: "kube-system" };
  const { nodes } = snapshot.value;
  const emptied = nodes.filter(isUnschedulable).map((node) => list("v1", "Pod", { fieldSelector: `spec.nodeName=${node.metadata.name}` }));
  const [waiting, own, events, budgets, deployments, daemons, ...onEmptied] = await Promise.all([
    list("v1", "Pod", { fieldSelector: "status.phase!=Running" }),
    list("v1", "Pod", system),
    list("v1", "Event", { fieldSelector: "type=Warning" }),
    list("policy/v1", "PodDisruptionBudget"),
    list("apps/v1", "Deployment", system),
    list("apps/v1", "DaemonSet", system),
    ...emptied,
  ]);
  const pods = new Map(
    [...(waiting ?? []), ...(own ?? []), ...onEmptied.flatMap((all) => all ?? [])].map((pod) => [pod.metadata.uid, pod]),
  );
  return {
    refused: null,
    nodes,
    etcd: factsOf(snapshot.value).etcd,
    pods: [...pods.values()],
    events: events ?? [],
    budgets: budgets ?? [],
    workloads: deployments === null || daemons === null ? null : [...deployments, ...daemons],
  };
}

type Values = Readonly<Record<string, unknown>>;
const values = (value: unknown): Values => (value !== null && typeof value === "object" ? (value as Values) : {});

const isLocal = ({ resources }: State): boolean =>
  resources.some(({ mode, type }) => mode === "managed" && type.startsWith("honest_local_"));

/** What the configuration asked for, as the kit's own resources have it. */
export function settings({ resources }: State, cluster: string): Pick<Evidence, "cni" | "mirrors"> {
  const of = (type: string): readonly Values[] =>
    resources.filter((r) => r.mode === "managed" && r.type === type).flatMap((r) => r.instances.map(({ attributes = {} }) => attributes));
  const [barrier] = of("honest_barrier").filter((value) => value.cluster === cluster);
  const specs = of("honest_boot")
    .map(({ spec }) => values(spec))
    .filter((spec) => spec.cluster === cluster);
  const urls = specs
    .flatMap(({ mirror_binaries, mirror_images }) => [mirror_binaries, mirror_images])
    .filter((url) => typeof url === "string" && url !== "");
  const hosts = urls.map((url) => /^[a-z+]+:\/\/([^/]+)/i.exec(url as string)?.[1] ?? (url as string));
  return { cni: barrier?.cni === "none" ? "none" : "kube-router", mirrors: [...new Set(hosts)].sort() };
}
