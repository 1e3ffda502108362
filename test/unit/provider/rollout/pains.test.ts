// The ways in which others lost clusters, each as facts and as what may happen next. The number is the pain's in the facts
// that the design was made from: 1 one edit takes all, 2 node 0 begins anew, 3 members left or taken too early, 4 disks
// wiped, 9 certificates ended in silence, 10 upgrades that jump, 11 restores that bring back the past, 23 an API behind its
// own balancer.
import { describe, expect, it } from "vitest";
import { decideGate, type GateInput } from "../../../../provider/rollout/gate.js";
import { decidePace, type PaceInput } from "../../../../provider/rollout/pace.js";
import { controlPlaneVersionProblem } from "../../../../provider/rollout/versions.js";
import { type FactsChange, healthy, nodeFacts, silent } from "../../../support/facts.js";

const members = ["a", "b", "c"] as const;
type Member = (typeof members)[number];
type Ways = Readonly<Record<Member, string>>;
const roster = { a: "r2", b: "r2", c: "r2" };
const forAll = (say: (name: Member) => string): Ways => ({ a: say("a"), b: say("b"), c: say("c") });

/** What each control plane does when all are given a new release. */
const pace = (change: FactsChange | "silent", over: Partial<PaceInput> = {}): Ways =>
  forAll((name) => {
    const facts = change === "silent" ? silent() : healthy(change);
    const base = { role: "control-plane", pool: "cp", version: "1.36.3", current: "r1", wanted: "r2", unknownInput: false } as const;
    const { action, rule } = decidePace({ ...base, name, facts, members, roster, inOneApply: false, ...over });
    return `${action} ${rule}`;
  });
/** What the gate says of each when a person wants all three machines replaced. */
const gate = (change: FactsChange | "silent", over: Partial<GateInput> = {}): Ways =>
  forAll((name) => {
    const facts = change === "silent" ? silent() : healthy(change);
    const base = { how: "replace", gen: `g-${name}`, vmId: `i-${name}`, plannedVmId: null, tornDown: false, everComplete: true } as const;
    const { verdict, rule } = decideGate({ ...base, name, members, facts, lost: false, ...over });
    return `${verdict} ${rule}`;
  });
const lease = (holder: string) => ({ lease: { holder, drained: true, ageSec: 10 } });
const all = (what: string): Ways => ({ a: what, b: what, c: what });

type Row = readonly [pain: number, what: string, got: Ways, wanted: Ways];
const rows: readonly Row[] = [
  [1, "one edit of everybody's spec: one takes it", pace({}), { a: "take 15", b: "wait 15", c: "wait 15" }],
  [
    1,
    "another kit renders other bytes of the same release: nobody",
    pace({}, { wanted: "r1", roster: { a: "r1", b: "r1", c: "r1" } }),
    all("keep 3"),
  ],
  [1, "an input that is only known after apply: nobody", pace({}, { unknownInput: true }), all("no-op 2")],
  [
    1,
    "all three machines replaced by hand: once one has gone, nobody else",
    gate(lease("a")),
    { a: "pass G6", b: "wait G6", c: "wait G6" },
  ],
  [
    1,
    "and while its successor is booting",
    gate({ ...lease("a"), etcd: { a: "dead" }, nodes: { a: { ready: false, agentFresh: false } } }),
    { a: "pass G4", b: "wait G6", c: "wait G6" },
  ],
  [2, "no index is special: any of three may go first when all are well", gate({}), all("pass G6")],
  [
    2,
    "node 0 is gone with its disk: it takes what is wanted, the others stay",
    pace({ etcd: { a: null } }),
    { a: "take 8", b: "wait 10", c: "wait 10" },
  ],
  [2, "node 0 is all that is left and nobody answers: it is not the whole cluster", gate("silent"), all("wait G4")],
  [2, "and no machine is given another document", pace("silent"), all("wait 6")],
  [
    3,
    "a successor is only a learner yet: no second voter goes",
    gate({ etcd: { a: "learner" } }),
    { a: "pass G6", b: "wait G5", c: "wait G5" },
  ],
  [
    3,
    "nor does a voter take a release; the learner itself has no vote to lose",
    pace({ etcd: { a: "learner" } }),
    { a: "take 15", b: "wait 10", c: "wait 10" },
  ],
  [
    3,
    "a machine that never joined left a member that never answered: it is corrected, nobody else moves",
    pace({ ...lease("a"), etcd: { a: "dead" }, nodes: { a: { ready: false, release: "r-typo" } } }),
    { a: "take 8", b: "wait 10", c: "wait 10" },
  ],
  [3, "an unstarted member of nobody's: it must leave first", pace({ etcd: { d: "dead" } }), all("wait 9")],
  [3, "and holds every gate", gate({ etcd: { d: "dead" } }), all("wait G5")],
  [3, "one voter is dead: only that one may be replaced", gate({ etcd: { c: "dead" } }), { a: "wait G5", b: "wait G5", c: "pass G4" }],
  [
    3,
    "its Node is fresh all the same: age and readiness are no votes",
    gate({ etcd: { c: "dead" }, nodes: { c: { ready: true } } }),
    { a: "wait G5", b: "wait G5", c: "pass G4" },
  ],
  [
    3,
    "two are dead: both may be replaced, the living one may not",
    gate({ etcd: { b: "dead", c: "dead" } }),
    { a: "wait G5", b: "pass G4", c: "pass G4" },
  ],
  [
    4,
    "an etcd that refuses a foreign or empty disk does not answer: the others wait for it",
    pace({ etcd: { b: "dead" }, nodes: { b: { ready: true } } }),
    { a: "wait 10", b: "take 8", c: "wait 10" },
  ],
  [
    4,
    "witnesses disagree about one whose disk stalls: neither counted on nor given up",
    gate({ etcd: { b: "disputed" } }),
    { a: "wait G5", b: "pass G6", c: "wait G5" },
  ],
  [9, "certificates of the API ended and nobody can ask it: nothing moves", pace("silent"), all("wait 6")],
  [9, "nor is anything taken down", gate("silent"), all("wait G4")],
  [
    9,
    "one kubelet's certificate ended: it goes first, healthy ones wait",
    pace({ nodes: { c: { ready: false, lockedOut: true } } }),
    { a: "wait 15", b: "wait 15", c: "take 15" },
  ],
  [
    9,
    "and the gate lets nobody else",
    gate({ nodes: { c: { ready: false, lockedOut: true } } }),
    { a: "wait G6", b: "wait G6", c: "pass G6" },
  ],
  [
    10,
    "killed half-way: the machine that runs it already is only written down",
    pace({ nodes: { a: { release: "r2" } } }),
    { a: "take 7", b: "take 15", c: "wait 15" },
  ],
  [
    10,
    "the first on the new version is not Ready: nobody follows",
    pace({ nodes: { a: { release: "r2", ready: false } } }),
    { a: "take 7", b: "wait 11", c: "wait 11" },
  ],
  [11, "a restore brought back a member that is configured no more", pace({ etcd: { old: "answers" } }), all("wait 9")],
  [
    11,
    "and a Node of long ago, which is nobody's vote",
    pace({ nodes: { old: { ready: false } } }),
    { a: "take 15", b: "wait 15", c: "wait 15" },
  ],
  [23, "the balancer has nobody behind it while all live: silence is no death", gate("silent"), all("wait G4")],
  [23, "but for a machine that its cloud no longer knows", gate("silent", { machineGone: true }), all("pass G4")],
];

describe("what others lost clusters by", () => {
  for (const [pain, what, got, wanted] of rows) {
    it(`${pain}: ${what}`, () => {
      expect(got).toEqual(wanted);
    });
  }

  it("10: no worker goes before every control plane is there", () => {
    const nodes = { "w-0-0aaaa": nodeFacts({ pool: "w" }) };
    const worker = (over: FactsChange): string => {
      const base = { role: "worker", pool: "w", version: "1.37.2", current: "r1", wanted: "r2", unknownInput: false } as const;
      const facts = healthy({ ...over, nodes: { ...nodes, ...over.nodes } });
      const { action, rule } = decidePace({ ...base, name: "w-0", facts, members, roster: { "w-0": "r2" }, inOneApply: false });
      return `${action} ${rule}`;
    };
    const at = (version: string) => ({ version });
    expect(worker({})).toBe("wait 12");
    expect(worker({ nodes: { a: at("1.37.2"), b: at("1.37.2") } })).toBe("wait 12");
    expect(worker({ nodes: { a: at("1.37.2"), b: at("1.37.2"), c: at("1.37.2") } })).toBe("take 15");
  });

  it("10: no jump over a minor, and no way back", () => {
    expect(controlPlaneVersionProblem("1.37.2", { a: "1.35.8", b: "1.35.8", c: "1.35.8" })?.code).toBe("version.skip");
    expect(controlPlaneVersionProblem("1.36.3", { a: "1.37.2", b: "1.37.2", c: "1.36.3" })?.code).toBe("version.downgrade");
    expect(controlPlaneVersionProblem("1.37.2", { a: "1.36.3", b: "1.36.3", c: "1.36.3" })).toBeNull();
  });
});
