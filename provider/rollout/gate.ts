// May this control-plane membership be taken down now? Pure; rules G1-G9 of the design, in their order. "Down" always
// means "its etcd voter does not answer": with Node readiness as the measure, a half-drained machine and one with a broken
// kubelet both counted as down already, and two living voters went.
import type { Facts, LeaseFacts } from "./facts.js";
import { doNotAnswer, have, isAre, list } from "./words.js";

export interface GateInput {
  readonly name: string;
  /** Only a positive mark of the plan means "leaves for good". */
  readonly how: "leave" | "replace";
  /** Mark of the membership that is being destroyed. */
  readonly gen: string | null;
  readonly vmId: string;
  /** Machine id of the plan when it was known; equal to `vmId` = the machine stays. */
  readonly plannedVmId: string | null;
  /** All control planes by the configuration that this membership was told last. */
  readonly members: readonly string[];
  /** All control planes by the configuration that is applied now; null = the plan left no marks. @default members */
  readonly planned?: readonly string[] | null;
  readonly facts: Facts;
  /** The barrier of this very run has begun a teardown. */
  readonly tornDown: boolean;
  /** The cluster has been seen complete. */
  readonly everComplete: boolean;
  /**
   * The plan left no marks: core plans a tainted membership as if it had no past. Then "never seen complete" is no
   * knowledge, and its create may never have come to an end.
   * @default true - the careful reading
   */
  readonly markless?: boolean;
  /**
   * The cloud no longer knew its machine when the plan was made: then nothing is taken down, whatever the API says or does
   * not say. Two of three machines that were deleted take the API with them, and nobody else could tell.
   * @default false
   */
  readonly machineGone?: boolean;
  /** Given up by a person for this one run. */
  readonly lost: boolean;
  /**
   * The cluster goes back to a snapshot: what this member holds is given up.
   * @default false
   */
  readonly restoring?: boolean;
}

export type GateRule = "G1" | "G2" | "G3" | "G4" | "G5" | "G6" | "G7" | "G8" | "G9" | "restore";
export type GateVerdict =
  | { readonly verdict: "pass"; readonly drain: boolean; readonly rule?: GateRule }
  | { readonly verdict: "wait" | "refuse"; readonly reason: string; readonly rule?: GateRule }
  | { readonly verdict: "skip"; readonly rule?: GateRule };

/** Seconds that a drained machine may still run before others stop waiting for it: terraform has no free slot for it then. */
export const drainedGraceSec = 120;

const pass = (rule: GateRule, drain: boolean): GateVerdict => ({ verdict: "pass", drain, rule });
const wait = (rule: GateRule, reason: string): GateVerdict => ({ verdict: "wait", reason, rule });
const refuse = (rule: GateRule, reason: string): GateVerdict => ({ verdict: "refuse", reason, rule });

export function decideGate(input: GateInput): GateVerdict {
  const { name, how, gen, facts, vmId } = input;
  const node = facts.nodes[name];
  if (facts.reachable && node?.gen != null && gen !== null && node.gen !== gen) return { verdict: "skip", rule: "G1" };
  if (how === "replace" && input.plannedVmId === vmId) return { verdict: "skip", rule: "G2" };
  if (input.restoring && how === "replace") return pass("restore", false);
  if ((input.tornDown || (facts.reachable && facts.tornDown)) && how === "leave") return pass("G3", false);
  if (neverComplete(input)) return pass("G3", false);
  if (input.lost) return pass("G9", false);
  if (how === "replace" && input.machineGone === true) return gone(input);
  if (!facts.reachable) return unseen(input);

  if (Object.keys(facts.etcd).length === 0) return wait("G4", "no control plane has reported on etcd within the last minute");
  const mine = facts.etcd[name] ?? "absent";
  // nothing to lose: it has no vote now
  if (mine === "dead" || mine === "absent") return pass("G4", false);

  const others = Object.keys(facts.etcd).filter((other) => other !== name);
  const lease = heldByOther(facts, name);
  if (lease) return foreign(lease, facts);
  const silent = others.filter((other) => facts.etcd[other] !== "answers");
  if (silent.length > 0) return wait("G5", `etcd member ${doNotAnswer(silent)}`);
  // who is not wanted any more has left and does not come; without the plan's word, who has no Node either
  const { planned = input.members } = input;
  const wanted = planned ?? input.members.filter((member) => member in facts.nodes);
  const missing = wanted.filter((member) => member !== name && !others.includes(member));
  if (missing.length > 0) return wait("G6", `${have(missing, "has", "have")} not joined etcd yet`);
  if (others.length === 0 && how === "leave") {
    return refuse("G8", `${name} is the last member of etcd; only a destroy of the whole cluster takes it down`);
  }
  // half-way between three members and one; another step of this run, or the next one, goes on with it
  if (others.length === 1 && how === "replace")
    return wait("G6", `etcd has two members, and neither can be missed: ${list(others)} has to leave, or a third to join`);
  const sick = node?.ready !== true;
  const notReady = others.filter((other) => facts.nodes[other]?.ready !== true);
  if (notReady.length > 0 && !sick) return wait("G6", `${list(notReady)} ${isAre(notReady)} not Ready`);
  return pass("G6", true);
}

/** A machine that still speaks is not gone: the cloud that was asked is another one, or its word came too late. */
function gone({ name, facts, vmId }: GateInput): GateVerdict {
  const node = facts.nodes[name];
  const speaks = facts.reachable && facts.etcd[name] === "answers" && node?.agentFresh === true && node.machineId === vmId;
  return speaks
    ? wait(
        "G4",
        `the cloud has no machine ${vmId} any more, and the cluster still hears from it as ${name}; is this the cloud that it is in?`,
      )
    : pass("G4", false);
}

/** Nobody has ever had this cluster, so nobody can lose it. Silence alone does not say so, a plan that knew its past does. */
export function neverComplete(input: Pick<GateInput, "facts" | "everComplete" | "how" | "markless">): boolean {
  const { facts, everComplete, how, markless = true } = input;
  if (everComplete) return false;
  return facts.reachable ? !facts.complete : how === "leave" || !markless;
}

/** The API is silent: an outage and a broken network look alike from here. */
function unseen({ name, facts, members, how, markless = true }: GateInput): GateVerdict {
  // The only control plane, and its own create failed: the API is silent because of it, also where it once was complete.
  const alone = members.length > 0 && members.every((member) => member === name);
  if (alone && how === "replace" && markless) return pass("G4", false);
  const why = facts.unreachable ?? "the Kubernetes API does not answer";
  return wait("G4", `${name} cannot be judged: ${why}; an outage and a broken network look alike from here`);
}

/** A lease that somebody else holds. One whose holder has left etcd and the cluster holds nobody back. */
export function heldByOther(facts: Facts, name: string): LeaseFacts | null {
  const { lease } = facts;
  return lease === null || lease.holder === name || abandonedBy(facts) !== undefined ? null : lease;
}

/** Holder of a lease that nobody can free any more: it has left etcd and the cluster. A run died before it freed it. */
export function abandonedBy(facts: Facts): string | undefined {
  const { lease, etcd, nodes } = facts;
  return lease !== null && !(lease.holder in etcd || lease.holder in nodes) ? lease.holder : undefined;
}

/** A successor frees its lease itself when it serves, so a lease that is held means: not back yet. */
function foreign(lease: LeaseFacts, facts: Facts): GateVerdict {
  const { holder, drained, ageSec } = lease;
  const machineRuns = facts.etcd[holder] === "answers" || facts.nodes[holder]?.agentFresh === true;
  if (drained && machineRuns && ageSec > drainedGraceSec) {
    return refuse("G7", `${holder} was drained ${ageSec} s ago and its machine still runs: terraform has not come to replace it`);
  }
  return wait("G6", `${holder} is on its way`);
}
