// The gate of a worker: no quorum hangs on it, so it only asks whether there is something to drain and whether we may.
import type { Facts } from "../../rollout/facts.js";
import { type GateVerdict, neverComplete } from "../../rollout/gate.js";
import type { NodeInput } from "./schema.js";

export interface WorkerGateInput {
  readonly node: NodeInput;
  readonly how: "leave" | "replace";
  readonly gen: string | null;
  readonly facts: Facts;
  readonly tornDown: boolean;
  /** The cluster has been seen complete. */
  readonly everComplete: boolean;
  /** The plan knew nothing of the past. @default true */
  readonly markless?: boolean;
  readonly lost: boolean;
}

export function workerGate(input: WorkerGateInput): GateVerdict {
  const { node, how, gen, facts, tornDown, lost } = input;
  if (lost) return { verdict: "pass", drain: false, rule: "G9" };
  if ((tornDown || facts.tornDown) && how === "leave") return { verdict: "pass", drain: false, rule: "G3" };
  if (!facts.reachable) {
    if (neverComplete(input)) return { verdict: "pass", drain: false, rule: "G3" };
    return { verdict: "wait", reason: `${node.nodeName} cannot be drained: ${facts.unreachable ?? "the Kubernetes API does not answer"}` };
  }
  // Never handed over: there are no workloads of anybody, only a Node to forget.
  if (neverComplete(input)) return { verdict: "pass", drain: false };
  const object = facts.nodes[node.nodeName];
  // A successor of the same name is in service: what is destroyed is only what is left of its predecessor.
  if (object?.gen != null && gen !== null && object.gen !== gen) return { verdict: "skip", rule: "G1" };
  if (!object) return { verdict: "pass", drain: false };
  // A dead machine's pods never confirm that they stopped; deleting its Node frees them.
  return { verdict: "pass", drain: object.ready || object.agentFresh };
}
