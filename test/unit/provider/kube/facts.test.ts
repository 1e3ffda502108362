import { describe, expect, it } from "vitest";
import { factsOf } from "../../../../provider/kube/facts.js";
import type { KubeObject } from "../../../../provider/kube/object.js";
import { decideGate } from "../../../../provider/rollout/gate.js";
import { nodeFacts } from "../../../support/facts.js";
import { kubeNode, type NodeLook } from "../../../support/kube-node.js";

const now = Date.parse("2026-06-01T12:00:00Z");
const second = 1_000;
const read = (nodes: readonly KubeObject[], more: { lease?: KubeObject; marker?: KubeObject } = {}) =>
  factsOf({ nodes, lease: more.lease, marker: more.marker, at: now });
const members = (...list: readonly [string, boolean, boolean?][]) =>
  list.map(([name, answers, learner = false]) => ({ name, answers, learner }));

describe("a node", () => {
  it.each<[string, NodeLook, object]>([
    [
      "whose agent reports",
      { agentAt: now - 20 * second, machineId: "i-1", release: "r1" },
      { agentFresh: true, machineId: "i-1", release: "r1" },
    ],
    ["whose agent is silent for a minute", { agentAt: now - 61 * second, machineId: "i-1" }, { agentFresh: false, machineId: "i-1" }],
    ["without a report", {}, { agentFresh: false, machineId: null, release: null }],
    ["whose report is no JSON", { annotations: { "honest-paas.dev/status": "{" } }, { agentFresh: false, machineId: null }],
    ["whose report is JSON of another kind", { annotations: { "honest-paas.dev/status": "[1]" } }, { machineId: null }],
    ["that is not Ready", { ready: false }, { ready: false }],
    ["that is cordoned", { spec: { unschedulable: true } }, { unschedulable: true }],
    ["that is being emptied", { annotations: { "honest-paas.dev/draining": "g" } }, { draining: true }],
    ["of a pool", { labels: { "honest-paas.dev/pool": "web" } }, { pool: "web" }],
    ["of the control plane without a pool label", { labels: { "node-role.kubernetes.io/control-plane": "" } }, { pool: "cp" }],
    ["with a mark", { annotations: { "honest-paas.dev/gen": "abcd" } }, { gen: "abcd", version: "1.36.3" }],
  ])("%s", (_, look, expected) => {
    expect(read([kubeNode("n", look)]).nodes.n).toMatchObject(expected);
  });
});

describe("certificates of a node", () => {
  const items = (list: object, problem: string | null = null) => ({
    annotations: { "honest-paas.dev/certificates": JSON.stringify({ items: list, problem }) },
  });
  const at = (seconds: number): string => new Date(now + seconds * second).toISOString();
  const facts = (look: NodeLook) => read([kubeNode("n", look)]).nodes.n;

  it("end when the earlier of disk and port does", () => {
    const list = {
      a: { not_after: at(90), served: at(30) },
      b: { not_after: at(60) },
      c: { served: at(10) },
      d: {},
      e: { not_after: "soon" },
    };
    expect(facts(items(list, "x"))?.certificates).toEqual({
      problem: "x",
      ends: { a: now + 30 * second, b: now + 60 * second, c: now + 10 * second },
    });
  });

  it.each([["{"], ["[]"], ['{"items": 5}'], ['"text"']])("are unknown when the report is %s", (text) => {
    const certificates = facts({ annotations: { "honest-paas.dev/certificates": text } })?.certificates;
    expect(certificates?.ends ?? {}).toEqual({});
  });

  it.each([
    ["ended and NotReady", -1, false, true],
    ["ended and Ready: the report is old", -1, true, undefined],
    ["NotReady, but it can still ask by itself", 60, false, undefined],
  ])("lock their node out when the kubelet's is %s", (_, seconds, ready, lockedOut) => {
    expect(facts({ ready, ...items({ "kubelet-client": { not_after: at(seconds) } }) })?.lockedOut).toBe(lockedOut);
  });
});

describe("etcd", () => {
  const cp = (name: string, age: number, list: ReturnType<typeof members>) =>
    kubeNode(name, { etcd: { at: now - age * second, members: list } });

  it("calls a member dead when no fresh witness has heard it, and disputed when only the newest has not", () => {
    const facts = read([
      cp("a", 5, members(["a", true], ["b", false], ["c", false])),
      cp("b", 9, members(["a", true], ["b", true], ["c", false])),
    ]);
    expect(facts.etcd).toEqual({ a: "answers", b: "disputed", c: "dead" });
  });

  it("does not take the word of a machine that died for its own member's health", () => {
    const all = (b: boolean) => members(["a", true], ["b", b], ["c", true]);
    const facts = read([cp("a", 3, all(false)), cp("b", 50, all(true)), cp("c", 8, all(false))]);
    expect(facts.etcd.b).toBe("disputed");
    // and nobody else is taken down on it
    const gate = {
      name: "a",
      how: "replace",
      gen: "g",
      vmId: "i",
      plannedVmId: null,
      members: ["a", "b", "c"],
      tornDown: false,
      everComplete: true,
      lost: false,
    } as const;
    const nodes = Object.fromEntries(["a", "b", "c"].map((name) => [name, nodeFacts()]));
    expect(decideGate({ ...gate, facts: { ...facts, complete: true, nodes } })).toMatchObject({ verdict: "wait", rule: "G5" });
  });

  it("believes the newest word of one that is back", () => {
    const all = (b: boolean) => members(["a", true], ["b", b]);
    expect(read([cp("a", 9, all(false)), cp("b", 2, all(true))]).etcd.b).toBe("answers");
  });

  it("takes the list of the youngest report: who left is in it no more", () => {
    const facts = read([cp("a", 20, members(["a", true], ["b", true])), cp("b", 2, members(["b", true]))]);
    expect(facts.etcd).toEqual({ b: "answers" });
  });

  it("does not believe a report that is a minute old", () => {
    expect(read([cp("a", 61, members(["a", true]))]).etcd).toEqual({});
  });

  it("tells a learner", () => {
    expect(read([cp("a", 1, members(["a", true], ["b", true, true]))]).etcd).toEqual({ a: "answers", b: "learner" });
  });
});

describe("marker and lease", () => {
  const object = (kind: string, more: object): KubeObject => ({ apiVersion: "x/v1", kind, metadata: { name: "x" }, ...more });

  it("is not complete without a marker", () => {
    expect(read([])).toMatchObject({ reachable: true, born: true, complete: false, tornDown: false, lease: null });
  });

  it("reads both", () => {
    const marker = object("ConfigMap", { data: { complete: "true", torn_down: "true" } });
    const lease: KubeObject = {
      ...object("Lease", { spec: { holderIdentity: "b", acquireTime: new Date(now - 90 * second).toISOString() } }),
      metadata: { name: "x", annotations: { "honest-paas.dev/drained": "true" } },
    };
    expect(read([], { marker, lease })).toMatchObject({
      complete: true,
      tornDown: true,
      lease: { holder: "b", drained: true, ageSec: 90 },
    });
  });

  it("takes a freed lease for none", () => {
    expect(read([], { lease: object("Lease", { spec: {} }) }).lease).toBeNull();
  });
});
