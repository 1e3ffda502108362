import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ref } from "../../../../../constructs/iaas/resource.js";
import { ec2, ec2Spec } from "../../../../support/ec2-cluster.js";
import { firewallTable } from "../../../../support/firewall-table.js";

const ingress = "aws_vpc_security_group_ingress_rule";

describe("rules", () => {
  it("know machines by group", () => {
    const { args } = ec2("aws");
    expect(args("firewall/etcd")).toMatchObject({
      security_group_id: ref("shared/group-control-plane", "id"),
      referenced_security_group_id: ref("shared/group-control-plane", "id"),
      ip_protocol: "tcp",
      from_port: 2379,
      to_port: 2380,
      description: "etcd members talk to each other",
    });
  });

  it("carry packets between pods: the tunnel from the nodes to themselves, and pods' own addresses", () => {
    const { args } = ec2("aws");
    const nodes = ref("shared/group-nodes", "id");
    expect(args("firewall/pods")).toMatchObject({ security_group_id: nodes, referenced_security_group_id: nodes, ip_protocol: "4" });
    expect(args("firewall/pods")).not.toHaveProperty("from_port");
    expect(args("firewall/pod-traffic")).toMatchObject({ cidr_ipv4: "10.244.0.0/16", ip_protocol: "-1" });
  });

  it("let the balancer call control planes, and nothing else", () => {
    const { args, of } = ec2("aws");
    expect(args("firewall/api-balancer-out")).toMatchObject({
      security_group_id: ref("shared/group-balancer", "id"),
      referenced_security_group_id: ref("shared/group-control-plane", "id"),
      from_port: 6443,
      to_port: 6443,
    });
    expect(of("aws_vpc_security_group_egress_rule")).toEqual(["firewall/api-balancer-out", "firewall/out"]);
  });

  it("open nothing to the world but the endpoint, to whom the spec names", () => {
    const { all, of } = ec2("aws", { vpc_config: { public_access_cidrs: ["203.0.113.0/24", "198.51.100.7/32"] } });
    const inside = ["10.98.0.0/16", "10.244.0.0/16"];
    const fromWorld = all.filter((r) => r.type === ingress && r.args.cidr_ipv4 !== undefined && !inside.includes(String(r.args.cidr_ipv4)));
    expect(fromWorld.map((r) => [r.args.cidr_ipv4, r.args.from_port, r.args.security_group_id])).toEqual(
      ["203.0.113.0/24", "198.51.100.7/32"].map((cidr) => [cidr, 6443, ref("shared/group-balancer", "id")]),
    );
    expect(of(ingress).length).toBeGreaterThan(10);
  });

  it("say a reason that EC2 takes", () => {
    const rule = { to: "all", protocol: "icmp", cidr: "10.0.0.0/8", reason: "Überwachung? ja: ping" };
    const { args } = ec2("aws", { vpc_config: { security_rules: { ping: rule } } });
    expect(args("firewall/extra-ping")).toMatchObject({
      description: "_berwachung_ ja: ping",
      ip_protocol: "icmp",
      from_port: -1,
      to_port: -1,
    });
  });

  it("give a controller exactly one group of a machine to open ports of", () => {
    const { all } = ec2("aws");
    const tagged = all.filter(
      (r) => r.type === "aws_security_group" && "kubernetes.io/cluster/demo" in (r.args.tags as Record<string, string>),
    );
    expect(tagged.map((r) => r.name)).toEqual(["shared/group-nodes"]);
  });
});

describe("rules on K2 Cloud", () => {
  it("are of the kind that its provider has", () => {
    const { args } = ec2("k2");
    expect(args("firewall/etcd")).toEqual({
      type: "ingress",
      security_group_id: ref("shared/group-control-plane", "id"),
      protocol: "tcp",
      from_port: 2379,
      to_port: 2380,
      self: true,
    });
    expect(args("firewall/kubelet")).toMatchObject({ source_security_group_id: ref("shared/group-control-plane", "id") });
    expect(args("firewall/pods")).toMatchObject({ protocol: "4", from_port: 0, to_port: 0, self: true });
    expect(args("firewall/out")).toMatchObject({ type: "egress", protocol: "-1", cidr_blocks: ["0.0.0.0/0"] });
  });

  it("know a balancer by its subnets, since it is in no group", () => {
    const { args, of } = ec2("k2");
    expect(of("aws_security_group")).toHaveLength(3);
    expect(args("firewall/api-balancer").cidr_blocks).toEqual([
      "10.98.32.0/20",
      "10.98.242.0/24",
      "10.98.0.0/20",
      "10.98.240.0/24",
      "10.98.16.0/20",
      "10.98.241.0/24",
    ]);
  });

  it("close the public subnets to all but whom the spec names", () => {
    const { args } = ec2("k2", { vpc_config: { public_access_cidrs: ["203.0.113.0/24", "198.51.100.7/32"] } });
    expect(args("endpoint/balancer-public-access").ingress).toEqual([
      { rule_no: 100, action: "allow", protocol: "tcp", cidr_block: "203.0.113.0/24", from_port: 6443, to_port: 6443 },
      { rule_no: 101, action: "allow", protocol: "tcp", cidr_block: "198.51.100.7/32", from_port: 6443, to_port: 6443 },
      { rule_no: 30_000, action: "allow", protocol: "-1", cidr_block: "10.98.0.0/16", from_port: 0, to_port: 0 },
    ]);
  });
});

describe.each(["aws", "k2"] as const)("the page of %s", (cloud) => {
  it("lists every row of the firewall with its reason", () => {
    const page = readFileSync(new URL(`../../../../../docs/clouds/${cloud}.md`, import.meta.url), "utf8");
    const listed = page
      .split("\n")
      .filter((line) => /^\| [a-z0-9-]+ \|/.test(line) && line.split("|").length === 7 && !line.startsWith("| rule "));
    expect(listed).toEqual(firewallTable(ec2Spec(cloud)));
  });
});
