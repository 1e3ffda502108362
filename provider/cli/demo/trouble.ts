// What stands in the way of nodes and pods, in the cluster's own words: conditions, waiting reasons, the last event.
// Pure; the stages that wait show it when they give up.
import { isControlPlane, isUnschedulable, readiness } from "../../kube/node-status.js";
import type { KubeObject } from "../../kube/object.js";

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}
interface Taint {
  readonly key: string;
  readonly effect: string;
}
interface NodeParts {
  readonly spec?: { readonly taints?: readonly Taint[] };
  readonly status?: { readonly conditions?: readonly Condition[] };
}
interface ContainerStatus {
  readonly name: string;
  readonly restartCount?: number;
  readonly state?: { readonly waiting?: Said; readonly terminated?: Said };
  readonly lastState?: { readonly terminated?: Said };
}
interface Said {
  readonly reason?: string;
  readonly message?: string;
  readonly exitCode?: number;
}
interface PodParts {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly Condition[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}
interface EventParts {
  readonly involvedObject?: { readonly kind?: string; readonly name?: string; readonly uid?: string };
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly series?: { readonly lastObservedTime?: string } | null;
}

const pressures = ["MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"];
const conditionsOf = (object: KubeObject): readonly Condition[] => (object as KubeObject & NodeParts).status?.conditions ?? [];
const said = (head: string, detail: string | undefined): string => (detail ? `${head}: ${detail.trim().replace(/\s+/g, " ")}` : head);

/** "DiskPressure (kubelet has disk pressure)" for each condition that keeps pods away; [] is good. */
export const pressuresOf = (node: KubeObject): readonly string[] =>
  conditionsOf(node)
    .filter((c) => pressures.includes(c.type) && c.status === "True")
    .map((c) => `${c.type} (${c.message?.trim() || c.reason || "no reason given"})`);

/** Taints that keep ordinary pods away; the one that every control plane has is no trouble. */
const taintsOf = (node: KubeObject): readonly string[] =>
  ((node as KubeObject & NodeParts).spec?.taints ?? [])
    .filter((t) => t.effect !== "PreferNoSchedule" && !(isControlPlane(node) && t.key === "node-role.kubernetes.io/control-plane"))
    .map((t) => `${t.key}:${t.effect}`);

/** What is wrong with a node in one line; undefined when nothing is. */
export function wordNode(node: KubeObject): string | undefined {
  const { ready, reason } = readiness(node);
  const taints = taintsOf(node);
  const parts = [
    ...(ready ? [] : [`not Ready, ${reason}`]),
    ...pressuresOf(node),
    ...(isUnschedulable(node) ? ["cordoned"] : []),
    ...(taints.length ? [`tainted ${taints.join(", ")}`] : []),
  ];
  return parts.length ? `node ${node.metadata.name}: ${parts.join("; ")}` : undefined;
}

function wordContainer(container: ContainerStatus): string | undefined {
  const { waiting, terminated } = container.state ?? {};
  const before = container.lastState?.terminated;
  if (waiting) {
    // "CrashLoopBackOff" alone says nothing: why the last one ended does
    const ended = before ? `; it ended with ${before.exitCode ?? "?"}${before.reason ? ` (${before.reason})` : ""}` : "";
    return `${said(`container ${container.name} waits, ${waiting.reason ?? "no reason given"}`, waiting.message)}${ended}`;
  }
  if (terminated)
    return said(`container ${container.name} ended with ${terminated.exitCode ?? "?"}`, terminated.message ?? terminated.reason);
  return undefined;
}

const timeOf = (event: EventParts): number =>
  Math.max(...[event.series?.lastObservedTime, event.lastTimestamp, event.eventTime].map((at) => Date.parse(at ?? "") || 0));

/** The newest event about the object: a warning if there is one. */
export function lastEvent(object: KubeObject, events: readonly KubeObject[]): string | undefined {
  const about = (events as readonly (KubeObject & EventParts)[]).filter(({ involvedObject: o }) =>
    o?.uid && object.metadata.uid ? o.uid === object.metadata.uid : o?.name === object.metadata.name,
  );
  const warnings = about.filter((e) => e.type === "Warning");
  const [newest] = [...(warnings.length ? warnings : about)].sort((a, b) => timeOf(b) - timeOf(a));
  return newest && said(`last event ${newest.reason ?? "?"}`, newest.message);
}

/** Why a pod does not serve, in one line; undefined when it does. */
export function wordPod(pod: KubeObject, events: readonly KubeObject[]): string | undefined {
  const { spec, status } = pod as KubeObject & PodParts;
  const conditions = status?.conditions ?? [];
  if (conditions.some((c) => c.type === "Ready" && c.status === "True") || pod.metadata.deletionTimestamp !== undefined) return undefined;
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const unscheduled = conditions.find((c) => c.type === "PodScheduled" && c.status === "False");
  const notReady = conditions.find((c) => c.type === "Ready" && c.status === "False");
  const event = lastEvent(pod, events);
  const parts = [
    ...(unscheduled ? [said("not scheduled", unscheduled.message ?? unscheduled.reason)] : []),
    ...(status?.reason ? [said(status.reason, status.message)] : []),
    ...containers.flatMap((c) => wordContainer(c) ?? []),
    ...(!unscheduled && notReady?.message ? [said("not ready", notReady.message)] : []),
    ...(event ? [event] : []),
  ];
  const where = spec?.nodeName ? `on ${spec.nodeName}` : "on no node";
  return `pod ${pod.metadata.name}: ${status?.phase ?? "no phase"} ${where}; ${parts.join("; ") || "nothing is said about it"}`;
}

/** What a Deployment says when it cannot even make its pods: a quota, an admission that refuses. */
export const wordDeployment = (deployment: KubeObject): string | undefined => {
  const failing = conditionsOf(deployment).find((c) => c.type === "ReplicaFailure" && c.status === "True");
  return failing && said(`deployment ${deployment.metadata.name}: ${failing.reason ?? "ReplicaFailure"}`, failing.message);
};
