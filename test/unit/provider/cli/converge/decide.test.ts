import { describe, expect, it } from "vitest";
import { beginning, decide, idled, isRefusal, type Past, type Rules, went } from "../../../../../provider/cli/converge/decide.js";
import type { PlanView } from "../../../../../provider/cli/converge/plan-view.js";
import { change, roll, view } from "./plans.js";

const rules = (over: Partial<Rules> = {}): Rules => ({ limit: 100, yes: false, allowDestroy: false, ...over });
const passed = (...views: readonly PlanView[]): Past => views.reduce(went, beginning);
const blocked = view({ pending: 2 });
const disk = change("honest_local_disk.a", "delete");
const why = ["etcd member c does not answer."];

describe("next", () => {
  it.each([
    ["nothing to do", view(), beginning, rules(), { kind: "done" }],
    ["an output that changes is something to do", view({ outputsChange: true }), passed(roll(0)), rules(), { kind: "apply" }],
    ["the first plan is asked for", roll(0), beginning, rules(), { kind: "ask", destroys: [] }],
    ["not with --yes", roll(0), beginning, rules({ yes: true }), { kind: "apply" }],
    ["later ones are not", roll(1), passed(roll(0)), rules(), { kind: "apply" }],
    ["what is destroyed is asked for later too", view({ changes: [disk] }), passed(roll(0)), rules(), { kind: "ask", destroys: [disk] }],
    ["and with --yes", view({ changes: [disk] }), beginning, rules({ yes: true }), { kind: "ask", destroys: [disk] }],
    ["not with both", view({ changes: [disk] }), beginning, rules({ yes: true, allowDestroy: true }), { kind: "apply" }],
    [
      "the first is asked for all the same",
      view({ changes: [disk] }),
      beginning,
      rules({ allowDestroy: true }),
      { kind: "ask", destroys: [disk] },
    ],
    [
      "the limit",
      roll(1),
      passed(roll(0)),
      rules({ limit: 1 }),
      { kind: "stop", reason: expect.stringMatching(/^1 apply is done, which is --limit/) },
    ],
    ["done at the limit is done", view(), passed(roll(0)), rules({ limit: 1 }), { kind: "done" }],
  ] as const)("%s", (_, plan, past, given, expected) => {
    expect(decide(plan, why, past, given)).toEqual(expected);
  });
});

describe("no progress", () => {
  it("looks a second time when nobody may go, and stops with the reason", () => {
    expect(decide(blocked, why, beginning, rules())).toEqual({
      kind: "look-again",
      reason: "2 machines wait for a new release and nobody may take it: etcd member c does not answer.",
    });
    expect(decide(blocked, why, idled(beginning), rules())).toMatchObject({
      kind: "stop",
      reason: expect.stringContaining("etcd member c"),
    });
  });

  it("counts anew after something moved", () => {
    expect(decide(blocked, why, went(idled(beginning), roll(0)), rules())).toMatchObject({ kind: "look-again" });
  });

  it("applies the same plan twice and no more", () => {
    const ever = view({ changes: [change("time_static.now", "update")] });
    expect(decide(ever, [], went(beginning, ever), rules())).toEqual({ kind: "apply" });
    expect(decide(ever, [], went(went(beginning, ever), ever), rules())).toEqual({
      kind: "stop",
      reason: "the same plan came back after it was applied 2 times: time_static.now changes in every plan.",
    });
  });

  it("is not a plan that looks alike at another point of the roll", () => {
    const noise = change("time_static.now", "update");
    const steps = [0, 1, 2, 3].map((n) => view({ ...roll(n), changes: [noise] }));
    expect(decide(steps[3] ?? view(), [], steps.slice(0, 3).reduce(went, beginning), rules())).toEqual({ kind: "apply" });
  });
});

it.each([
  [["demo-cp-b was not taken down (honest_node.b)\nThe wait ..."], true],
  [["w was not emptied\nPods ..."], true],
  [["w was not emptied\nPods ...", "Error creating machine"], false],
  [["Error: quota"], false],
  [[], false],
])("%j is a refusal of the gate: %s", (errors, is) => {
  expect(isRefusal(errors)).toBe(is);
});
