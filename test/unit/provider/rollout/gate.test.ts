import { describe, expect, it } from "vitest";
import { decideGate, type GateInput, heldByOther } from "../../../../provider/rollout/gate.js";
import { healthy, silent } from "../../../support/facts.js";

const input = (over: Partial<GateInput> = {}): GateInput => ({
  name: "a",
  how: "replace",
  gen: "g-a",
  vmId: "i-a",
  plannedVmId: null,
  members: ["a", "b", "c"],
  facts: healthy(),
  tornDown: false,
  everComplete: true,
  lost: false,
  ...over,
});
const lease = (holder: string, over = {}) => ({ holder, drained: false, ageSec: 5, ...over });
const never = silent({ complete: false, born: false }, []);

/** Only a is left, in etcd and in the cluster. */
const alone = (() => {
  const facts = healthy({ etcd: { b: null, c: null } });
  return { ...facts, nodes: Object.fromEntries(Object.entries(facts.nodes).filter(([name]) => name === "a")) };
})();

type Row = readonly [what: string, over: Partial<GateInput>, verdict: string, rule: string, reason?: RegExp];
const rows: readonly Row[] = [
  ["a successor of the same name is in service", { facts: healthy({ nodes: { a: { gen: "g-new" } } }) }, "skip", "G1"],
  ["the machine stays: a tainted membership", { plannedVmId: "i-a" }, "skip", "G2"],
  ["the machine stays, and the API is silent", { plannedVmId: "i-a", facts: silent() }, "skip", "G2"],
  ["leaves for good, with a machine id that is known", { how: "leave", plannedVmId: "i-a" }, "pass", "G6"],
  ["teardown in this run: leaves", { how: "leave", tornDown: true, facts: silent() }, "pass", "G3"],
  ["teardown marked in the cluster: leaves", { how: "leave", facts: healthy({ tornDown: true, etcd: { b: "dead" } }) }, "pass", "G3"],
  ["teardown does not open for a replacement", { tornDown: true, facts: healthy({ tornDown: true, etcd: { b: "dead" } }) }, "wait", "G5"],
  ["never handed over, API answers", { everComplete: false, facts: healthy({ complete: false, etcd: { b: "dead" } }) }, "pass", "G3"],
  ["never handed over, API silent: leaves", { everComplete: false, how: "leave", facts: never }, "pass", "G3"],
  ["never handed over, API silent: a correction replaces it", { everComplete: false, markless: false, facts: never }, "pass", "G3"],
  ["tainted and API silent: nothing is known of its past", { everComplete: false, markless: true, facts: never }, "wait", "G4"],
  ["handed over once, and now says it is not", { facts: healthy({ complete: false, etcd: { b: "dead" } }) }, "wait", "G5"],
  ["its machine is gone by the cloud's word, API silent", { machineGone: true, facts: silent() }, "pass", "G4"],
  ["its machine is gone, and so is another's", { machineGone: true, facts: healthy({ etcd: { a: "disputed", b: "dead" } }) }, "pass", "G4"],
  [
    "its machine is gone, and a successor of another run serves already",
    { machineGone: true, facts: healthy({ nodes: { a: { gen: "g-new" } } }) },
    "skip",
    "G1",
  ],
  [
    "its machine is gone by the cloud's word, and the cluster hears from it: another cloud was asked",
    { machineGone: true },
    "wait",
    "G4",
    /is this the cloud that it is in/,
  ],
  [
    "its machine is gone, and what the cluster hears is another's voice",
    { machineGone: true, facts: healthy({ nodes: { a: { machineId: "i-x" } } }) },
    "pass",
    "G4",
  ],
  ["gone and leaving for good: etcd has to be asked", { machineGone: true, how: "leave", facts: silent() }, "wait", "G4"],
  ["given up by a person, API silent", { lost: true, facts: silent() }, "pass", "G9"],
  ["given up by a person, another is dead", { lost: true, facts: healthy({ etcd: { b: "dead" } }) }, "pass", "G9"],
  ["nobody answers", { facts: silent() }, "wait", "G4", /look alike from here/],
  ["the only control plane, tainted, API silent", { everComplete: false, members: ["a"], facts: silent({}, ["a"]) }, "pass", "G4"],
  ["the only control plane, tainted, of a cluster that was whole", { members: ["a"], facts: silent({}, ["a"]) }, "pass", "G4"],
  ["the only control plane, API silent", { members: ["a"], markless: false, facts: silent({}, ["a"]) }, "wait", "G4"],
  ["nobody reports on etcd", { facts: { ...healthy(), etcd: {} } }, "wait", "G4", /no control plane has reported/],
  ["its own member is dead", { facts: healthy({ etcd: { a: "dead" } }) }, "pass", "G4"],
  ["its own member is dead and so is another", { facts: healthy({ etcd: { a: "dead", b: "dead" } }) }, "pass", "G4"],
  ["it is not in etcd", { facts: healthy({ etcd: { a: null }, lease: lease("b") }) }, "pass", "G4"],
  ["another voter is dead", { facts: healthy({ etcd: { b: "dead" } }) }, "wait", "G5", /etcd member b does not answer/],
  ["another is disputed", { facts: healthy({ etcd: { b: "disputed" } }) }, "wait", "G5"],
  ["its own member is disputed", { facts: healthy({ etcd: { a: "disputed" } }) }, "pass", "G6"],
  ["another is a learner", { facts: healthy({ etcd: { b: "learner" } }) }, "wait", "G5"],
  [
    "half drained and another has a broken kubelet: still two voters",
    { facts: healthy({ nodes: { a: { unschedulable: true }, b: { ready: false } } }) },
    "wait",
    "G6",
    /b is not Ready/,
  ],
  [
    "sick itself, another not Ready too: all vote",
    { facts: healthy({ nodes: { a: { ready: false }, b: { ready: false } } }) },
    "pass",
    "G6",
  ],
  ["sick itself, another silent", { facts: healthy({ nodes: { a: { ready: false } }, etcd: { b: "dead" } }) }, "wait", "G5"],
  ["all are well", {}, "pass", "G6"],
  [
    "half-way from three to one: of two members neither can be missed",
    { members: ["a"], facts: healthy({ etcd: { c: null } }) },
    "wait",
    "G6",
    /etcd has two members, and neither can be missed: b has to leave, or a third to join/,
  ],
  ["half-way from one to three", { members: ["a"], planned: ["a", "b", "c"], facts: healthy({ etcd: { c: null } }) }, "wait", "G6"],
  [
    "the only one, and two are to join",
    { members: ["a"], planned: ["a", "b", "c"], facts: healthy({ etcd: { b: null, c: null } }) },
    "wait",
    "G6",
    /b, c have not joined etcd yet/,
  ],
  ["tainted, and the others have left", { planned: null, facts: alone }, "pass", "G6"],
  ["back at one after a run that was killed", { planned: ["a"], facts: healthy({ etcd: { b: null, c: null } }) }, "pass", "G6"],
  ["one of three has not joined", { planned: ["a", "b", "c"], facts: healthy({ etcd: { c: null } }) }, "wait", "G6", /c has not joined/],
  ["half-way from three to one: who leaves", { members: [], how: "leave", facts: healthy({ etcd: { c: null } }) }, "pass", "G6"],
  [
    "another holds the lease and still looks well: it is being emptied",
    { facts: healthy({ lease: lease("b") }) },
    "wait",
    "G6",
    /b is on its way/,
  ],
  [
    "another holds the lease, drained, its machine gone",
    { facts: healthy({ lease: lease("b", { drained: true, ageSec: 999 }), etcd: { b: "dead" }, nodes: { b: { agentFresh: false } } }) },
    "wait",
    "G6",
  ],
  [
    "another was drained and its machine still runs, within the grace",
    { facts: healthy({ lease: lease("b", { drained: true, ageSec: 119 }) }) },
    "wait",
    "G6",
  ],
  [
    "the same after the grace",
    { facts: healthy({ lease: lease("b", { drained: true, ageSec: 121 }) }) },
    "refuse",
    "G7",
    /terraform has not come/,
  ],
  ["its own lease, from a run that was killed", { facts: healthy({ lease: lease("a", { drained: true, ageSec: 999 }) }) }, "pass", "G6"],
  ["back to a snapshot, nobody answers", { restoring: true, markless: true, facts: silent() }, "pass", "restore"],
  ["back to a snapshot, all live and another is on its way", { restoring: true, facts: healthy({ lease: lease("b") }) }, "pass", "restore"],
  ["back to a snapshot: one that leaves for good waits like any other", { restoring: true, how: "leave", facts: silent() }, "wait", "G4"],
  ["its own lease is checked again", { facts: healthy({ lease: lease("a"), etcd: { c: "dead" } }) }, "wait", "G5"],
  ["one has not joined yet", { facts: healthy({ etcd: { c: null }, nodes: { c: null } }) }, "wait", "G6", /c has not joined/],
  ["the only member while others are to join", { facts: healthy({}, ["a"]) }, "wait", "G6", /b, c have not joined/],
  ["one of one is replaced", { members: ["a"], facts: healthy({}, ["a"]) }, "pass", "G6"],
  ["the last member leaves without teardown", { how: "leave", members: [], facts: healthy({}, ["a"]) }, "refuse", "G8"],
  ["a healthy one leaves while another is sick", { how: "leave", members: [], facts: healthy({ etcd: { b: "dead" } }) }, "wait", "G5"],
  ["the sick one leaves", { how: "leave", members: [], facts: healthy({ etcd: { a: "dead" } }) }, "pass", "G4"],
];

describe("gate", () => {
  for (const [what, over, verdict, rule, reason] of rows) {
    it(what, () => {
      const got = decideGate(input(over));
      expect([got.verdict, got.rule]).toEqual([verdict, rule]);
      if (reason) expect("reason" in got ? got.reason : "").toMatch(reason);
    });
  }

  it.each([
    ["a living one is drained", {}, true],
    ["a dead one is not", { facts: healthy({ etcd: { a: "dead" } }) }, false],
    ["one that was given up is not", { lost: true }, false],
    ["nothing is drained for a past that ends", { restoring: true }, false],
    ["nothing is drained in a teardown", { how: "leave", tornDown: true }, false],
  ] as const)("%s", (_what, over, drain) => {
    expect(decideGate(input(over as Partial<GateInput>))).toMatchObject({ verdict: "pass", drain });
  });
});

it("a lease whose holder has left holds nobody back", () => {
  expect(heldByOther(healthy({ lease: lease("gone") }), "a")).toBeNull();
  expect(heldByOther(healthy({ lease: lease("b"), etcd: { b: null } }), "a")?.holder).toBe("b");
});
