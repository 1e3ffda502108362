// Random lives of a control plane: edits, typos, taints, replacements, dead and mended machines, cut networks, kills, few
// slots, no refresh, growth and shrinking between one, three and five. The laws: no living voter goes when that leaves fewer than a majority, nor while another that we took
// down has not come back; no apply hangs; what was mended comes to the wanted release.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideGate, type GateInput, type GateVerdict } from "../../../../provider/rollout/gate.js";
import { RollModel } from "../../../support/roll-model.js";

const names = ["a", "b", "c", "d", "e"] as const;
const members = fc.constantFrom(3, 5);
const name = fc.nat({ max: 4 });

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("apply" as const),
      refresh: fc.nat(5),
      slots: fc.constantFrom(1, 2, 10),
      all: fc.boolean(),
      replace: fc.array(name, { maxLength: 3 }),
      kill: fc.nat(40),
      faultAt: fc.nat(60),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("edit" as const), typo: fc.nat(3) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("fault" as const),
      kind: fc.constantFrom("kill" as const, "kubelet" as const, "vanish" as const, "heal" as const),
      who: name,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("taint" as const), who: name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("resize" as const), size: fc.constantFrom(1, 3, 5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("network" as const), up: fc.boolean() }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function live(size: number, steps: readonly Step[], seed: number, gate?: (input: GateInput) => GateVerdict): RollModel {
  const model = new RollModel(names.slice(0, size), gate);
  const who = (n: number): string => model.names[n % model.names.length] ?? "a";
  // a small generator of our own: the same seed gives the same order of steps
  let at = seed >>> 0;
  const chance = (n: number): number => {
    at = (Math.imul(at, 1_664_525) + 1_013_904_223) >>> 0;
    return n === 0 ? 0 : (at >>> 8) % n;
  };
  let edits = 1;
  for (const one of steps) {
    if (one.do === "apply") {
      const options = {
        slots: one.slots,
        inOneApply: one.all,
        replace: one.replace.map(who),
        killAfter: one.kill > 30 ? Infinity : one.kill,
      };
      model.apply({ ...options, refresh: one.refresh > 0, faultAt: one.faultAt }, chance);
    } else if (one.do === "edit") {
      edits += 1;
      model.wanted = `r${edits}`;
      if (one.typo === 0) model.broken.add(model.wanted);
    } else if (one.do === "fault") model.fault(one.kind, who(one.who));
    else if (one.do === "taint") {
      const recorded = model.state.get(who(one.who));
      if (recorded) recorded.tainted = true;
    } else if (one.do === "resize") model.resize(names.slice(0, one.size));
    else model.network = one.up;
  }
  return model;
}

/** Everything is mended and the edit is right: a few applies have to bring all to the wanted release. */
function mend(model: RollModel, chance: (n: number) => number): void {
  model.network = true;
  model.wanted = "r-final";
  for (const one of names) model.fault("heal", one);
  // two of three are gone, and the number was lowered to one: without a majority nobody can leave, so the edit is taken back
  if (model.living < model.majority) model.resize(names.slice(0, model.members.has("d") || model.members.has("e") ? 5 : 3));
  for (let round = 0; round < names.length * 2 + 2; round += 1) {
    for (const one of names) model.fault("heal", one);
    // what never came up and still stands there, of a cluster that has lost its majority, only a person can give up; what is
    // gone the cloud itself gives up
    const lost = names.filter((one) => !model.votes(one) && (model.machines.get(one) != null || model.state.get(one)?.tainted));
    model.apply({ lost, refresh: true, slots: 10, inOneApply: false, replace: [], killAfter: Infinity, faultAt: -1 }, chance);
  }
}

const lives = 10_000;
/** A control run stops at the first life that breaks the law. */
const runs = 2_000;

describe("a control plane under everything at once", () => {
  it("never loses its majority by our hand", () => {
    fc.assert(
      fc.property(members, fc.array(step, { maxLength: 25 }), fc.nat(), (size, steps, seed) => {
        expect(live(size, steps, seed).violations).toEqual([]);
      }),
      { numRuns: lives },
    );
  }, 180_000);

  it("comes to the wanted release when faults are mended", () => {
    fc.assert(
      fc.property(members, fc.array(step, { maxLength: 15 }), fc.nat(), (size, steps, seed) => {
        const model = live(size, steps, seed);
        let at = seed;
        mend(model, (n) => {
          at = (Math.imul(at, 69_069) + 1) >>> 0;
          return n === 0 ? 0 : (at >>> 8) % n;
        });
        expect(model.violations).toEqual([]);
        expect(model.names.map((one) => model.machines.get(one)?.release)).toEqual(model.names.map(() => "r-final"));
        // nobody is left in etcd who is not wanted, and nobody is missing
        expect([...model.members].sort()).toEqual([...model.names].sort());
      }),
      { numRuns: lives / 2 },
    );
  }, 180_000);

  it("would be seen to lose it if the gate stood open: the test can fail", () => {
    const open = (): GateVerdict => ({ verdict: "pass", drain: false });
    const found = fc.check(
      fc.property(
        members,
        fc.array(step, { maxLength: 25 }),
        fc.nat(),
        (size, steps, seed) => live(size, steps, seed, open).violations.length === 0,
      ),
      { numRuns: runs, endOnFailure: true },
    );
    expect(found.failed).toBe(true);
  });

  it("would be seen to lose it if Ready were the measure instead of the vote", () => {
    const byReady = (input: GateInput): GateVerdict => {
      const { facts } = input;
      const etcd = Object.fromEntries(
        Object.entries(facts.nodes).map(([one, node]) => [one, node.ready ? ("answers" as const) : ("dead" as const)]),
      );
      return decideGate({ ...input, facts: { ...facts, etcd } });
    };
    const found = fc.check(
      fc.property(
        members,
        fc.array(step, { maxLength: 25 }),
        fc.nat(),
        (size, steps, seed) => live(size, steps, seed, byReady).violations.length === 0,
      ),
      { numRuns: runs, endOnFailure: true },
    );
    expect(found.failed).toBe(true);
  });
});
