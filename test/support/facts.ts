// A healthy cluster as facts, for the tests of whoever judges them.
import type { Facts, NodeFacts, VoterState } from "../../provider/rollout/facts.js";

export const nodeFacts = (over: Partial<NodeFacts> = {}): NodeFacts => ({
  pool: "cp",
  ready: true,
  release: "r1",
  version: "1.36.3",
  machineId: "i-1",
  agentFresh: true,
  gen: "g",
  unschedulable: false,
  ...over,
});

export interface FactsChange extends Partial<Omit<Facts, "nodes" | "etcd">> {
  /** null takes the Node away. */
  readonly nodes?: Readonly<Record<string, Partial<NodeFacts> | null>>;
  /** null takes the member away. */
  readonly etcd?: Readonly<Record<string, VoterState | null>>;
}

/** Control planes a, b, c on release r1, handed over. */
export function healthy(change: FactsChange = {}, members: readonly string[] = ["a", "b", "c"]): Facts {
  const nodes: Record<string, NodeFacts> = Object.fromEntries(
    members.map((name) => [name, nodeFacts({ machineId: `i-${name}`, gen: `g-${name}` })]),
  );
  const etcd: Record<string, VoterState> = Object.fromEntries(members.map((name) => [name, "answers"]));
  for (const [name, over] of Object.entries(change.nodes ?? {})) {
    if (over === null) delete nodes[name];
    else nodes[name] = { ...(nodes[name] ?? nodeFacts()), ...over };
  }
  for (const [name, state] of Object.entries(change.etcd ?? {})) {
    if (state === null) delete etcd[name];
    else etcd[name] = state;
  }
  const base = { reachable: true, born: true, complete: true, tornDown: false, windowOpen: true, lease: null };
  return { ...base, ...change, nodes, etcd };
}

export const silent = (change: FactsChange = {}, members?: readonly string[]): Facts =>
  healthy({ reachable: false, unreachable: "https://127.0.0.1:1 refused the connection", ...change }, members);
