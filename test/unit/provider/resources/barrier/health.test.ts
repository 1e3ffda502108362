// What a plan says of machines that are not well: the agents' words, of those that speak.
import { describe, expect, it } from "vitest";
import { healthReport } from "../../../../../provider/kube/node-status.js";
import { healthWarnings } from "../../../../../provider/resources/barrier/health.js";
import type { HealthFacts, NodeFacts } from "../../../../../provider/rollout/facts.js";

const well: HealthFacts = { problems: [], healed: [], selfHeal: true, maintenance: null };
const node = (health: Partial<HealthFacts> | undefined, agentFresh = true): NodeFacts => ({
  pool: "cp",
  ready: true,
  release: "r1",
  version: "1.36.3",
  machineId: "i-1",
  agentFresh,
  gen: null,
  unschedulable: false,
  ...(health ? { health: { ...well, ...health } } : {}),
});
const words = (nodes: Readonly<Record<string, NodeFacts>>): string => healthWarnings("demo", nodes)[0]?.detail ?? "";

describe("the plan's warning about machines that are not well", () => {
  it("is one for the cluster, and none when nothing is wrong or nobody speaks", () => {
    expect(healthWarnings("demo", { a: node({}), b: node(undefined), c: node({ problems: ["old news"] }, false) })).toEqual([]);
    const found = healthWarnings("demo", { b: node({ problems: ["kubelet is stopped"] }), a: node({ problems: ["x", "y"] }) });
    expect(found).toHaveLength(1);
    expect(found[0]?.summary).toBe("Machines of cluster demo are not well");
    expect(found[0]?.detail).toMatch(/^a: x; y\. b: kubelet is stopped\. What the agents saw and did: kubectl get events/);
  });

  it("says why nobody mends it", () => {
    expect(words({ a: node({ problems: ["x"], selfHeal: false }) })).toContain("a: x (self_heal is off: nobody mends it)");
    expect(words({ a: node({ problems: ["x"], maintenance: "Ann, disks" }) })).toContain("a: x (in maintenance: Ann, disks)");
  });
});

describe("the annotation", () => {
  const report = (text: string | undefined): HealthFacts | null =>
    healthReport({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "a", annotations: text === undefined ? {} : { "honest-paas.dev/health": text } },
    });

  it.each<[string | undefined, HealthFacts | null]>([
    [undefined, null],
    ["no json", null],
    ["{}", well],
    ['{"problems": "x", "healed": 7, "self_heal": "maybe", "maintenance": 1}', well],
    [
      '{"problems": ["x", 7, ""], "healed": [{"at": "t", "what": "w"}, {}, "y"]}',
      { ...well, problems: ["x"], healed: [{ at: "t", what: "w" }] },
    ],
    ['{"problems": [], "healed": [], "self_heal": false, "maintenance": "Ann"}', { ...well, selfHeal: false, maintenance: "Ann" }],
  ])("%s", (text, facts) => {
    expect(report(text)).toEqual(facts);
  });
});
