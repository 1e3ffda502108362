// The contract of a cloud, held by every mapping of the registry: blocks, names, machines, what is open, what is secret.
// A new cloud is in all of it by its line in the registry and its line in test/support/cloud-specs.ts.
import { describe, expect, it } from "vitest";
import type { BlockKind } from "../../../../constructs/blueprint/block.js";
import { build } from "../../../../constructs/blueprint/build.js";
import { unhonoured } from "../../../../constructs/iaas/honour.js";
import { mapCluster } from "../../../../constructs/iaas/map.js";
import { nameProblems } from "../../../../constructs/iaas/names.js";
import { mappingOf } from "../../../../constructs/iaas/registry.js";
import { type Arg, isRef, isText, refsIn, type VendorResource } from "../../../../constructs/iaas/resource.js";
import type { CloudName } from "../../../../constructs/spec/defaults.js";
import { specOf } from "../../../support/blueprint.js";
import { clouds, clusterOn, inputOf } from "../../../support/cloud-specs.js";

const noMachines = "no cloud: its machines are null_resources and the kit's own resources too";

/** Kinds of blocks that a cloud makes no resource of, with the reason. */
const noResource: Readonly<Partial<Record<CloudName, Readonly<Partial<Record<BlockKind, string>>>>>> = {
  local: {
    subnet: "the engine's network is one",
    firewall: "the engine's network is closed to everything outside",
    address: "a container takes an address without reserving it",
  },
  hcloud: {
    firewall: "rules are part of the one firewall, which sees the public side only; between machines the network is open",
    address: "servers and the balancer take their private addresses by themselves",
  },
};

/** Every reference of an argument, with its attribute. */
function references(value: Arg): readonly { readonly resource: string; readonly attribute: string }[] {
  if (isRef(value)) return [value];
  if (isText(value)) return value.parts.flatMap((part) => (isRef(part) ? [part] : []));
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(references);
}

describe.each(clouds)("%s", (cloud) => {
  const { spec, mapping, blueprint, resources, byName, vendors } = clusterOn(cloud, cloud === "local" ? {} : { public: true });
  const machineTypes = Object.keys(mapping.machines);
  const members = [...blueprint.controlPlanes, ...blueprint.groups.flatMap((group) => group.workers)];

  it("takes the cluster of this suite", () => {
    expect(unhonoured(spec, mapping)).toEqual([]);
    expect(mappingOf(spec).name).toBe(cloud);
  });

  it("is pure, and names every resource once", () => {
    expect(mapCluster(spec, blueprint, mapping)).toEqual(resources);
    expect(byName.size).toBe(resources.length);
  });

  it("makes something of every kind of block, or says why not", () => {
    const own = (id: string) => vendors.filter(({ name }) => name === id || name.startsWith(`${id}-`)).length;
    const kinds = new Set(blueprint.blocks.map(({ kind }) => kind));
    for (const kind of kinds) {
      const made = blueprint.blocks.filter((block) => block.kind === kind).reduce((sum, { id }) => sum + own(id), 0);
      const why = noResource[cloud]?.[kind];
      expect(made > 0, `${kind}: ${why ?? "nothing is made, and nobody says why"}`).toBe(why === undefined);
    }
  });

  it("names resources by their blocks, or as shared", () => {
    const known = blueprint.blocks.map(({ id }) => id);
    for (const { name } of vendors)
      if (!/^(pki|barrier|(cp|group)\/.*\/(boot|node))$/.test(name))
        expect(name.startsWith("shared/") || known.some((id) => name === id || name.startsWith(`${id}-`)), name).toBe(true);
  });

  it("makes a resource of its own for every machine and etcd disk", () => {
    for (const block of blueprint.blocks)
      if (block.kind === "machine" || block.kind === "disk") expect(byName.has(block.id), block.id).toBe(true);
  });

  it("refers only to what is there", () => {
    for (const { name, args, dependsOn } of resources)
      for (const other of [...refsIn(args), ...(dependsOn ?? [])]) expect(byName.has(other), `${name} → ${other}`).toBe(true);
  });

  it("has names that the cloud takes, also the longest ones, each once", () => {
    const long = { name: "a".repeat(20), groups: { [`g${"r".repeat(12)}`]: { ...(inputOf(cloud).node_groups as { web: object }).web } } };
    const { resources: longest } = clusterOn(cloud, cloud === "local" ? long : { ...long, public: true });
    expect(nameProblems(longest, mapping)).toEqual([]);
  });

  it("has a machine where its etcd disk is", () => {
    for (const member of blueprint.controlPlanes) {
      const disk = blueprint.blocks.find(({ id }) => id === member.disk);
      expect(disk?.kind === "disk" && disk.zone).toBe(member.zone);
      const zone = ["availability_zone", "location", "zone", "triggers"];
      const at = (name: string) => zone.map((key) => byName.get(name)?.args[key]).find((value) => value !== undefined);
      const [machine, volume] = [at(member.machine), at(member.disk)];
      const inZone = (value: Arg | undefined) => (value as { zone?: string } | undefined)?.zone ?? value;
      expect(inZone(volume), member.disk).toBe(member.zone);
      if (machine !== undefined) expect(inZone(machine), member.machine).toBe(member.zone);
    }
  });

  describe("a machine", () => {
    const unneeded = mapping.standIn === undefined ? null : noMachines;
    const made = members.flatMap((member) => {
      const resource = byName.get(member.machine);
      return resource ? [{ member, resource, lists: mapping.machines[resource.type] }] : [];
    });

    it.skipIf(unneeded !== null)("takes what restarts it from its own boot resource and from nowhere else", () => {
      for (const { member, resource, lists } of made) {
        if (!lists) throw new Error(`${resource.type} has no lists of arguments`);
        const boot = `${member.id}/boot`;
        for (const argument of lists.boot) {
          const value = resource.args[argument] ?? null;
          if (value !== null) expect([...new Set(refsIn(value))], `${resource.name}.${argument}`).toEqual([boot]);
        }
        const others = [...lists.fixed, ...lists.inPlace];
        const ignored = resource.lifecycle?.ignoreChanges ?? [];
        for (const [argument, value] of Object.entries(resource.args))
          if (!lists.boot.includes(argument) && !ignored.includes(argument))
            expect(
              refsIn(value).filter((other) => other.endsWith("/boot")),
              `${resource.name}.${argument}`,
            ).toEqual(others.includes(argument) && lists.fixed.includes(argument) ? refsIn(value).filter((other) => other === boot) : []);
      }
    });

    it.skipIf(unneeded !== null)("has each argument in exactly one list", () => {
      for (const { resource, lists } of made) {
        const all = [...(lists?.boot ?? []), ...(lists?.fixed ?? []), ...(lists?.inPlace ?? [])];
        expect(new Set(all).size).toBe(all.length);
        for (const argument of Object.keys(resource.args)) expect(all, `${resource.name}.${argument}`).toContain(argument);
      }
    });

    it.skipIf(unneeded !== null)("is made once for each member, workers before their predecessors go and control planes after", () => {
      expect(made).toHaveLength(members.length);
      for (const { member, resource } of made)
        expect(resource.lifecycle?.createBeforeDestroy ?? false, resource.name).toBe(member.role === "worker");
    });
  });

  it("puts nothing secret into an argument but user-data", () => {
    for (const { name, type, args } of vendors) {
      if (type === "null_resource") continue;
      const lists = mapping.machines[type];
      for (const { resource, attribute } of references(args)) {
        expect(resource, `${name}: ${resource}.${attribute}`).not.toBe("pki");
        if (resource.endsWith("/boot")) expect(machineTypes, `${name}: ${resource}.${attribute}`).toContain(type);
      }
      for (const [argument, value] of Object.entries(args))
        if (references(value).some(({ attribute }) => attribute === "user_data"))
          expect(lists?.boot, `${name}.${argument}`).toContain(argument);
    }
  });

  it("changes nothing of what is there when a group is added", () => {
    const group = { ...(inputOf(cloud).node_groups as { batch: object }).batch };
    const want = cloud === "local" ? {} : { public: true };
    const { byName: after } = clusterOn(cloud, { ...want, groups: { x: group } });
    const same = (of: VendorResource | undefined) => JSON.stringify({ ...of, args: of?.args });
    for (const resource of resources)
      if (resource.name !== "barrier" && !resource.name.startsWith("shared/"))
        expect(same(after.get(resource.name)), resource.name).toBe(same(resource));
  });

  it("keeps what cannot be made again while the cluster is protected", () => {
    const kept = (of: readonly VendorResource[]) => of.filter(({ lifecycle }) => lifecycle?.preventDestroy).map(({ name }) => name);
    for (const member of blueprint.controlPlanes) expect(kept(resources)).toContain(member.disk);
    expect(kept(resources)).toEqual(expect.arrayContaining(["network", "pki", "barrier"]));
    const open = clusterOn(cloud, { ...(cloud === "local" ? {} : { public: true }), more: { deletion_protection: false } });
    expect(kept(open.resources)).toEqual([]);
  });

  it("does not change a machine by the size of the cluster or by a label", () => {
    const want = cloud === "local" ? {} : { public: true };
    const groups = inputOf(cloud).node_groups as { web: object; batch: object };
    const other = clusterOn(cloud, {
      ...want,
      groups: { web: { ...groups.web, scaling_config: { desired_size: 4 }, labels: { tier: "web" } } },
    });
    for (const { machine } of members) expect(JSON.stringify(other.byName.get(machine)), machine).toBe(JSON.stringify(byName.get(machine)));
  });
});

it("says which fields a cloud does not have, and what to do instead", () => {
  for (const cloud of clouds) {
    const { mapping } = clusterOn(cloud);
    for (const [path, fix] of Object.entries(mapping.unsupported)) expect(fix.length, `${cloud} ${path}`).toBeGreaterThan(15);
  }
  const spec = specOf({ vpc_config: { network_id: "theirs", cidr: "10.98.0.0/24" } });
  expect(unhonoured(spec, mappingOf(spec))).toMatchObject([
    { code: "cloud.unsupported", path: ["vpc_config", "network_id"], message: 'the cloud "local" has no such thing' },
  ]);
  expect(build(spec).blocks).toContainEqual(expect.objectContaining({ kind: "network", existing: "theirs" }));
});
