// Who of the expected machines is a node of the cluster now, and what is missing of the others. Pure: the barrier polls it.
import { agentStatus, isFresh, readiness } from "./node-status.js";
import type { KubeObject } from "./object.js";

export interface Expected {
  /** Name of the Node. */
  readonly name: string;
  /** The machine that must carry it; null = any. */
  readonly machineId: string | null;
}
export interface Attendance {
  readonly name: string;
  /** "absent": no Node; "stale": another machine's; "waiting": registered, not usable yet; "ready". */
  readonly state: "absent" | "stale" | "waiting" | "ready";
  /** What is missing, for people. */
  readonly reason: string;
  /** Its agent reports. */
  readonly reports: boolean;
}

/** `registeredIsEnough`: the user brings the network, so Ready comes later; a kubelet that answers must do. */
export function attendance(
  expected: readonly Expected[],
  nodes: readonly KubeObject[],
  options: { readonly registeredIsEnough: boolean; readonly now: number },
): readonly Attendance[] {
  const byName = new Map(nodes.map((node) => [node.metadata.name, node]));
  return expected.map(({ name, machineId }) => {
    const node = byName.get(name);
    if (!node) return { name, state: "absent", reason: "has not registered", reports: false };
    const agent = agentStatus(node);
    const reports = isFresh(agent?.at ?? null, options.now);
    if (machineId !== null && agent?.machineId && agent.machineId !== machineId) {
      return { name, state: "stale", reason: `is still machine ${agent.machineId}, not ${machineId}`, reports };
    }
    const kubelet = readiness(node);
    // An old Node stays Ready for 40 s after its machine is gone: the kubelet must have spoken after this boot.
    if (kubelet.ready && agent?.bootedAt && kubelet.at !== null && kubelet.at < agent.bootedAt) {
      return { name, state: "waiting", reason: "has not reported since it booted", reports };
    }
    const enough = kubelet.ready || (options.registeredIsEnough && kubelet.onlyNetworkMissing);
    if (enough) return { name, state: "ready", reason: "", reports };
    // The boot stage's own word, when it is fresh: what it is at, and why it does not go on.
    const stage = reports && agent?.stage && agent.stage !== "ready" ? `; its boot stage: ${agent.stage}` : "";
    return { name, state: "waiting", reason: `${kubelet.reason}${stage}`, reports };
  });
}

/** "demo-cp-a has not registered; demo-w-… NotReady: …" */
export const wordMissing = (missing: readonly Attendance[]): string => missing.map((m) => `${m.name} ${m.reason}`).join("; ");
