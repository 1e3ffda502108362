import { describe, expect, it } from "vitest";
import type { Facts } from "../../../../provider/rollout/facts.js";
import { decidePace, nodesOf, type PaceInput } from "../../../../provider/rollout/pace.js";
import { healthy, nodeFacts, silent } from "../../../support/facts.js";

const roster = { a: "r2", b: "r2", c: "r2" };
const input = (over: Partial<PaceInput> = {}): PaceInput => ({
  name: "a",
  role: "control-plane",
  pool: "cp",
  version: "1.36.3",
  current: "r1",
  wanted: "r2",
  unknownInput: false,
  facts: healthy(),
  members: ["a", "b", "c"],
  roster,
  inOneApply: false,
  ...over,
});
const lease = (holder: string, over = {}) => ({ holder, drained: false, ageSec: 5, ...over });
const never: Facts = { ...silent({}, []), born: false, complete: false };

type Row = readonly [what: string, over: Partial<PaceInput>, action: string, rule: number, reason?: RegExp];
const rows: readonly Row[] = [
  ["a machine that is being made", { current: null, facts: null }, "take", 1],
  ["a new machine also while the API is silent", { current: null, facts: silent() }, "take", 1],
  ["an unknown input, whatever the facts", { unknownInput: true }, "no-op", 2],
  ["the release it has", { current: "r2" }, "keep", 3],
  ["the release it has, before anything was read", { current: "r2", facts: null }, "keep", 3],
  ["back to a snapshot, and nobody answers", { restoring: true, facts: silent() }, "take", 0],
  ["back to a snapshot, the cluster lives, the window is closed", { restoring: true, facts: healthy({ windowOpen: false }) }, "take", 0],
  ["back to a snapshot, half of it done", { restoring: true, facts: healthy({ lease: lease("b"), etcd: { b: "dead" } }) }, "take", 0],
  ["back to a snapshot, never read", { restoring: true, facts: null }, "take", 0],
  ["back to a snapshot: this machine was made for it", { restoring: true, current: "r2", facts: silent() }, "keep", 3],
  ["back to a snapshot, an input is unknown", { restoring: true, unknownInput: true }, "no-op", 2],
  ["no facts: refresh was off since the cluster was made", { facts: null }, "wait", 4, /has not been read/],
  ["a birth that has not been handed over", { facts: healthy({ complete: false }) }, "take", 5],
  ["a birth whose API never answered: a wrong flag is corrected", { facts: never }, "take", 5],
  ["a birth outside its window", { facts: healthy({ complete: false, windowOpen: false }) }, "take", 5],
  ["an API that was seen once and is silent now", { facts: { ...never, born: true } }, "wait", 6, /refused the connection/],
  ["a living cluster that does not answer", { facts: silent() }, "wait", 6, /refused the connection/],
  [
    "a killed run: the machine has it, the state does not say so",
    { facts: healthy({ nodes: { a: { release: "r2" } }, etcd: { b: "dead" } }) },
    "take",
    7,
  ],
  ["its member is dead", { facts: healthy({ etcd: { a: "dead" }, windowOpen: false }) }, "take", 8],
  ["its member has gone from etcd", { facts: healthy({ etcd: { a: null } }) }, "take", 8],
  ["two are dead: both may", { name: "b", facts: healthy({ etcd: { a: "dead", b: "dead" } }) }, "take", 8],
  ["it is on its way and does not become Ready", { facts: healthy({ lease: lease("a"), nodes: { a: { ready: false } } }) }, "take", 8],
  [
    "it is on its way, votes, and another is dead: it would be the second",
    { facts: healthy({ lease: lease("a"), nodes: { a: { ready: false } }, etcd: { b: "dead" } }) },
    "wait",
    10,
    /etcd member b does not answer/,
  ],
  [
    "the only control plane was given a release that never came up",
    { current: "r-typo", members: ["a"], roster: { a: "r2" }, facts: silent({}, ["a"]) },
    "take",
    8,
  ],
  ["the only control plane, alive when it was last seen", { members: ["a"], roster: { a: "r2" }, facts: silent({}, ["a"]) }, "wait", 6],
  ["one of three that never came up, API silent", { current: "r-typo", facts: silent() }, "wait", 6],
  [
    "somebody in etcd who is not configured any more",
    { members: ["a", "b"], roster: { a: "r2", b: "r2" } },
    "wait",
    9,
    /c must leave etcd first/,
  ],
  ["another member is dead", { facts: healthy({ etcd: { c: "dead" } }) }, "wait", 10, /etcd member c does not answer/],
  ["two others are dead", { facts: healthy({ etcd: { b: "dead", c: "dead" } }) }, "wait", 10, /etcd member b, c do not answer/],
  ["another member is disputed", { facts: healthy({ etcd: { c: "disputed" } }) }, "wait", 10, /c does not answer/],
  ["its own member is disputed: no reason to hurry", { facts: healthy({ etcd: { a: "disputed" }, windowOpen: false }) }, "wait", 13],
  ["another member is only a learner", { facts: healthy({ etcd: { c: "learner" } }) }, "wait", 10, /c does not answer/],
  ["one is to join first", { facts: healthy({ etcd: { c: null }, nodes: { c: null } }) }, "wait", 10, /c must join etcd first/],
  ["another is on its way", { facts: healthy({ lease: lease("b") }) }, "wait", 10, /b is on its way/],
  ["its own lease, Ready again", { facts: healthy({ lease: lease("a") }) }, "take", 15],
  ["the lease of one who has left for good", { facts: healthy({ lease: lease("d") }) }, "take", 15],
  ["nobody reports on etcd", { facts: { ...healthy(), etcd: {} } }, "wait", 10, /no control plane has reported/],
  [
    "another runs it and is not Ready",
    { facts: healthy({ nodes: { b: { release: "r2", ready: false } } }) },
    "wait",
    11,
    /b has the new release and is not Ready/,
  ],
  [
    "a closed window",
    { facts: healthy({ windowOpen: false, windowOpens: "2026-12-01T02:00Z" }) },
    "wait",
    13,
    /opens at 2026-12-01T02:00Z/,
  ],
  [
    "a window that was changed since the cluster was read",
    { facts: healthy({ windowOpen: false, windowNew: true }) },
    "wait",
    13,
    /is new/,
  ],
  ["in one apply, all Ready", { name: "c", inOneApply: true }, "take", 14],
  [
    "in one apply, one of them is not Ready",
    { name: "b", inOneApply: true, facts: healthy({ nodes: { c: { ready: false } } }) },
    "wait",
    15,
  ],
  ["the first by name", {}, "take", 15],
  ["the second by name", { name: "b" }, "wait", 15],
  ["the second when the first has it", { name: "b", facts: healthy({ nodes: { a: { release: "r2" } } }) }, "take", 15],
  ["not Ready goes before Ready", { name: "c", facts: healthy({ nodes: { c: { ready: false } } }) }, "take", 15],
  ["Ready waits for the one that is not", { facts: healthy({ nodes: { c: { ready: false } } }) }, "wait", 15],
  ["edited twice: the first goes again", { wanted: "r3", current: "r2", roster: { a: "r3", b: "r3", c: "r3" } }, "take", 15],
];

describe("control plane", () => {
  for (const [what, over, action, rule, reason] of rows) {
    it(what, () => {
      const decision = decidePace(input(over));
      expect([decision.action, decision.rule]).toEqual([action, rule]);
      if (reason) expect(decision.reason).toMatch(reason);
    });
  }

  it("lets exactly one of three healthy ones take it, whatever their states say", () => {
    const taking = ["a", "b", "c"].filter((name) => decidePace(input({ name })).action === "take");
    expect(taking).toEqual(["a"]);
  });
});

const pool = { "w-0": "r2", "w-1": "r2", "w-2": "r2" };
const workers = (over: Parameters<typeof healthy>[0] = {}): Facts =>
  healthy({
    ...over,
    nodes: {
      "w-0-0aaaa": nodeFacts({ pool: "w" }),
      "w-1-0bbbb": nodeFacts({ pool: "w" }),
      "w-2-0cccc": nodeFacts({ pool: "w" }),
      ...over.nodes,
    },
  });
const worker = (over: Partial<PaceInput> = {}): PaceInput =>
  input({ name: "w-0", role: "worker", pool: "w", roster: pool, facts: workers(), ...over });

const workerRows: readonly Row[] = [
  ["the first by name", {}, "take", 15],
  ["the second by name", { name: "w-1" }, "wait", 15],
  ["two at once: the second", { name: "w-1", atOnce: 2 }, "take", 15],
  ["two at once: the third", { name: "w-2", atOnce: 2 }, "wait", 15],
  ["none at once counts as one", { atOnce: 0 }, "take", 15],
  ["a control plane is down: no matter of workers", { facts: workers({ etcd: { c: "dead" } }) }, "take", 15],
  ["a control plane has not reached its version", { version: "1.37.2" }, "wait", 12, /a, b, c have not reached 1.37.2/],
  [
    "one of them has",
    { version: "1.37.2", facts: workers({ nodes: { a: { version: "1.37.2" }, b: { version: "1.37.2" } } }) },
    "wait",
    12,
    /c has not reached 1.37.2/,
  ],
  ["control planes are newer", { version: "1.35.9" }, "take", 15],
  ["a control plane without a Node", { facts: workers({ nodes: { b: null } }) }, "wait", 12, /b has not reached/],
  ["control planes of different releases, as they always are", { facts: workers({ nodes: { a: { release: "rx" } } }) }, "take", 15],
  [
    "one that has it is not Ready",
    { name: "w-1", atOnce: 3, facts: workers({ nodes: { "w-0-0aaaa": { release: "r2", ready: false } } }) },
    "wait",
    11,
  ],
  ["its successor stands already", { facts: workers({ nodes: { "w-0-0dddd": { release: "r2" } } }) }, "take", 7],
  ["a closed window", { facts: workers({ windowOpen: false }) }, "wait", 13],
  ["its machine has vanished", { name: "w-2", facts: workers({ nodes: { "w-2-0cccc": null } }) }, "take", 15],
];

describe("worker", () => {
  for (const [what, over, action, rule, reason] of workerRows) {
    it(what, () => {
      const decision = decidePace(worker(over));
      expect([decision.action, decision.rule]).toEqual([action, rule]);
      if (reason) expect(decision.reason).toMatch(reason);
    });
  }

  it("is told from a worker whose name begins with its own", () => {
    const facts = workers({ nodes: { "w-0-0-0eeee": nodeFacts({ release: "r9" }), "w-0-store": nodeFacts({ release: "r8" }) } });
    expect(nodesOf(facts, "worker", "w-0").map((node) => node.release)).toEqual(["r1"]);
  });
});
