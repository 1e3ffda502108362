import { describe, expect, it } from "vitest";
import { ref, refsIn } from "../../../../../constructs/iaas/resource.js";
import { ec2, zonesOf } from "../../../../support/ec2-cluster.js";

const closed = { vpc_config: { public_access_cidrs: [], endpoint_public_access: false } };

describe("the endpoint", () => {
  it("has a fixed address in each zone, and machines ask the one of theirs", () => {
    const { args } = ec2("aws");
    expect(args("endpoint/balancer")).toMatchObject({
      internal: true,
      load_balancer_type: "network",
      enable_cross_zone_load_balancing: true,
    });
    expect(args("endpoint/balancer").subnet_mapping).toEqual(
      zonesOf.aws.map((zone, n) => ({ subnet_id: ref(`subnet/${zone}/private`, "id"), private_ipv4_address: `10.98.${n * 16}.10` })),
    );
    expect(args(`group/web/${zonesOf.aws[1]}/0/boot`).late).toMatchObject({ endpoint_address: "10.98.16.10" });
  });

  it("asks control planes whether they are ready, by their addresses: it knows no machine", () => {
    const { args, all } = ec2("aws");
    expect(args("endpoint/balancer-targets").health_check).toMatchObject([{ protocol: "HTTPS", path: "/readyz", matcher: "200" }]);
    expect(args("endpoint/balancer-target-demo-cp-a")).toMatchObject({ target_id: "10.98.0.11", port: 6443 });
    const parts = all.filter((resource) => resource.name.startsWith("endpoint/"));
    expect(parts.flatMap((resource) => refsIn(resource.args)).filter((name) => /machine|address$/.test(name))).toEqual([]);
  });

  it("does not keep callers' addresses: control planes admit the balancer's group alone, and a caller may be its own target", () => {
    expect(ec2("aws").args("endpoint/balancer-targets")).toMatchObject({ target_type: "ip", preserve_client_ip: "false" });
  });

  it("faces the world by a second balancer with elastic addresses, only when it is public", () => {
    const { args, of, find } = ec2("aws");
    expect(of("aws_lb")).toEqual(["endpoint/balancer", "endpoint/balancer-public"]);
    expect(args("endpoint/balancer-public")).toMatchObject({
      internal: false,
      subnet_mapping: zonesOf.aws.map((zone) => ({
        subnet_id: ref(`subnet/${zone}/public`, "id"),
        allocation_id: ref(`endpoint/public/${zone}`, "id"),
      })),
    });
    expect(find("endpoint/balancer-public")?.dependsOn).toEqual(["network-gateway", "network-route-public"]);
    const inside = ec2("aws", closed);
    expect(inside.of("aws_lb")).toEqual(["endpoint/balancer"]);
    expect(inside.of("aws_lb_target_group")).toHaveLength(1);
  });

  it("has names that fit, and two of them for long clusters", () => {
    const name = "a-cluster-whose-name-takes-all-it-has-00";
    const { args } = ec2("aws", { name, node_groups: {} });
    const names = ["endpoint/balancer", "endpoint/balancer-public"].map((of) => String(args(of).name));
    for (const fitted of names) expect(fitted.length).toBeLessThanOrEqual(32);
    expect(new Set(names).size).toBe(2);
  });

  it("gives the world's URL by the name of the balancer outside", () => {
    expect(refsIn(ec2("aws").args("barrier").access ?? null)).toContain("endpoint/balancer-public");
    expect(refsIn(ec2("aws", closed).args("barrier").access ?? null)).not.toContain("endpoint/balancer");
  });
});

describe("the endpoint on K2 Cloud", () => {
  it("is closed before it faces the world, and opened last", () => {
    expect(ec2("k2").find("endpoint/balancer-public")?.dependsOn).toContain("endpoint/balancer-public-access");
    expect(ec2("k2").find("endpoint/balancer")?.dependsOn).toBeUndefined();
  });

  it("leaves the access list of a subnet that was there before alone", () => {
    const subnets = Object.fromEntries(
      zonesOf.k2.map((zone, n) => [
        zone,
        {
          cidr: `10.98.${n * 16}.0/20`,
          id: `subnet-${n}`,
          public_cidr: `10.98.24${n}.0/24`,
          ...(n < 2 ? { public_id: `subnet-9${n}` } : {}),
        },
      ]),
    );
    const open = { network_id: "vpc-1", subnets, public_access_cidrs: ["0.0.0.0/0"] };
    expect(ec2("k2", { vpc_config: open }).args("endpoint/balancer-public-access").subnet_ids).toEqual([
      ref(`subnet/${zonesOf.k2[2]}/public`, "id"),
    ]);
    const theirs = {
      ...subnets,
      [zonesOf.k2[2]]: { cidr: "10.98.32.0/20", id: "subnet-2", public_cidr: "10.98.242.0/24", public_id: "subnet-92" },
    };
    const none = ec2("k2", { vpc_config: { ...open, subnets: theirs } });
    expect(none.of("aws_network_acl")).toEqual([]);
    expect(none.find("endpoint/balancer-public")?.dependsOn).toBeUndefined();
  });

  it("is asked by TCP and sends to machines, each of which enters itself", () => {
    const { args, of } = ec2("k2");
    expect(args("endpoint/balancer-targets")).toMatchObject({ target_type: "instance", health_check: [{ protocol: "TCP" }] });
    expect(args("endpoint/balancer")).not.toHaveProperty("security_groups");
    expect(of("aws_lb_target_group_attachment")).toHaveLength(6);
    expect(args("cp/b/machine-target-public")).toEqual({
      target_group_arn: ref("endpoint/balancer-public-targets", "arn"),
      target_id: ref("cp/b/machine", "id"),
      port: 6443,
    });
    expect(args("endpoint/balancer-listener").default_action).toEqual([
      { type: "forward", forward: [{ target_group: [{ arn: ref("endpoint/balancer-targets", "arn") }] }] },
    ]);
  });
});
