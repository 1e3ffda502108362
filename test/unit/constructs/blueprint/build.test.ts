import { describe, expect, it } from "vitest";
import type { Blueprint } from "../../../../constructs/blueprint/blueprint.js";
import { blueprintOf } from "../../../support/blueprint.js";

const group = (size: number, over: object = {}) => ({ scaling_config: { desired_size: size }, ...over });
const ids = (blueprint: Blueprint): readonly string[] => blueprint.blocks.map((block) => block.id);

/** Everything of a member or block that terraform would see, by id. */
const content = (blueprint: Blueprint): ReadonlyMap<string, string> => {
  const members = [...blueprint.controlPlanes, ...blueprint.groups.flatMap((g) => g.workers)];
  return new Map([...blueprint.blocks, ...members].map((one) => [one.id, JSON.stringify(one)]));
};
const changed = (before: Blueprint, after: Blueprint): readonly string[] => {
  const [a, b] = [content(before), content(after)];
  return [...new Set([...a.keys(), ...b.keys()])].filter((id) => a.get(id) !== b.get(id)).sort();
};

describe("build", () => {
  it("makes each block after those that it names", () => {
    const { blocks } = blueprintOf({ control_plane: { replicas: 3 }, node_groups: { web: group(2) } });
    const seen = new Set<string>();
    for (const block of blocks) {
      const named = [
        ...("network" in block ? [block.network] : []),
        ...("subnet" in block ? [block.subnet] : []),
        ...("disks" in block ? block.disks : []),
      ];
      for (const other of named) expect(seen.has(other), `${block.id} → ${other}`).toBe(true);
      seen.add(block.id);
    }
    expect(seen.size).toBe(blocks.length);
  });

  it("gives each control plane an address, a disk and a machine in one zone", () => {
    const { blocks, controlPlanes } = blueprintOf({ control_plane: { replicas: 5, zones: ["x", "y", "z"] } });
    expect(controlPlanes.map((m) => [m.name, m.zone])).toEqual([
      ["demo-cp-a", "x"],
      ["demo-cp-b", "y"],
      ["demo-cp-c", "z"],
      ["demo-cp-d", "x"],
      ["demo-cp-e", "y"],
    ]);
    expect(new Set(controlPlanes.map((m) => m.address)).size).toBe(5);
    for (const member of controlPlanes)
      expect(blocks.filter((b) => "zone" in b && b.id.startsWith(`${member.id}/`)).map((b) => "zone" in b && b.zone)).toEqual([
        member.zone,
        member.zone,
        member.zone,
      ]);
  });

  it("has the balancer know every control plane by its fixed address", () => {
    const balancer = blueprintOf({ control_plane: { replicas: 3 }, vpc_config: { cidr: "10.98.0.0/24" } }).blocks.find(
      (b) => b.kind === "balancer",
    );
    expect(balancer).toMatchObject({
      address: "10.98.0.10",
      backends: { "demo-cp-a": "10.98.0.11:6443", "demo-cp-b": "10.98.0.12:6443", "demo-cp-c": "10.98.0.13:6443" },
    });
  });

  it("works without any worker", () => {
    expect(blueprintOf({ node_groups: { web: group(0) } }).groups).toEqual([{ name: "web", maxSurge: 1, workers: [] }]);
  });

  it("has the names in certificates that a user and the balancer go by", () => {
    const [first] = blueprintOf({ access: { endpoint: "https://build.example:7000", cert_names: ["api.example.com"] } }).controlPlanes;
    expect(first?.spec.cert_names).toEqual(["127.0.0.1", "api.example.com", "build.example", "localhost"]);
  });

  it("words taints as Kubernetes does", () => {
    const taint = [
      { key: "a", value: "1", effect: "NO_SCHEDULE" },
      { key: "b", effect: "PREFER_NO_SCHEDULE" },
      { key: "c", effect: "NO_EXECUTE" },
    ];
    expect(blueprintOf({ node_groups: { web: group(1, { taint }) } }).groups[0]?.workers[0]?.taints).toEqual([
      "a=1:NoSchedule",
      "b:PreferNoSchedule",
      "c:NoExecute",
    ]);
  });
});

describe("an edit touches only what it is about", () => {
  const spec = {
    control_plane: { replicas: 3 },
    node_groups: { a: group(3, { zones: ["x", "y"] }), b: group(1), c: group(2) },
  };
  const before = blueprintOf(spec);
  const touched = (over: object) => changed(before, blueprintOf({ ...spec, ...over }));
  const groups = spec.node_groups;

  it("a group that goes away takes only its machines", () => {
    expect(touched({ node_groups: { a: groups.a, c: groups.c } })).toEqual(["group/b/a/0", "group/b/a/0/machine"]);
  });
  it("a group that grows adds machines", () => {
    expect(touched({ node_groups: { ...groups, c: group(3) } })).toEqual(["group/c/a/2", "group/c/a/2/machine"]);
  });
  it("the order of groups means nothing", () => {
    expect(touched({ node_groups: { c: groups.c, b: groups.b, a: groups.a } })).toEqual([]);
  });
  it("growth of the control plane leaves its members as they are", () => {
    expect(touched({ control_plane: { replicas: 5 } })).toEqual([
      "cp/d",
      "cp/d/address",
      "cp/d/disk",
      "cp/d/machine",
      "cp/e",
      "cp/e/address",
      "cp/e/disk",
      "cp/e/machine",
      "endpoint/balancer",
    ]);
  });
  it("labels and taints change no machine and no release", () => {
    const edited = blueprintOf({ ...spec, node_groups: { ...groups, b: group(1, { labels: { x: "1" } }) } });
    expect(changed(before, edited)).toEqual(["group/b/a/0"]);
    const release = (of: Blueprint) => of.groups.flatMap((g) => g.workers.map((w) => w.release));
    expect(release(edited)).toEqual(release(before));
  });
  it("a machine type rolls its group and no other", () => {
    const edited = blueprintOf({ ...spec, node_groups: { ...groups, c: group(2, { instance_types: ["1x1024"] }) } });
    expect(changed(before, edited)).toEqual(["group/c/a/0", "group/c/a/1"]);
  });
  it("a version rolls every machine", () => {
    const edited = blueprintOf({ ...spec, version: "1.37.2" });
    const members = [...before.controlPlanes, ...before.groups.flatMap((g) => g.workers)].map((m) => m.id);
    expect(changed(before, edited)).toEqual([...members].sort());
  });
  it("a name in certificates rolls control planes only", () => {
    expect(touched({ access: { cert_names: ["api.example.com"] } })).toEqual(["cp/a", "cp/b", "cp/c"]);
  });
});

it("has ids that never change: a changed one replaces what people run", () => {
  expect(ids(blueprintOf({ control_plane: { replicas: 1 }, node_groups: { web: group(1) } }))).toEqual([
    "network",
    "subnet",
    "endpoint/address",
    "firewall/api",
    "firewall/api-balancer",
    "firewall/endpoint",
    "firewall/etcd",
    "firewall/birth",
    "firewall/kubelet",
    "firewall/pods",
    "firewall/pod-traffic",
    "firewall/node-traffic",
    "firewall/api-pods",
    "firewall/kubelet-pods",
    "firewall/dns-pods-tcp",
    "firewall/dns-pods-udp",
    "firewall/dns-tcp",
    "firewall/dns-udp",
    "firewall/routes",
    "firewall/endpoint-network",
    "firewall/out",
    "endpoint/balancer",
    "cp/a/address",
    "cp/a/disk",
    "cp/a/machine",
    "group/web/a/0/machine",
  ]);
});
