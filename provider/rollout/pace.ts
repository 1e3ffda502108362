// Does this machine take its new release in this plan? Pure; the rules of the design in their order, and the number of the
// rule comes with every decision. Every machine of a pool gets the same facts and the same roster, so all of them come to
// the same group sentence (group.ts).
import type { Facts, NodeFacts } from "./facts.js";
import { heldByOther } from "./gate.js";
import { doNotAnswer, have, isAre, list } from "./words.js";

export interface PaceInput {
  /** Node name (control plane) or its first part (worker). */
  readonly name: string;
  readonly role: "control-plane" | "worker";
  readonly pool: string;
  /** Release the machine was made with; null = it is being made. */
  readonly current: string | null;
  readonly wanted: string;
  /** Kubernetes version of the wanted release; workers never run ahead of a control plane. */
  readonly version?: string;
  /** A `spec` input, or one element of a list, is not known at plan. */
  readonly unknownInput: boolean;
  /** The cluster goes back to a snapshot, and this machine was not made for that yet. @default false */
  readonly restoring?: boolean;
  /** Facts of the last reading; null = never read. */
  readonly facts: Facts | null;
  /** Control planes by configuration. */
  readonly members: readonly string[];
  /** Wanted release of every machine of this pool, by name or first part of the name. */
  readonly roster: Readonly<Record<string, string>>;
  readonly inOneApply: boolean;
  /** Given up by a person for this one run. @default false */
  readonly lost?: boolean;
  /** Worker groups: how many may roll in one apply. @default 1 */
  readonly atOnce?: number;
}

export interface PaceDecision {
  /** "keep": nothing to do; "take": new bytes now; "wait": later; "no-op": the plan is the prior state. */
  readonly action: "take" | "keep" | "wait" | "no-op";
  /** 1-15, the number in the design; 0: a restore. */
  readonly rule: number;
  /** Why, the same words for every machine of the pool that waits for the same thing. */
  readonly reason: string;
}

type Make = (rule: number, reason: string) => PaceDecision;
const take: Make = (rule, reason) => ({ action: "take", rule, reason });
const wait: Make = (rule, reason) => ({ action: "wait", rule, reason });

/** What a worker's machine adds to the first part of its name. */
const suffix = /^-[0-9a-f]{5}$/;

/** The Nodes of a roster entry. Of a worker there are two while its successor stands and it is not gone yet. */
export function nodesOf(facts: Facts, role: PaceInput["role"], name: string): readonly NodeFacts[] {
  if (role === "control-plane") return facts.nodes[name] ? [facts.nodes[name]] : [];
  return Object.entries(facts.nodes)
    .filter(([node]) => node.startsWith(name) && suffix.test(node.slice(name.length)))
    .map(([, node]) => node);
}

export function decidePace(input: PaceInput): PaceDecision {
  const { facts, name } = input;
  if (input.current === null) return take(1, "it is being made");
  if (input.unknownInput) return { action: "no-op", rule: 2, reason: "an input is only known after apply" };
  if (input.current === input.wanted) return { action: "keep", rule: 3, reason: "" };
  // All of them or none: what they hold is given up, so there is nothing to keep safe, whoever answers.
  if (input.restoring) return take(0, "the cluster goes back to a snapshot");
  if (facts === null) return wait(4, "the cluster has not been read yet (refresh is off, or honest_boot has no access)");
  // Before the hand-over there is nothing to keep safe, and a mistake in the spec may be the very reason why it never came.
  if (!facts.complete && (facts.reachable || !facts.born)) return take(5, "the cluster has not been handed over yet");
  if (!facts.reachable) {
    if (aloneOnItsWay(input, facts)) return take(8, `${name} is the only control plane and never ran what it has now`);
    // A release that never came up on most members takes the API with it: then only a person can say what is lost.
    if (input.lost) return take(8, `${name} was given up for this run`);
    return wait(6, facts.unreachable ?? "the Kubernetes API does not answer");
  }
  if (nodesOf(facts, input.role, name).some((node) => node.release === input.wanted)) return take(7, "the cluster runs it already");
  return input.role === "control-plane" ? controlPlane(input, facts) : worker(input, facts);
}

/**
 * The only control plane was given a release that never came up: then the API is silent because of it, and waiting for
 * the API would make a mistake in the spec final.
 */
function aloneOnItsWay({ role, name, current, members }: PaceInput, facts: Facts): boolean {
  const alone = role === "control-plane" && members.every((member) => member === name);
  return alone && Object.keys(facts.etcd).every((member) => member === name) && facts.nodes[name]?.release !== current;
}

function controlPlane(input: PaceInput, facts: Facts): PaceDecision {
  const { name, members } = input;
  const voters = Object.keys(facts.etcd);
  if (voters.length === 0) return wait(10, "no control plane has reported on etcd within the last minute");
  const silent = members.filter((member) => member !== name && member in facts.etcd && facts.etcd[member] !== "answers");
  const mine = facts.etcd[name] ?? "absent";
  if (mine === "dead" || mine === "absent") return take(8, `${name} has no vote now, so nothing is lost`);
  const broken = facts.lease?.holder === name && facts.nodes[name]?.ready !== true;
  if (broken && silent.length === 0) return take(8, `${name} is on its way and broken`);

  const strangers = voters.filter((member) => !members.includes(member));
  if (strangers.length > 0) return wait(9, `${list(strangers)} must leave etcd first`);
  if (silent.length > 0) return wait(10, `etcd member ${doNotAnswer(silent)}`);
  const absent = members.filter((member) => member !== name && !(member in facts.etcd));
  if (absent.length > 0) return wait(10, `${list(absent)} must join etcd first`);
  const lease = heldByOther(facts, name);
  if (lease) return wait(10, `${lease.holder} is on its way`);
  return settling(input, facts) ?? closed(facts) ?? turn(input, facts, 1);
}

function worker(input: PaceInput, facts: Facts): PaceDecision {
  return settling(input, facts) ?? behind(input, facts) ?? closed(facts) ?? turn(input, facts, Math.max(1, input.atOnce ?? 1));
}

/** Rule 11. Each release is tried on as many machines as may be missing, and no further before they are Ready. */
function settling(input: PaceInput, facts: Facts): PaceDecision | undefined {
  const unready = Object.entries(input.roster)
    .filter(([other]) => other !== input.name)
    .filter(([other, wanted]) => nodesOf(facts, input.role, other).some((node) => node.release === wanted && !node.ready))
    .map(([other]) => other);
  return unready.length > 0 ? wait(11, `${have(unready, "has", "have")} the new release and ${isAre(unready)} not Ready`) : undefined;
}

/** Rule 12. A kubelet must not be newer than an API server it may talk to. */
function behind({ members, version }: PaceInput, facts: Facts): PaceDecision | undefined {
  const older = version === undefined ? [] : members.filter((member) => isOlder(facts.nodes[member]?.version ?? null, version));
  return older.length > 0 ? wait(12, `control plane ${have(older, "has", "have")} not reached ${version}`) : undefined;
}

function isOlder(running: string | null, wanted: string): boolean {
  if (running === null) return true;
  const parts = (version: string): readonly number[] => version.split(".").map((part) => Number.parseInt(part, 10) || 0);
  const [a, b] = [parts(running), parts(wanted)];
  const at = [0, 1, 2].find((n) => (a[n] ?? 0) !== (b[n] ?? 0));
  return at !== undefined && (a[at] ?? 0) < (b[at] ?? 0);
}

/** Rule 13. */
function closed({ windowOpen, windowNew, windowOpens }: Facts): PaceDecision | undefined {
  if (windowOpen) return undefined;
  if (windowNew) return wait(13, "the maintenance window is new; this apply records it, and the next plan judges it");
  return wait(13, `the maintenance window is closed${windowOpens ? `; it opens at ${windowOpens}` : ""}`);
}

/** Machines that do not run what they should, as the cluster reports it: right also after a run that was killed half-way. */
function stale(input: PaceInput, facts: Facts): readonly { readonly name: string; readonly ready: boolean }[] {
  return Object.entries(input.roster)
    .map(([name, wanted]) => ({ name, wanted, nodes: nodesOf(facts, input.role, name) }))
    .filter(({ nodes, wanted }) => !nodes.some((node) => node.release === wanted))
    .map(({ name, nodes }) => ({ name, ready: nodes.some((node) => node.ready) }))
    .sort((a, b) => Number(a.ready) - Number(b.ready) || (a.name < b.name ? -1 : 1));
}

/** Rules 14 and 15. */
function turn(input: PaceInput, facts: Facts, atOnce: number): PaceDecision {
  const machines = stale(input, facts);
  if (input.inOneApply && machines.every((machine) => machine.ready)) return take(14, "all roll in one apply, one after the other");
  const now = machines.slice(0, atOnce).map((machine) => machine.name);
  return now.includes(input.name) ? take(15, "it is its turn") : wait(15, "");
}
