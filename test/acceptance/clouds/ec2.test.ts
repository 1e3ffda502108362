// The blocks of a cluster on AWS and on K2 Cloud in a real terraform: references, types, orders and cycles are its judgement,
// the provider is a stand-in made of the schema. Each step is followed by an empty plan. No machine boots here, and what the
// clouds themselves would say is not known.
import { afterEach, describe, expect, it } from "vitest";
import type { ObjectValue } from "../../../provider/framework/value.js";
import { cloudSchema } from "../../support/cloud-schema.js";
import { type Ec2, ec2Input, ec2Stack, zonesOf } from "../../support/ec2-cluster.js";
import { standInEc2 } from "../../support/stand-in-ec2.js";
import { standInHonest } from "../../support/stand-in-honest.js";
import { type Workspace, workspace } from "../../support/terraform.js";

type Input = Readonly<Record<string, unknown>>;

const open: Workspace[] = [];
afterEach(async () => {
  for (const w of open.splice(0)) await w.close();
});

const tagged = (object: ObjectValue): string =>
  String((object.tags as Readonly<Record<string, string>> | null)?.Name ?? object.name ?? object.id);

async function start(cloud: Ec2, over: Input = {}) {
  const events: string[] = [];
  const seen = (event: string, object: ObjectValue): void => {
    events.push(`${event} ${event.includes("honest_boot") ? String((object.spec as ObjectValue).name) : tagged(object)}`);
  };
  const vendor = standInEc2(cloud, seen);
  const honest = await standInHonest(seen);
  const w = await workspace({ provider: honest.provider, others: { [cloudSchema(cloud).source]: vendor.provider } });
  open.push(w);
  const write = (input: Input) => w.write({ "cdk.tf.json": ec2Stack(cloud, input) });
  write(over);
  await w.init();
  await w.apply();
  await w.expectEmptyPlan();
  return { w, world: vendor.world, events, write, made: events.splice(0) };
}

const changes = async (w: Workspace, args: readonly string[] = []): Promise<readonly string[]> =>
  ((await w.plan(args)).json.resource_changes ?? [])
    .filter((change) => change.change.actions.join() !== "no-op")
    .map((change) => `${change.change.actions.join("+")} ${change.address.replace(/^[a-z0-9_]+\.demo_/, "").replace(/_[0-9A-F]{8}$/, "")}`)
    .sort();

const order = (events: readonly string[], ...wanted: readonly string[]): void => {
  const places = wanted.map((event) => events.indexOf(event));
  expect(places, `${wanted.join(", ")} in\n${events.join("\n")}`).toEqual([...places].sort((a, b) => a - b));
  expect(places).not.toContain(-1);
};

describe.each(["aws", "k2"] as const)("a cluster on %s", (cloud) => {
  const zones = zonesOf[cloud];
  const base = ec2Input(cloud) as Readonly<Record<string, Input>>;
  const worker = `batch-${zones[0]}-0`;
  /** One worker is as good as four: each command costs by the resource. */
  const small = (more: Input = {}): Input => ({ node_groups: { batch: { ...(base.node_groups?.batch as Input), ...more } } });
  const controlPlane = (more: Input): Input => ({ control_plane: { ...base.control_plane, ...more } });

  it("is made, rolled, mended and taken away whole, and nothing is left", async () => {
    const { w, world, events, write } = await start(cloud, small());
    const first = (begin: string): string => events.find((event) => event.startsWith(begin)) ?? `no ${begin}`;

    const address = (await w.resources()).find((r) => r.type === "aws_instance" && /cp_b_machine/.test(r.address))?.address;
    const replace = [`-replace=${address}`];
    expect((await changes(w, replace)).filter((change) => !change.startsWith("update"))).toEqual(
      [
        "delete+create cp_b_machine",
        "delete+create cp_b_machine-disk",
        "delete+create cp_b_node",
        ...(cloud === "k2" ? ["delete+create cp_b_machine-target", "delete+create cp_b_machine-target-public"] : []),
      ].sort(),
    );
    await w.apply(replace);
    order(
      events,
      first("delete honest_node"),
      first("delete aws_volume_attachment"),
      "delete aws_instance demo-cp-b",
      "create aws_instance demo-cp-b",
      first("create aws_volume_attachment"),
      first("create honest_node"),
    );
    // its address, its disk and everybody else are where they were
    expect(events.filter((event) => !event.startsWith("update") && /ebs_volume|network_interface|aws_lb /.test(event))).toEqual([]);
    await w.expectEmptyPlan();

    events.length = 0;
    write({ ...small({ image: "other-1" }), ...controlPlane({ instance_type: "m7i.xlarge" }) });
    const rolled = (await changes(w)).filter((change) => /_machine$/.test(change));
    expect(rolled).toEqual([
      `create+delete group_batch_${zones[0]}_0_machine`,
      ...["a", "b", "c"].map((letter) => `delete+create cp_${letter}_machine`),
    ]);
    await w.apply();
    // a machine is never stopped and started with another type
    expect(events.filter((event) => event.startsWith("update aws_instance"))).toEqual([]);
    order(events, `create aws_instance demo-${worker}`, `delete aws_instance demo-${worker}`);
    const controlPlanes = [...world.objects].filter(([, { type, object }]) => type === "aws_instance" && /cp-/.test(tagged(object)));
    expect(new Set(controlPlanes.map(([, { object }]) => object.instance_type))).toEqual(new Set(["m7i.xlarge"]));
    // nor when somebody changed it by hand: three at once would be an outage
    for (const [key] of controlPlanes) world.drift(key, { instance_type: "t3.micro" });
    await w.expectEmptyPlan();

    const [attachment = ""] = [...world.objects].filter(([, { type }]) => type === "aws_volume_attachment").map(([key]) => key);
    world.vanish(attachment);
    expect((await changes(w)).filter((change) => change.startsWith("create"))).toEqual([
      expect.stringMatching(/^create cp_._machine-disk$/),
    ]);
    await w.apply();

    events.length = 0;
    await w.destroy();
    expect([...world.objects.keys()]).toEqual([]);
    expect(events[0]).toMatch(/^delete honest_barrier/);
    order(events, "delete aws_instance demo-cp-a", "delete aws_network_interface demo-cp-a", "delete aws_vpc demo");
  });

  it("grows, opens up, loses a group and is closed in place: nothing that is there is replaced", async () => {
    const { w, write } = await start(cloud, { ...small(), ...controlPlane({ replicas: 1 }) });
    const three = { ...controlPlane({ replicas: 3 }), ...small() };
    const steps: readonly Input[] = [
      { ...three, vpc_config: { public_access_cidrs: ["203.0.113.0/24", "198.51.100.0/24"] } },
      { ...three, node_groups: {}, tags: { team: "platform" }, vpc_config: { egress: "none" } },
    ];
    // a rule of K2's kind is another one when its range is
    const allowed = cloud === "k2" ? ["delete+create firewall_out"] : [];
    for (const step of steps) {
      write(step);
      const replaced = (await changes(w)).filter((change) => /delete\+create|create\+delete/.test(change));
      expect(replaced.filter((change) => !allowed.includes(change))).toEqual([]);
      await w.apply();
      await w.expectEmptyPlan();
    }
  });

  it("leaves a network, subnets and groups that were there before alone", async () => {
    const subnets = Object.fromEntries(zones.map((zone, n) => [zone, { cidr: `10.98.${n * 16}.0/20`, id: `subnet-theirs-${n}` }]));
    const { w, world, made } = await start(cloud, {
      ...small(),
      vpc_config: {
        network_id: "vpc-theirs",
        subnets,
        security_group_ids: ["sg-theirs"],
        public_access_cidrs: [],
        endpoint_public_access: false,
      },
    });
    expect(made.filter((event) => /aws_(vpc|subnet|route|route_table|internet_gateway|nat_gateway|eip) /.test(event))).toEqual([]);
    await w.destroy();
    expect([...world.objects.keys()]).toEqual([]);
  });
});
