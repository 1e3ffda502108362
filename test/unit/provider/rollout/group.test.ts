import { describe, expect, it } from "vitest";
import type { Facts } from "../../../../provider/rollout/facts.js";
import { groupSentence } from "../../../../provider/rollout/group.js";
import type { PaceInput } from "../../../../provider/rollout/pace.js";
import { healthy, silent } from "../../../support/facts.js";

const names = ["a", "b", "c"];
const say = (name: string, facts: Facts | null, over: Partial<PaceInput> = {}): string | null =>
  groupSentence({
    name,
    role: "control-plane",
    pool: "cp",
    current: "r1",
    wanted: "r2",
    unknownInput: false,
    facts,
    members: names,
    roster: { a: "r2", b: "r2", c: "r2" },
    inOneApply: false,
    ...over,
  });

describe("every machine of a pool says the same", () => {
  it.each([
    ["a roll begins", healthy(), "a takes its new release now; b, c wait for their turn"],
    ["half-way", healthy({ nodes: { a: { release: "r2" } } }), "b takes its new release now; c waits for its turn"],
    ["a member is dead", healthy({ etcd: { c: "dead" } }), "c takes its new release now; a, b wait: etcd member c does not answer"],
    [
      "two are dead",
      healthy({ etcd: { b: "dead", c: "dead" } }),
      "b, c take their new release now; a waits: etcd member b, c do not answer",
    ],
    ["the window is closed", healthy({ windowOpen: false }), "nobody takes a new release now: the maintenance window is closed"],
    ["the API is silent", silent(), "nobody takes a new release now: https://127.0.0.1:1 refused the connection"],
    [
      "never read",
      null,
      "nobody takes a new release now: the cluster has not been read yet (refresh is off, or honest_boot has no access)",
    ],
    [
      "the first has it and is not Ready",
      healthy({ nodes: { a: { release: "r2", ready: false } } }),
      "nobody takes a new release now: a has the new release and is not Ready",
    ],
  ] as const)("%s", (_what, facts, sentence) => {
    const waiting = names.filter((name) => facts === null || facts.nodes[name]?.release !== "r2");
    expect(waiting.map((name) => say(name, facts))).toEqual(waiting.map(() => sentence));
  });
});

it("has nothing to say when nobody waits", () => {
  expect(say("a", healthy(), { inOneApply: true })).toBeNull();
  expect(say("a", healthy({}, ["a"]), { members: ["a"], roster: { a: "r2" } })).toBeNull();
  expect(say("c", healthy({ nodes: { a: { release: "r2" }, b: { release: "r2" } } }))).toBeNull();
});

it("cuts long lists", () => {
  const many = Array.from({ length: 40 }, (_, n) => `m${String(n).padStart(2, "0")}`);
  const roster = Object.fromEntries(many.map((name) => [name, "r2"]));
  expect(say("m00", healthy({}, many), { members: many, roster })).toBe(
    "m00 takes its new release now; m01, m02, m03, m04, m05, m06, m07, m08 and 31 more wait for their turn",
  );
});
