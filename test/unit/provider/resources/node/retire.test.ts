import { expect, it } from "vitest";
import { wordLeaving } from "../../../../../provider/resources/node/retire.js";
import type { VoterState } from "../../../../../provider/rollout/facts.js";

it.each<[string, Record<string, VoterState>, RegExp]>([
  ["it lives", { a: "answers", b: "answers", c: "answers" }, /^c is leaving etcd$/],
  ["it is dead and the rest is well", { a: "answers", b: "answers", c: "dead" }, /the other control planes take its member out/],
  ["a learner is no voter", { a: "answers", b: "learner", c: "dead" }, /take its member out/],
  ["the rest has no majority", { a: "answers", b: "dead", c: "dead" }, /only 1 of the 2 others answer, 2 must/],
])("says what is waited for: %s", (_, etcd, words) => {
  expect(wordLeaving("c", etcd)).toMatch(words);
});
