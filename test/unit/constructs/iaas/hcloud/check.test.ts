import { describe, expect, it } from "vitest";
import { warn } from "../../../../../constructs/iaas/hcloud/check.js";
import { atControlPlanes, hcloudProblems, hcloudSpec } from "../../../../support/hcloud.js";

const codes = (over: Parameters<typeof hcloudProblems>[0]) => hcloudProblems(over).map(({ code, path }) => `${code} ${path.join(".")}`);

describe("a spec that Hetzner Cloud cannot hold", () => {
  it.each([
    ["nothing", {}],
    ["an endpoint that is open to the world", { vpc: { public_access_cidrs: ["0.0.0.0/0"] } }],
    ["ranges at the control planes", atControlPlanes],
    ["a location that is not known here", { control: { zones: ["mars1"] } }],
    [
      "locations of another zone, all of them",
      { iaas: { network_zone: "us-east" }, control: { zones: ["ash"] }, groups: { web: { zones: ["ash"] } } },
    ],
  ])("does not mind %s", (_, over) => {
    expect(codes(over)).toEqual([]);
  });

  it("has locations of two network zones", () => {
    const over = { control: { zones: ["fsn1", "ash", "hel1"] }, groups: { web: { zones: ["hil"] } } };
    expect(codes(over)).toEqual(["hcloud.network_zone control_plane.zones.1", "hcloud.network_zone node_groups.web.zones.0"]);
    expect(hcloudProblems(over)[0]).toMatchObject({ got: "ash", allowed: "fsn1, hel1, nbg1" });
  });

  it("wants ranges at the balancer, and is told the choices", () => {
    const over = { vpc: { public_access_cidrs: ["203.0.113.0/24"] } };
    expect(codes(over)).toEqual(["cloud.unsupported vpc_config.public_access_cidrs"]);
    expect(hcloudProblems(over)[0]?.fix).toMatch(/control_planes.*0\.0\.0\.0\/0.*private endpoint/);
  });

  it("has the world and a range at the balancer, which is the world", () => {
    expect(codes({ vpc: { public_access_cidrs: ["0.0.0.0/0", "203.0.113.0/24"] } })).toEqual([
      "cloud.unsupported vpc_config.public_access_cidrs",
    ]);
  });

  it("has an endpoint of three addresses and no name for it", () => {
    expect(codes({ ...atControlPlanes, more: {} })).toEqual(["field.missing access.endpoint"]);
  });

  it("wants the private endpoint closed to others in the network", () => {
    expect(codes({ vpc: { endpoint_private_access: false } })).toEqual(["cloud.unsupported vpc_config.endpoint_private_access"]);
  });

  it.each([8, 9])("has an etcd disk of %i GiB", (size_gib) => {
    expect(codes({ control: { etcd_volume: { size_gib } } })).toEqual(["hcloud.volume_size control_plane.etcd_volume.size_gib"]);
  });

  it("has a range that is not private", () => {
    expect(codes({ vpc: { cidr: "100.64.0.0/16" } })).toEqual(["hcloud.private vpc_config.cidr"]);
    expect(codes({ vpc: { cidr: "172.16.0.0/12" } })).toEqual([]);
    expect(codes({ vpc: { cidr: "172.0.0.0/8" } })).toEqual(["hcloud.private vpc_config.cidr"]);
  });

  it("has fixed addresses that reach into the workers' half", () => {
    const over = { vpc: { cidr: "10.98.0.0/27" } };
    expect(codes(over)).toEqual(["cidr.too_small vpc_config.cidr"]);
    expect(hcloudProblems(over)[0]?.allowed).toBe("/26 or wider");
    expect(codes({ vpc: { cidr: "10.98.0.0/26" } })).toEqual([]);
    expect(codes({ vpc: { cidr: "10.98.0.0/26", address_offset: 30 } })).toEqual(["cidr.too_small vpc_config.cidr"]);
  });

  it("needs more servers at once than a network takes", () => {
    const workers = (desired_size: number) => ({ groups: { web: { scaling_config: { desired_size, max_size: 200 } } } });
    expect(codes(workers(95))).toEqual([]);
    expect(codes(workers(96))).toEqual(["hcloud.network_full node_groups"]);
  });

  it("has ids that are none", () => {
    const vpc = { network_id: "my-network", subnet_id: "10.0.1.0/24", cidr: "10.0.1.0/24", security_group_ids: ["web"] };
    expect(codes({ vpc: { ...vpc, egress: "public" } })).toEqual([
      "hcloud.id vpc_config.network_id",
      "hcloud.id vpc_config.subnet_id",
      "hcloud.id vpc_config.security_group_ids.0",
    ]);
  });

  it("has rules for a side that machines do not have", () => {
    const rule = { to: "worker", protocol: "tcp", from_port: 443, cidr: "0.0.0.0/0", reason: "ingress" };
    expect(codes({ vpc: { egress: "none", security_rules: { web: rule }, security_group_ids: ["7"] } })).toEqual([
      "firewall.nowhere vpc_config.security_rules.web",
      "firewall.nowhere vpc_config.security_group_ids",
    ]);
    expect(codes({ vpc: { security_rules: { web: rule } } })).toEqual([]);
  });

  it("wants firewalls of the user's in place of the cluster's", () => {
    expect(codes({ vpc: { firewall: "own", security_group_ids: ["7"] } })).toEqual(["cloud.unsupported vpc_config.firewall"]);
  });

  it.each([
    ["a gateway", { vpc: { egress: "nat" } }, "cloud.unsupported vpc_config.egress"],
    ["subnets by location", { vpc: { subnets: { fsn1: { cidr: "10.98.1.0/24" } } }, control: { zones: ["fsn1"] } }, "vpc_config.subnets"],
    ["spot machines", { groups: { web: { capacity_type: "SPOT" } } }, "cloud.unsupported node_groups.web.capacity_type"],
    ["a root disk", { groups: { web: { disk_size: 80 } } }, "cloud.unsupported node_groups.web.disk_size"],
    ["a type of volume", { control: { etcd_volume: { size_gib: 10, type: "ssd" } } }, "cloud.unsupported control_plane.etcd_volume.type"],
    ["a tag with a space", { more: { tags: { owner: "team a" } } }, "cloud.tags tags.owner"],
    ["a tag of ours", { more: { tags: { "honest-paas/role": "worker" } } }, "cloud.tags tags.honest-paas/role"],
  ])("asks for %s", (_, over, expected) => {
    expect(codes(over).join()).toContain(expected);
  });
});

it("warns of company in a network that filters nothing", () => {
  expect(warn(hcloudSpec())).toEqual([]);
  expect(warn(hcloudSpec({ vpc: { network_id: "4711", cidr: "10.0.0.0/16" } }))).toMatchObject([
    { code: "hcloud.open_inside", got: "4711" },
  ]);
});
