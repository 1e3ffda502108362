// What the mapping of OpenStack promises beyond the contract of all clouds.
import { describe, expect, it } from "vitest";
import { build } from "../../../../constructs/blueprint/build.js";
import { unhonoured } from "../../../../constructs/iaas/honour.js";
import { mapCluster } from "../../../../constructs/iaas/map.js";
import { openstack } from "../../../../constructs/iaas/openstack/index.js";
import { allocationPool } from "../../../../constructs/iaas/openstack/network.js";
import { isRef, type VendorResource } from "../../../../constructs/iaas/resource.js";
import type { ClusterSpec } from "../../../../constructs/spec/gen/spec.js";
import { parse } from "../../../../constructs/spec/parse.js";

const image = "11111111-2222-4333-8444-555555555555";

interface Asked {
  readonly network?: Readonly<Record<string, unknown>>;
  readonly controlPlane?: Readonly<Record<string, unknown>>;
  readonly group?: Readonly<Record<string, unknown>>;
  readonly iaas?: Readonly<Record<string, unknown>>;
  readonly rest?: Readonly<Record<string, unknown>>;
}

function specOf({
  network = {},
  controlPlane = {},
  group = {},
  iaas = { external_network: "public" },
  rest = {},
}: Asked = {}): ClusterSpec {
  const { spec, problems } = parse({
    name: "demo",
    version: "1.36.3",
    iaas: { openstack: iaas },
    vpc_config: { cidr: "10.98.0.0/24", public_access_cidrs: ["192.0.2.0/24"], ...network },
    control_plane: { replicas: 3, zones: ["a", "b", "c"], instance_type: "m1.small", image, ...controlPlane },
    node_groups: { web: { scaling_config: { desired_size: 2 }, zones: ["a", "b"], instance_types: ["m1.small"], image, ...group } },
    ...rest,
  });
  if (!spec) throw new Error(JSON.stringify(problems));
  return spec;
}
const resourcesOf = (asked?: Asked): readonly VendorResource[] => {
  const spec = specOf(asked);
  return mapCluster(spec, build(spec), openstack);
};
const named = (resources: readonly VendorResource[], name: string): VendorResource => {
  const found = resources.find((one) => one.name === name);
  if (!found) throw new Error(`no ${name} among ${resources.map((one) => one.name).join(", ")}`);
  return found;
};
const ofType = (resources: readonly VendorResource[], type: string) => resources.filter((one) => one.type === `openstack_${type}`);
const problemsOf = (asked: Asked) =>
  unhonoured(specOf(asked), openstack).map(({ path, got, message }) => ({ at: path.join("."), got, message }));

describe("network", () => {
  it.each([
    ["10.98.0.0/24", 10, { start: "10.98.0.16", end: "10.98.0.254" }],
    ["10.98.0.0/16", 10, { start: "10.98.0.16", end: "10.98.255.254" }],
    ["192.168.7.32/27", 10, { start: "192.168.7.48", end: "192.168.7.62" }],
    ["10.98.0.0/24", 100, { start: "10.98.0.106", end: "10.98.0.254" }],
  ])("of %s gives none of the fixed addresses away", (cidr, offset, pool) => {
    expect(allocationPool(cidr, offset)).toEqual(pool);
  });

  it("has a router where machines call out or the endpoint is public, and none in a network of the user's", () => {
    const routers = (network: Readonly<Record<string, unknown>>) => ofType(resourcesOf({ network }), "networking_router_v2").length;
    expect(routers({ egress: "nat" })).toBe(1);
    expect(routers({ egress: "none" })).toBe(1);
    expect(routers({ egress: "none", public_access_cidrs: [] })).toBe(0);
    expect(routers({ network_id: "net", subnet_id: "sub" })).toBe(0);
  });

  it("of the user's stays as it is: only what the cluster owns is made in it", () => {
    const made = resourcesOf({ network: { network_id: "net", subnet_id: "sub", security_group_ids: ["own"] } });
    const types = new Set(made.map(({ type }) => type.replace("openstack_networking_", "")));
    for (const type of ["network_v2", "subnet_v2", "router_v2", "router_interface_v2"]) expect(types).not.toContain(type);
    expect(named(made, "cp/a/address").args).toMatchObject({ network_id: "net", fixed_ip: [{ subnet_id: "sub" }] });
    expect(named(made, "endpoint/balancer").args.vip_subnet_id).toBe("sub");
    // as the data source itself has it; the resource of the same type has no such argument
    expect(named(made, "shared/own-security-group/own")).toMatchObject({ data: true, args: { secgroup_id: "own" } });
  });
});

describe("firewall", () => {
  it("tells machines by their groups and leaves nothing open to the world", () => {
    const rules = ofType(resourcesOf(), "networking_secgroup_rule_v2").filter(({ args }) => args.direction === "ingress");
    expect(rules.length).toBeGreaterThan(8);
    const byRange = rules.filter(({ args }) => args.remote_ip_prefix !== undefined).map(({ args }) => args.remote_ip_prefix);
    expect(byRange).toEqual(["10.98.0.0/24"]);
    expect(rules.every(({ args }) => typeof args.description === "string")).toBe(true);
  });

  it("has the balancer let in the machines and whom the spec names", () => {
    expect(named(resourcesOf(), "endpoint/balancer-listener").args.allowed_cidrs).toEqual(["10.98.0.0/24", "192.0.2.0/24"]);
  });

  it("makes no groups where the user has them", () => {
    const made = resourcesOf({ network: { firewall: "own", security_group_ids: ["own"] } });
    expect(ofType(made, "networking_secgroup_v2").map(({ data }) => data)).toEqual([true]);
    expect(ofType(made, "networking_secgroup_rule_v2")).toEqual([]);
    expect((named(made, "cp/a/address").args.security_group_ids as readonly unknown[]).length).toBe(1);
  });
});

describe("machines", () => {
  it("take what restarts them from their boot data, and another machine type replaces them", () => {
    const { args, lifecycle } = named(resourcesOf(), "cp/a/machine");
    for (const name of ["image_id", "flavor_name", "user_data"]) expect(isRef(args[name])).toBe(true);
    expect(lifecycle?.replaceTriggeredBy).toEqual([args.flavor_name]);
    expect(lifecycle?.createBeforeDestroy ?? false).toBe(false);
  });

  it("have a port that outlives a control plane, and one that comes and goes with a worker", () => {
    const made = resourcesOf();
    expect(Object.keys((named(made, "cp/b/machine").args.network as readonly object[])[0] ?? {})).toEqual(["port"]);
    expect(Object.keys((named(made, "group/web/a/0/machine").args.network as readonly object[])[0] ?? {})).toEqual(["uuid"]);
    expect(named(made, "group/web/a/0/machine").lifecycle?.createBeforeDestroy).toBe(true);
    expect(ofType(made, "networking_port_v2")).toHaveLength(3);
  });

  it("are in a group: control planes never on one hypervisor, workers rather there than not at all", () => {
    const policies = ofType(resourcesOf(), "compute_servergroup_v2").map(({ args }) => [args.name, args.policies]);
    expect(policies).toEqual([
      ["demo-cp", ["anti-affinity"]],
      ["demo-web", ["soft-anti-affinity"]],
    ]);
  });

  it("leave a membership before their disk is taken away", () => {
    expect(named(resourcesOf(), "cp/a/node").dependsOn).toContain("cp/a/machine-disk");
  });

  it.each([
    ["the flavor's own disk", {}, undefined],
    [
      "a volume of that size",
      { disk_size: 40 },
      [{ source_type: "image", destination_type: "volume", boot_index: 0, delete_on_termination: true }],
    ],
  ])("have as root %s", (_what, group, expected) => {
    const { block_device: devices } = named(resourcesOf({ group }), "group/web/a/0/machine").args;
    if (expected === undefined) expect(devices).toBeUndefined();
    else expect(devices).toMatchObject(expected);
  });

  it("carry tags in the form of each service", () => {
    const made = resourcesOf({ rest: { tags: { team: "x", owner: "y" } } });
    expect(named(made, "network").args.tags).toEqual(["owner=y", "team=x"]);
    expect(named(made, "cp/a/disk").args.metadata).toEqual({ team: "x", owner: "y" });
  });
});

describe("refuses, with the field and the cloud's own way out", () => {
  const noPool = { iaas: {} };
  it.each<[string, Asked, string]>([
    ["a public endpoint without a pool of floating IPs", noPool, "iaas.openstack.external_network"],
    [
      "a way out without an external network",
      { ...noPool, network: { public_access_cidrs: [], egress: "nat" } },
      "iaas.openstack.external_network",
    ],
    ["an image by its name", { controlPlane: { image: "Debian 12" } }, "control_plane.image"],
    ["a group's image by its name", { group: { image: "Debian 12" } }, "node_groups.web.image"],
    ["spot machines", { group: { capacity_type: "SPOT" } }, "node_groups.web.capacity_type"],
    ["disk IOPS", { controlPlane: { etcd_volume: { iops: 3000 } } }, "control_plane.etcd_volume.iops"],
    ["a public address for every machine", { network: { egress: "public" } }, "vpc_config.egress"],
    [
      "subnets by zone",
      { network: { subnets: { a: { cidr: "10.98.0.0/26" }, b: { cidr: "10.98.0.64/26" }, c: { cidr: "10.98.0.128/26" } } } },
      "vpc_config.subnets",
    ],
  ])("%s", (_what, asked, at) => {
    expect(problemsOf(asked).map((one) => one.at)).toContain(at);
  });

  it("nothing of a spec that is right", () => {
    expect(problemsOf({})).toEqual([]);
    expect(problemsOf({ iaas: {}, network: { public_access_cidrs: [], egress: "none" } })).toEqual([]);
  });
});
