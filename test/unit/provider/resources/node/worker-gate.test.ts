import { expect, it } from "vitest";
import type { NodeInput } from "../../../../../provider/resources/node/schema.js";
import { type WorkerGateInput, workerGate } from "../../../../../provider/resources/node/worker-gate.js";
import type { Facts, NodeFacts } from "../../../../../provider/rollout/facts.js";

const node = { nodeName: "w" } as NodeInput;
const alive: NodeFacts = {
  pool: "w",
  ready: true,
  release: "r",
  version: "1.36.3",
  machineId: "i-1",
  agentFresh: true,
  gen: "g",
  unschedulable: false,
};
const facts: Facts = {
  reachable: true,
  born: true,
  complete: true,
  tornDown: false,
  windowOpen: true,
  lease: null,
  etcd: {},
  nodes: { w: alive },
};
const outage: Facts = { ...facts, reachable: false, complete: false, nodes: {}, unreachable: "refused" };

it.each<[string, Partial<WorkerGateInput>, object]>([
  ["a living node is drained", {}, { verdict: "pass", drain: true }],
  [
    "a dead one has nothing to drain",
    { facts: { ...facts, nodes: { w: { ...alive, ready: false, agentFresh: false } } } },
    { verdict: "pass", drain: false },
  ],
  [
    "one that is not Ready but whose agent reports is drained",
    { facts: { ...facts, nodes: { w: { ...alive, ready: false } } } },
    { verdict: "pass", drain: true },
  ],
  ["one that is not there passes", { facts: { ...facts, nodes: {} } }, { verdict: "pass", drain: false }],
  ["a successor of the same name is left alone", { gen: "older" }, { verdict: "skip" }],
  ["a Node without a mark is ours", { facts: { ...facts, nodes: { w: { ...alive, gen: null } } } }, { verdict: "pass", drain: true }],
  ["nobody answers: it waits", { facts: outage }, { verdict: "wait" }],
  [
    "nobody answers and nobody has seen the cluster complete: a birth that failed",
    { facts: outage, everComplete: false, how: "leave" },
    { verdict: "pass", rule: "G3" },
  ],
  ["the same, but it is only replaced", { facts: outage, everComplete: false, how: "replace" }, { verdict: "wait" }],
  [
    "never handed over: no workloads of anybody",
    { facts: { ...facts, complete: false }, everComplete: false },
    { verdict: "pass", drain: false },
  ],
  ["torn down by this run", { tornDown: true, facts: outage }, { verdict: "pass", rule: "G3" }],
  ["torn down by an earlier run", { facts: { ...facts, tornDown: true } }, { verdict: "pass", rule: "G3" }],
  ["torn down opens for leave alone", { tornDown: true, how: "replace" }, { verdict: "pass", drain: true }],
  ["given up by a person", { facts: outage, lost: true }, { verdict: "pass", drain: false, rule: "G9" }],
])("%s", (_, change, verdict) => {
  expect(workerGate({ node, how: "leave", gen: "g", facts, tornDown: false, everComplete: true, lost: false, ...change })).toMatchObject(
    verdict,
  );
});
