import { expect, it } from "vitest";
import { type NodeInput, nodeInput } from "../../../../../provider/resources/node/schema.js";
import { isFirstStep, isWaived, noSnapshotVariable, takers } from "../../../../../provider/resources/node/snapshot-first.js";
import type { SnapshotsFacts } from "../../../../../provider/rollout/facts.js";
import { type FactsChange, healthy } from "../../../../support/facts.js";

const access = { endpoint: "https://x", ca_bundle: "", client_ca_cert: "", client_ca_key: "" };
const node = (over: object = {}): NodeInput =>
  nodeInput({
    cluster: "demo",
    name: "a",
    role: "control-plane",
    pool: "cp",
    vm_id: "i-a",
    release: "r1",
    members: ["a", "b", "c"],
    access,
    ...over,
  });

it.each<[string, object, string | null, FactsChange, boolean]>([
  ["the first one", {}, "1.37.2", {}, true],
  ["another has moved", {}, "1.37.2", { nodes: { b: { version: "1.37.2" } } }, false],
  ["another has moved that is no member any more", { members: ["a"] }, "1.37.2", { nodes: { b: { version: "1.37.2" } } }, false],
  ["back, while one has moved", {}, "1.36.3", { nodes: { a: { version: "1.37.2" } } }, false],
  ["the same version", {}, "1.36.3", {}, false],
  ["a plan that did not know", {}, null, {}, false],
  ["a machine that never said its version", {}, "1.37.2", { nodes: { a: { version: null } } }, false],
  ["a worker", { role: "worker" }, "1.37.2", {}, false],
])("%s", (_, over, version, change, wanted) => {
  expect(isFirstStep(node(over), version, healthy(change))).toBe(wanted);
});

it("asks the others first, and only who answers and can", () => {
  const snapshots = {} as SnapshotsFacts;
  const all = { a: { snapshots }, b: { snapshots }, c: { snapshots } };
  expect(takers(node(), healthy({ nodes: all }))).toEqual(["b", "c", "a"]);
  expect(takers(node(), healthy({ nodes: { ...all, b: { snapshots, agentFresh: false } }, etcd: { c: "dead" } }))).toEqual(["a"]);
  expect(takers(node(), healthy())).toEqual([]);
});

it("is waived for the clusters that the environment names, and no others", () => {
  process.env[noSnapshotVariable] = "one, two";
  expect(["one", "two", "three", ""].map(isWaived)).toEqual([true, true, false, false]);
  delete process.env[noSnapshotVariable];
  expect(isWaived("one")).toBe(false);
});
