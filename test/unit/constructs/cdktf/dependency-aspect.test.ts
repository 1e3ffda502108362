import { Aspects, TerraformStack, Testing } from "cdktf";
import { Construct } from "constructs";
import { describe, expect, it } from "vitest";
import { Element, ProviderElement } from "../../../../constructs/cdktf/element.js";
import { Cluster, DependencyAspect } from "../../../../constructs/index.js";
import { nullProviderConfig } from "../../../support/null-config.js";
import { graphOf, type StackJson } from "../../../support/stack-graph.js";

const stack = () => {
  const of = new TerraformStack(Testing.app(), "s");
  new ProviderElement(of, "null", nullProviderConfig);
  return of;
};
const thing = (scope: Construct, id: string) => new Element(scope, id, { type: "null_resource", args: () => ({}), dependsOn: () => [] });
const graph = (of: TerraformStack) => graphOf(JSON.parse(Testing.synth(of, true)) as StackJson);

describe("DependencyAspect", () => {
  it("has everything in one construct wait for everything in another", () => {
    const of = stack();
    Aspects.of(of).add(new DependencyAspect());
    const [first, second] = [new Construct(of, "first"), new Construct(of, "second")];
    const [a, b] = [thing(first, "a"), thing(second, "b")];
    second.node.addDependency(first);
    expect([...graph(of).direct(b.address)]).toEqual([a.address]);
    expect([...graph(of).direct(a.address)]).toEqual([]);
  });

  it("is in every cluster: what a cluster depends on is there first", () => {
    const of = stack();
    const before = thing(new Construct(of, "before"), "x");
    const cluster = new Cluster(of, "demo", { version: "1.36.3", iaas: { preview: {} } });
    cluster.node.addDependency(before);
    const made = graph(of);
    for (const address of made.nodes.keys())
      if (address !== before.address) expect(made.direct(address).has(before.address), address).toBe(true);
  });

  it("waits for a cluster's hand-over, not for each block", () => {
    const of = stack();
    Aspects.of(of).add(new DependencyAspect());
    const cluster = new Cluster(of, "demo", { version: "1.36.3", iaas: { preview: {} } });
    const after = thing(new Construct(of, "after"), "x");
    after.node.addDependency(cluster);
    expect([...graph(of).direct(after.address)]).toEqual([expect.stringMatching(/^null_resource\.demo_barrier_/)]);
  });
});
