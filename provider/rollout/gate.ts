// May this control-plane membership be taken down now? Pure; rules G1-G9 of the design, in their order. "Down" always
// means "its etcd voter does not answer": with Node readiness as the measure, a half-drained machine and one with a broken
// kubelet both counted as down already, and two living voters went.
import type { Facts } from "./facts.js";

export interface GateInput {
  readonly name: string;
  /** Only a positive mark of the plan means "leaves for good". */
  readonly how: "leave" | "replace";
  /** Mark of the membership that is being destroyed. */
  readonly gen: string | null;
  readonly vmId: string;
  /** Machine id of the plan when it was known; equal to `vmId` = the machine stays. */
  readonly plannedVmId: string | null;
  /** All control planes by configuration. */
  readonly members: readonly string[];
  readonly facts: Facts;
  /** The barrier of this very run has begun a teardown. */
  readonly tornDown: boolean;
  /** The cluster has been seen complete. */
  readonly everComplete: boolean;
  /** Given up by a person for this one run. */
  readonly lost: boolean;
}

export type GateRule = "G1" | "G2" | "G3" | "G4" | "G5" | "G6" | "G7" | "G8" | "G9";
export type GateVerdict =
  | { readonly verdict: "pass"; readonly drain: boolean; readonly rule?: GateRule }
  | { readonly verdict: "wait" | "refuse"; readonly reason: string; readonly rule?: GateRule }
  | { readonly verdict: "skip"; readonly rule?: GateRule };

/** Seconds that a drained machine may still run before others stop waiting for it: terraform has no free slot for it then. */
export const drainedGraceSec = 120;

const list = (names: readonly string[]): string => [...names].sort().join(", ");

export function decideGate(input: GateInput): GateVerdict {
  const { name, how, gen, facts, vmId } = input;
  const node = facts.nodes[name];
  if (facts.reachable && node?.gen != null && gen !== null && node.gen !== gen) return { verdict: "skip", rule: "G1" };
  if (how === "replace" && input.plannedVmId === vmId) return { verdict: "skip", rule: "G2" };
  const tearingDown = input.tornDown || (facts.reachable && facts.tornDown);
  if (tearingDown && how === "leave") return { verdict: "pass", drain: false, rule: "G3" };
  if (facts.reachable ? !facts.complete && !input.everComplete : !input.everComplete && how === "leave") {
    return { verdict: "pass", drain: false, rule: "G3" };
  }
  if (input.lost) return { verdict: "pass", drain: false, rule: "G9" };
  if (!facts.reachable) {
    const why = facts.unreachable ?? "the Kubernetes API does not answer";
    return { verdict: "wait", reason: `${name} cannot be judged: ${why}; an outage and a broken network look alike from here`, rule: "G4" };
  }
  const mine = facts.etcd[name] ?? "absent";
  const known = Object.keys(facts.etcd).length > 0;
  if (!known) return { verdict: "wait", reason: "no control plane has reported on etcd within the last minute", rule: "G4" };
  // nothing to lose: it does not vote now
  if (mine === "dead" || mine === "absent") return { verdict: "pass", drain: false, rule: "G4" };

  const others = Object.keys(facts.etcd).filter((other) => other !== name);
  if (others.length === 0) {
    if (how === "leave") return { verdict: "refuse", reason: `${name} is the last member of etcd; only a destroy of the whole cluster takes it down`, rule: "G8" };
    // one control plane has no second: its replacement is an outage that the plan has announced
    return { verdict: "pass", drain: true, rule: "G6" };
  }
  const lease = facts.lease;
  if (lease && lease.holder !== name) {
    const holder = facts.nodes[lease.holder];
    const back = facts.etcd[lease.holder] === "answers" && holder?.ready === true && holder.agentFresh && !lease.drained;
    const machineRuns = facts.etcd[lease.holder] === "answers" || holder?.agentFresh === true;
    if (lease.drained && machineRuns && lease.ageSec > drainedGraceSec) {
      return {
        verdict: "refuse",
        reason: `${lease.holder} was drained ${lease.ageSec} s ago and its machine still runs: terraform has not come to replace it`,
        rule: "G7",
      };
    }
    if (!back) return { verdict: "wait", reason: `${lease.holder} is on its way`, rule: "G6" };
  }
  const silent = others.filter((other) => facts.etcd[other] !== "answers");
  if (silent.length > 0) return { verdict: "wait", reason: `etcd member ${list(silent)} does not answer`, rule: "G5" };
  const missing = input.members.filter((member) => member !== name && !others.includes(member));
  if (missing.length > 0) return { verdict: "wait", reason: `${list(missing)} has not joined etcd yet`, rule: "G6" };
  const sick = node?.ready !== true;
  const notReady = others.filter((other) => facts.nodes[other]?.ready !== true);
  if (notReady.length > 0 && !sick) return { verdict: "wait", reason: `${list(notReady)} is not Ready`, rule: "G6" };
  return { verdict: "pass", drain: true, rule: "G6" };
}
