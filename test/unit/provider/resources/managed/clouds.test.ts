import { describe, expect, it } from "vitest";
import type { CloudName } from "../../../../../constructs/spec/defaults.js";
import { evaluateCluster, evaluateGroup } from "../../../../../provider/resources/managed/evaluate.js";
import { managedClouds } from "../../../../../provider/resources/managed/input.js";
import { clusterOn } from "../../../../support/cloud-specs.js";

describe.each(managedClouds)("a managed cluster on %s", (cloud) => {
  const { spec, resources } = clusterOn(cloud as CloudName);

  it("and its groups are together what a stack of constructs has, nothing twice", () => {
    const cluster = evaluateCluster(spec).resources;
    const groups = Object.entries(spec.node_groups).flatMap(
      ([name, group]) => evaluateGroup({ ...spec, node_groups: { [name]: group } }, name).resources,
    );
    const parts = [...cluster, ...groups].filter(({ data }) => !data).map(({ name }) => name);
    const whole = resources.filter(({ data }) => !data).map(({ name }) => name);
    expect(parts.sort()).toEqual(whole.sort());
  });
});
