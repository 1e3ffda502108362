// What the shared contract suite does not ask: every argument of every shape of a cluster against the vendors' schemas.
import { describe, expect, it } from "vitest";
import { type Arg, isRef, isText } from "../../../../../constructs/iaas/resource.js";
import { argumentProblems, cloudSchema } from "../../../../support/cloud-schema.js";
import { type Ec2, ec2, ec2Stack, zonesOf } from "../../../../support/ec2-cluster.js";
import { graphOf } from "../../../../support/stack-graph.js";

type Input = Readonly<Record<string, unknown>>;

const theirs = (cloud: Ec2) =>
  Object.fromEntries(zonesOf[cloud].map((zone, n) => [zone, { cidr: `10.98.${n * 16}.0/20`, id: `subnet-${n}` }]));

const shapes = (cloud: Ec2): Readonly<Record<string, Input>> => ({
  usual: {},
  closed: { vpc_config: { egress: "none", public_access_cidrs: [], endpoint_public_access: false } },
  "in a network of the user's": {
    vpc_config: {
      network_id: "vpc-1",
      subnets: theirs(cloud),
      firewall: "own",
      security_group_ids: ["sg-1"],
      public_access_cidrs: [],
      endpoint_public_access: false,
    },
  },
  "with more rules, tags and disks": {
    vpc_config: {
      security_rules: {
        ssh: { to: "all", protocol: "tcp", from_port: 22, cidr: "10.98.0.0/16", reason: "maintenance" },
        ping: { to: "worker", protocol: "icmp", cidr: "10.0.0.0/8", reason: "monitoring" },
      },
    },
    tags: { team: "platform" },
  },
  protected: { deletion_protection: true },
  ...(cloud === "aws"
    ? { "with public machines": { vpc_config: { egress: "public" } }, "with three ways out": { vpc_config: { egress: "nat_per_zone" } } }
    : {}),
});

function refs(value: Arg): readonly { readonly resource: string; readonly attribute: string }[] {
  if (isRef(value)) return [value];
  if (isText(value)) return value.parts.filter(isRef);
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(refs);
}

describe.each(["aws", "k2"] as const)("%s", (cloud) => {
  const schema = cloudSchema(cloud);

  it.each(Object.entries(shapes(cloud)))("has only arguments that the schema has: %s", (_, over) => {
    const { all } = ec2(cloud, over);
    const vendors = all.filter(({ type }) => !type.startsWith("honest_"));
    expect(vendors.length).toBeGreaterThan(20);
    expect(vendors.flatMap((resource) => argumentProblems(schema, resource).map((problem) => `${resource.name}: ${problem}`))).toEqual([]);
    for (const { type, lifecycle } of vendors)
      for (const name of lifecycle?.ignoreChanges ?? []) {
        const known = schema.resources[type];
        expect(known?.attributes[name] ?? known?.blocks[name], `${type}.${name} is ignored`).toBeDefined();
      }
  });

  it.each(Object.entries(shapes(cloud)))("refers only to what is there: %s", (_, over) => {
    const { all, find } = ec2(cloud, over);
    for (const resource of all)
      for (const { resource: name, attribute } of refs(resource.args)) {
        const target = find(name);
        expect(target, `${resource.name} → ${name}`).toBeDefined();
        const known = schema.resources[target?.type ?? ""];
        if (known) expect(known.attributes[attribute], `${resource.name} → ${name}.${attribute}`).toBeDefined();
      }
    for (const { name, dependsOn } of all) for (const other of dependsOn ?? []) expect(find(other), `${name} after ${other}`).toBeDefined();
  });

  it("keeps control planes out of whatever stands before it falls", () => {
    const { nodes, all } = graphOf(ec2Stack(cloud));
    const first = [...nodes].filter(([, { lifecycle }]) => lifecycle?.create_before_destroy).map(([address]) => address);
    expect(first.length).toBeGreaterThan(5);
    for (const address of first)
      expect(
        [...all(address)].filter((other) => /demo_cp_._(machine|node|address)|barrier/.test(other)),
        address,
      ).toEqual([]);
  });

  it("lets a control plane wait for no machine but its own", () => {
    const { nodes, all } = graphOf(ec2Stack(cloud));
    const node = [...nodes.keys()].find((address) => /^honest_node\.demo_cp_a_node/.test(address)) ?? "";
    expect([...all(node)].filter((other) => /^aws_instance\.|^aws_volume_attachment/.test(other))).toEqual([
      expect.stringContaining("demo_cp_a_machine"),
      expect.stringContaining("demo_cp_a_machine"),
    ]);
  });

  it("cuts names where two would be one, and all are within limits", () => {
    const { all } = ec2(cloud, { name: "a-name-that-is-as-long-as-it-gets-0", node_groups: {} });
    const named = all
      .filter(({ type }) => ["aws_lb", "aws_lb_target_group"].includes(type))
      .map(({ type, args }) => `${type} ${String(args.name)}`);
    expect(new Set(named).size).toBe(4);
    for (const name of named) expect(name.split(" ")[1]?.length).toBeLessThanOrEqual(32);
  });
});

it("nothing of the network of one zone is changed when a zone is added", () => {
  const [a, b, c] = zonesOf.aws;
  const two = Object.fromEntries(
    [b, c].map((zone, n) => [zone, { cidr: `10.98.${(n + 1) * 16}.0/20`, public_cidr: `10.98.24${n + 1}.0/24` }]),
  );
  const control = { replicas: 1, instance_type: "m7i.large", image: "ami-1" };
  const before = ec2("aws", { vpc_config: { subnets: two }, control_plane: { ...control, zones: [b, c] }, node_groups: {} });
  const after = ec2("aws", {
    vpc_config: { subnets: { ...two, [a]: { cidr: "10.98.0.0/20", public_cidr: "10.98.240.0/24" } } },
    control_plane: { ...control, zones: [b, c, a] },
    node_groups: {},
  });
  const changed = before.all
    .filter(({ name, args }) => JSON.stringify(after.find(name)?.args) !== JSON.stringify(args))
    .map(({ name }) => name);
  // balancers get one more address each; nothing else moves
  expect(changed.filter((name) => !/^(barrier|pki|cp\/a\/(boot|node))$/.test(name)).sort()).toEqual([
    "endpoint/balancer",
    "endpoint/balancer-public",
  ]);
});
