import { describe, expect, it } from "vitest";
import { ref } from "../../../../../constructs/iaas/resource.js";
import { ec2, zonesOf } from "../../../../support/ec2-cluster.js";

const [a, b, c] = zonesOf.aws;
const subnets = (more: object = {}) =>
  Object.fromEntries(zonesOf.aws.map((zone, n) => [zone, { cidr: `10.98.${n * 16}.0/20`, public_cidr: `10.98.24${n}.0/24`, ...more }]));

describe("the network", () => {
  it("has a private and a public subnet in each zone, and routes that say which is which", () => {
    const { args, of } = ec2("aws");
    expect(of("aws_subnet")).toHaveLength(6);
    expect(args(`subnet/${b}/private`)).toMatchObject({ availability_zone: b, cidr_block: "10.98.16.0/20", vpc_id: ref("network", "id") });
    expect(args(`subnet/${b}/public-routes`)).toMatchObject({ route_table_id: ref("network-routes-public", "id") });
    expect(args(`subnet/${b}/private-routes`)).toMatchObject({ route_table_id: ref(`network-routes-${a}`, "id") });
  });

  it("lets machines out by one NAT gateway, in the control planes' first zone", () => {
    const { args, of } = ec2("aws");
    expect(of("aws_nat_gateway")).toEqual([`network-nat-${a}`]);
    expect(args(`network-nat-${a}`)).toMatchObject({ subnet_id: ref(`subnet/${a}/public`, "id") });
    const later = ec2("aws", { control_plane: { replicas: 3, instance_type: "m7i.large", image: "ami-1", zones: [c, a, b] } });
    expect(later.of("aws_nat_gateway")).toEqual([`network-nat-${c}`]);
  });

  it("has one in each zone when asked for", () => {
    const { args, of } = ec2("aws", { vpc_config: { egress: "nat_per_zone" } });
    expect(of("aws_nat_gateway")).toHaveLength(3);
    expect(args(`subnet/${c}/private-routes`)).toMatchObject({ route_table_id: ref(`network-routes-${c}`, "id") });
    expect(args(`network-route-${c}`)).toMatchObject({ nat_gateway_id: ref(`network-nat-${c}`, "id") });
  });

  it("has no way out but for the balancer that faces the world when egress is none, and none at all when that is not there", () => {
    const { of, find } = ec2("aws", { vpc_config: { egress: "none" } });
    expect(of("aws_nat_gateway")).toEqual([]);
    expect(find(`subnet/${a}/private-routes`)).toBeUndefined();
    expect(find("network-gateway")).toBeDefined();
    const closed = ec2("aws", { vpc_config: { egress: "none", public_access_cidrs: [], endpoint_public_access: false } });
    expect(closed.of("aws_internet_gateway")).toEqual([]);
    expect(closed.of("aws_route")).toEqual([]);
  });

  it("gives each machine an address when egress is public, and a control plane's stays with its interface", () => {
    const { args, of, find } = ec2("aws", { vpc_config: { egress: "public" } });
    expect(of("aws_nat_gateway")).toEqual([]);
    expect(args("cp/a/address-public")).toMatchObject({ network_interface: ref("cp/a/address", "id") });
    const worker = find(`group/web/${a}/0/machine`);
    expect(worker?.args.associate_public_ip_address).toBe(true);
    // a changed egress must not replace a group
    expect(worker?.lifecycle?.ignoreChanges).toContain("associate_public_ip_address");
  });

  it("is one NAT gateway of the whole network on K2 Cloud", () => {
    const { args, of } = ec2("k2");
    expect(of("aws_nat_gateway")).toEqual(["network-nat"]);
    expect(args("network-nat")).toMatchObject({ vpc_id: ref("network", "id") });
    expect(args("subnet/ru-msk-vol52/private-routes")).toMatchObject({ route_table_id: ref("network-routes-private", "id") });
  });
});

describe("an existing network", () => {
  const own = { vpc_config: { network_id: "vpc-1", subnets: subnets({ id: "subnet-1", public_id: "subnet-2" }) } };
  const kinds = ["aws_vpc", "aws_subnet", "aws_internet_gateway", "aws_nat_gateway", "aws_route_table", "aws_route"];

  it("is neither made nor changed: no subnet, route or gateway", () => {
    const { of, args } = ec2("aws", own);
    for (const type of [...kinds, "aws_route_table_association"]) expect(of(type), type).toEqual([]);
    expect(args(`group/web/${a}/0/machine`).subnet_id).toBe("subnet-1");
    expect(args("cp/a/address").subnet_id).toBe("subnet-1");
    expect(args("shared/group-nodes").vpc_id).toBe("vpc-1");
    expect(args("endpoint/balancer-public").subnet_mapping).toHaveLength(3);
  });

  it("gets new subnets where none is named, with the network's own routes", () => {
    const { of } = ec2("aws", { vpc_config: { network_id: "vpc-1", subnets: subnets() } });
    expect(of("aws_subnet")).toHaveLength(6);
    expect(of("aws_route_table_association")).toEqual([]);
  });

  it("keeps its public addresses and groups", () => {
    const { of, args } = ec2("aws", {
      vpc_config: {
        ...own.vpc_config,
        endpoint_public_addresses: ["eipalloc-1", "eipalloc-2", "eipalloc-3"],
        firewall: "own",
        security_group_ids: ["sg-1"],
      },
    });
    expect(of("aws_eip")).toEqual([]);
    expect(of("aws_security_group")).toEqual([]);
    expect(of("aws_vpc_security_group_ingress_rule")).toEqual([]);
    expect(args("cp/a/address").security_groups).toEqual(["sg-1"]);
    expect(args("endpoint/balancer").security_groups).toEqual(["sg-1"]);
    expect(args("endpoint/balancer-public").subnet_mapping).toMatchObject([
      { allocation_id: "eipalloc-1" },
      { allocation_id: "eipalloc-2" },
      { allocation_id: "eipalloc-3" },
    ]);
  });

  it("has groups of the user's beside the cluster's", () => {
    const { args } = ec2("aws", { vpc_config: { security_group_ids: ["sg-1"] } });
    expect(args("cp/a/address").security_groups).toEqual([
      ref("shared/group-nodes", "id"),
      ref("shared/group-control-plane", "id"),
      "sg-1",
    ]);
    expect(args("endpoint/balancer").security_groups).toEqual([ref("shared/group-balancer", "id")]);
  });
});
