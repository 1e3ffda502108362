// One suite for every mapping: what any cloud has to do with a blueprint.
import { describe, expect, it } from "vitest";
import { build } from "../../../../constructs/blueprint/build.js";
import { local } from "../../../../constructs/iaas/local.js";
import { mapCluster } from "../../../../constructs/iaas/map.js";
import { mappingOf } from "../../../../constructs/iaas/registry.js";
import { refsIn, type VendorResource } from "../../../../constructs/iaas/resource.js";
import { specOf } from "../../../support/blueprint.js";

const everything = {
  control_plane: { replicas: 3, zones: ["a", "b"] },
  node_groups: { web: { scaling_config: { desired_size: 3 }, zones: ["a", "b"] }, none: { scaling_config: { desired_size: 0 } } },
};

// Clouds that need more than a name are in contract.test.ts.
describe.each(["local", "preview"])("%s", (cloud) => {
  const spec = specOf({ iaas: { [cloud]: {} }, ...everything });
  const mapping = mappingOf(spec);
  const blueprint = build(spec);
  const resources = mapCluster(spec, blueprint, mapping);
  const byName = new Map(resources.map((resource) => [resource.name, resource]));

  it("is the mapping that the spec names", () => {
    expect(mapping.name).toBe(cloud);
  });

  it("is pure", () => {
    expect(mapCluster(spec, blueprint, mapping)).toEqual(resources);
  });

  it("names every resource once, by its block", () => {
    expect(byName.size).toBe(resources.length);
    const known = new Set(blueprint.blocks.map((block) => block.id));
    const own = /^(pki|barrier|(cp|group)\/.*\/(boot|node))$/;
    for (const { name } of resources) expect(known.has(name) || own.test(name), name).toBe(true);
  });

  it("refers only to resources that it makes", () => {
    for (const resource of resources)
      for (const other of [...refsIn(resource.args), ...(resource.dependsOn ?? [])])
        expect(byName.has(other), `${resource.name} → ${other}`).toBe(true);
  });

  it("makes a resource for every machine, disk, network and balancer", () => {
    for (const block of blueprint.blocks)
      if (["machine", "disk", "network", "balancer"].includes(block.kind)) expect(byName.has(block.id), block.id).toBe(true);
  });

  it("keeps names within what the cloud takes", () => {
    for (const block of blueprint.blocks) expect(block.name.length).toBeLessThanOrEqual(mapping.limits.nameLength);
  });

  it("has outputs that exist", () => {
    const [member] = blueprint.controlPlanes;
    if (!member) throw new Error("no control plane");
    for (const out of [
      mapping.outputs.machineId(member.machine),
      mapping.outputs.machineAddress(member.machine),
      mapping.outputs.diskDevice(member.disk),
    ]) {
      expect(refsIn(out)).toHaveLength(1);
      for (const resource of refsIn(out)) expect(byName.has(resource), resource).toBe(true);
    }
  });

  it("does not change what is there when a group is added", () => {
    const more = specOf({
      iaas: { [cloud]: {} },
      ...everything,
      node_groups: { ...everything.node_groups, x: { scaling_config: { desired_size: 2 } } },
    });
    const after = new Map(mapCluster(more, build(more), mapping).map((resource) => [resource.name, resource]));
    const text = (of: VendorResource | undefined) => JSON.stringify(of);
    for (const resource of resources) if (resource.name !== "barrier") expect(text(after.get(resource.name))).toBe(text(resource));
  });
});

it("refuses a spec of another cloud", () => {
  const spec = specOf({ iaas: { preview: {} } });
  expect(() => mapCluster(spec, build(spec), local)).toThrow(/local mapping/);
});
