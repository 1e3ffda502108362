// Does this machine take its new release in this plan? Pure; the rules of the design in their order. Every machine of a
// pool gets the same facts and the same roster, so all of them come to the same group sentence.
import type { Facts, NodeFacts } from "./facts.js";

export interface PaceInput {
  /** Node name (control plane) or its first part (worker). */
  readonly name: string;
  readonly role: "control-plane" | "worker";
  readonly pool: string;
  /** Release the machine was made with; null = it is being made. */
  readonly current: string | null;
  readonly wanted: string;
  /** A `spec` input, or one element of a list, is not known at plan. */
  readonly unknownInput: boolean;
  /** Facts of the last reading; null = never read. */
  readonly facts: Facts | null;
  /** Control planes by configuration. */
  readonly members: readonly string[];
  /** Wanted release of every machine of this pool, by name or first part of the name. */
  readonly roster: Readonly<Record<string, string>>;
  readonly inOneApply: boolean;
  /** Worker groups: how many may roll in one apply. @default 1 */
  readonly atOnce?: number;
}

export interface PaceDecision {
  /** "keep": nothing to do; "take": new bytes now; "wait": later; "no-op": the plan is the prior state. */
  readonly action: "take" | "keep" | "wait" | "no-op";
  readonly rule: number;
  /** Why, the same words for every machine of the pool that waits for the same thing. */
  readonly reason: string;
}

const list = (names: readonly string[]): string => [...names].sort().join(", ");
const letter = (name: string): string => name.slice(name.lastIndexOf("-") + 1);

/** The Node of a roster entry: a worker's name goes on after the first part with a suffix of its machine. */
export function nodesOf(facts: Facts, role: PaceInput["role"], name: string): readonly NodeFacts[] {
  if (role === "control-plane") return facts.nodes[name] ? [facts.nodes[name]] : [];
  return Object.entries(facts.nodes)
    .filter(([node]) => node.startsWith(`${name}-`) && !node.slice(name.length + 1).includes("-"))
    .map(([, node]) => node);
}

function staleOf(input: PaceInput, facts: Facts): readonly { readonly name: string; readonly ready: boolean }[] {
  return Object.entries(input.roster)
    .map(([name, wanted]) => ({ name, wanted, nodes: nodesOf(facts, input.role, name) }))
    .filter(({ nodes, wanted }) => !nodes.some((node) => node.release === wanted))
    .map(({ name, nodes }) => ({ name, ready: nodes.some((node) => node.ready) }))
    .sort((a, b) => Number(a.ready) - Number(b.ready) || (a.name < b.name ? -1 : 1));
}

export function decidePace(input: PaceInput): PaceDecision {
  const { facts, name } = input;
  const take = (rule: number, reason: string): PaceDecision => ({ action: "take", rule, reason });
  const wait = (rule: number, reason: string): PaceDecision => ({ action: "wait", rule, reason });
  if (input.current === null) return take(1, "it is being made");
  if (input.unknownInput) return { action: "no-op", rule: 2, reason: "an input is only known after apply" };
  if (input.current === input.wanted) return { action: "keep", rule: 3, reason: "" };
  if (facts === null) return wait(4, "nobody: the cluster has not been read yet (refresh is off, or this is its first plan)");
  if (!facts.complete && facts.reachable) return take(5, "the cluster has not been handed over yet");
  if (!facts.complete && !facts.born) return take(5, "the cluster has not been handed over yet");
  if (!facts.reachable) return wait(6, `nobody: ${facts.unreachable ?? "the Kubernetes API does not answer"}`);
  const own = nodesOf(facts, input.role, name);
  if (own.some((node) => node.release === input.wanted)) return take(7, "the cluster runs it already");
  return input.role === "control-plane" ? controlPlane(input, facts, take, wait) : worker(input, facts, take, wait);
}

type Make = (rule: number, reason: string) => PaceDecision;

function controlPlane(input: PaceInput, facts: Facts, take: Make, wait: Make): PaceDecision {
  const { name, members } = input;
  const voter = facts.etcd[name] ?? "absent";
  const known = Object.keys(facts.etcd).length > 0;
  if (!known) return wait(10, "nobody: no control plane has reported on etcd within the last minute");
  if (voter === "dead" || voter === "absent" || (facts.lease?.holder === name && facts.nodes[name]?.ready !== true)) {
    return take(8, `${name} does not vote now: nothing to lose`);
  }
  const stranger = Object.keys(facts.etcd).filter((member) => !members.includes(member));
  if (stranger.length > 0) return wait(9, `nobody: ${list(stranger)} must leave etcd first`);
  const bad = members.filter((member) => member !== name && facts.etcd[member] !== "answers");
  if (bad.length > 0) {
    const [first = ""] = bad;
    return wait(10, `nobody: ${facts.etcd[first] === undefined ? `${list(bad)} must join etcd first` : `etcd member ${list(bad)} does not answer`}`);
  }
  if (facts.lease && facts.lease.holder !== name) return wait(10, `nobody: ${facts.lease.holder} is on its way`);
  const unready = onWantedButNotReady(input, facts);
  if (unready.length > 0) return wait(11, `nobody: ${list(unready)} runs the new release and is not Ready`);
  return window(facts, wait) ?? turn(input, facts, 1, take, wait);
}

function worker(input: PaceInput, facts: Facts, take: Make, wait: Make): PaceDecision {
  const unready = onWantedButNotReady(input, facts);
  if (unready.length > 0) return wait(11, `nobody: ${list(unready)} runs the new release and is not Ready`);
  const versions = new Set(input.members.map((member) => facts.nodes[member]?.release ?? null));
  if (versions.size > 1) return wait(12, "nobody: the control planes go first");
  return window(facts, wait) ?? turn(input, facts, input.atOnce ?? 1, take, wait);
}

const onWantedButNotReady = (input: PaceInput, facts: Facts): readonly string[] =>
  Object.entries(input.roster)
    .filter(([name, wanted]) => name !== input.name && nodesOf(facts, input.role, name).some((n) => n.release === wanted && !n.ready))
    .map(([name]) => name);

const window = (facts: Facts, wait: Make): PaceDecision | undefined =>
  facts.windowOpen ? undefined : wait(13, `nobody: the maintenance window is closed${facts.windowOpens ? `; it opens at ${facts.windowOpens}` : ""}`);

function turn(input: PaceInput, facts: Facts, atOnce: number, take: Make, wait: Make): PaceDecision {
  const stale = staleOf(input, facts);
  if (input.inOneApply && stale.every((machine) => machine.ready)) return take(14, "all roll in one apply, one after the other");
  const first = stale.slice(0, atOnce).map((machine) => machine.name);
  const later = stale.slice(atOnce).map((machine) => letter(machine.name));
  const sentence = `${list(first)} takes it now${later.length > 0 ? `; ${later.join(", ")} wait for their turn` : ""}`;
  return first.includes(input.name) ? take(15, sentence) : wait(15, sentence);
}
