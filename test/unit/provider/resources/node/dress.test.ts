import { describe, expect, it } from "vitest";
import { type Dress, dressPatch, mergeTaints, parseTaint } from "../../../../../provider/resources/node/dress.js";
import { kubeNode, type NodeLook } from "../../../../support/kube-node.js";

const dress: Dress = { nodeName: "n", pool: "web", gen: "abcd", labels: { tier: "1" }, taints: ["a=b:NoSchedule"], uncordon: true };
const written = (labels: readonly string[], taints: readonly string[]) => ({
  "honest-paas.dev/written": JSON.stringify({ labels, taints }),
});
const dressed: NodeLook = {
  labels: { tier: "1", "honest-paas.dev/pool": "web", theirs: "x" },
  annotations: { "honest-paas.dev/gen": "abcd", ...written(["honest-paas.dev/pool", "tier"], ["a=b:NoSchedule"]) },
  spec: { taints: [{ key: "a", value: "b", effect: "NoSchedule" }] },
};
const patch = (look: NodeLook, change: Partial<Dress> = {}) => dressPatch(kubeNode("n", look), { ...dress, ...change });

describe("a Node", () => {
  it("that has everything on is left alone", () => {
    expect(patch(dressed)).toBeNull();
  });

  it("gets labels, taints and its mark", () => {
    expect(patch({})).toEqual({
      metadata: {
        resourceVersion: "7",
        labels: { tier: "1", "honest-paas.dev/pool": "web" },
        annotations: { "honest-paas.dev/gen": "abcd", ...written(["honest-paas.dev/pool", "tier"], ["a=b:NoSchedule"]) },
      },
      spec: { taints: [{ key: "a", value: "b", effect: "NoSchedule" }] },
    });
  });

  it("loses what we wrote and want no more, and nothing else", () => {
    const result = patch(dressed, { labels: {}, taints: [] }) as { metadata: { labels: unknown }; spec: unknown };
    expect(result.metadata.labels).toEqual({ tier: null });
    expect(result.spec).toEqual({ taints: null });
  });

  it("is uncordoned after a join, not at a label change", () => {
    const cordoned: NodeLook = {
      ...dressed,
      spec: { ...dressed.spec, unschedulable: true },
      annotations: { ...dressed.annotations, "honest-paas.dev/draining": "x" },
    };
    expect(patch(cordoned)).toEqual({
      metadata: { labels: {}, annotations: { "honest-paas.dev/draining": null } },
      spec: { unschedulable: null },
    });
    expect(patch(cordoned, { uncordon: false })).toBeNull();
  });

  it("with a broken note of what we wrote loses nothing", () => {
    expect(patch({ ...dressed, annotations: { ...dressed.annotations, "honest-paas.dev/written": "{" } }, { labels: {} })).toMatchObject({
      metadata: { labels: {} },
    });
  });
});

describe("taints", () => {
  it.each([
    ["a=b:NoSchedule", { key: "a", value: "b", effect: "NoSchedule" }],
    ["a:NoExecute", { key: "a", effect: "NoExecute" }],
    ["a=:NoSchedule", { key: "a", effect: "NoSchedule" }],
    ["x.io/y=z:PreferNoSchedule", { key: "x.io/y", value: "z", effect: "PreferNoSchedule" }],
    ["a=b", undefined],
    ["a=b:Never", undefined],
    ["=b:NoSchedule", undefined],
  ])("%s", (text, taint) => {
    expect(parseTaint(text)).toEqual(taint);
  });

  it("of others stay, a changed value replaces its own", () => {
    const present = [
      { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" },
      { key: "a", value: "1", effect: "NoSchedule" },
      { key: "old", effect: "NoExecute" },
    ];
    expect(mergeTaints(present, ["old:NoExecute"], ["a=2:NoSchedule"])).toEqual([
      present[0],
      { key: "a", value: "2", effect: "NoSchedule" },
    ]);
  });
});
