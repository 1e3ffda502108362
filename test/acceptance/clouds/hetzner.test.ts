// The blocks of a cluster on Hetzner Cloud in a real terraform: references, types, orders and cycles are its judgement, the
// provider is a stand-in made of the schema. Each step is followed by an empty plan. No machine boots here, and what the
// cloud itself would say is not known.
import { TerraformStack, Testing } from "cdktf";
import { afterEach, describe, expect, it } from "vitest";
import { Cluster, type ClusterProps } from "../../../constructs/index.js";
import type { NodeGroupProps } from "../../../constructs/spec/gen/spec.js";
import type { ObjectValue } from "../../../provider/framework/value.js";
import { standInHcloud } from "../../support/stand-in-hcloud.js";
import { standInHonest } from "../../support/stand-in-honest.js";
import { type Workspace, workspace } from "../../support/terraform.js";

const open: Workspace[] = [];
afterEach(async () => {
  for (const w of open.splice(0)) await w.close();
});

const image = "debian-12";
const zones = ["fsn1", "nbg1", "hel1"] as const;

interface Wanted {
  readonly props?: Partial<ClusterProps>;
  readonly control?: Partial<ClusterProps["controlPlane"]>;
  readonly web?: Partial<NodeGroupProps>;
}

/** examples/hetzner, and what a test changes. */
function stackOf({ props = {}, control = {}, web = {} }: Wanted): object {
  const stack = new TerraformStack(Testing.app(), "demo");
  const cluster = new Cluster(stack, "demo", {
    version: "1.36.3",
    iaas: { hcloud: { publicEndpoint: "control_planes" } },
    access: { endpoint: "https://api.demo.example.com:6443" },
    vpcConfig: { publicAccessCidrs: ["203.0.113.0/24"] },
    controlPlane: { replicas: 3, zones: [...zones], instanceType: "cpx31", image, etcdVolume: { sizeGib: 10 }, ...control },
    deletionProtection: false,
    ...props,
  });
  cluster.addNodeGroup("web", { instanceTypes: ["cpx41"], image, zones: ["fsn1", "nbg1"], scalingConfig: { desiredSize: 3 }, ...web });
  cluster.addNodeGroup("batch", { instanceTypes: ["ccx23"], image, zones: ["fsn1"], scalingConfig: { desiredSize: 1 } });
  return JSON.parse(Testing.synth(stack, true)) as object;
}

/** "demo-web-fsn1-0-1a2b3" → "demo-web-fsn1-0": workers' names end in something new each time. */
const named = ({ name, spec, id }: ObjectValue): string =>
  String((spec as ObjectValue | undefined)?.name ?? name ?? id).replace(/(-\d+)-[0-9a-f]{5}$/, "$1");

async function start(wanted: Wanted = {}) {
  const events: string[] = [];
  const seen = (event: string, object: ObjectValue): void => {
    events.push(`${event} ${named(object)}`);
  };
  const vendor = standInHcloud(seen);
  const honest = await standInHonest(seen);
  const w = await workspace({ provider: honest.provider, others: { "hetznercloud/hcloud": vendor.provider } });
  open.push(w);
  const write = (more: Wanted) => w.write({ "cdk.tf.json": stackOf(more) });
  write(wanted);
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

const order = (events: readonly string[], ...wanted: readonly (string | RegExp)[]): void => {
  const places = wanted.map((event) => events.findIndex((one) => (typeof event === "string" ? one === event : event.test(one))));
  expect(places, `${wanted.join(", ")} in\n${events.join("\n")}`).toEqual([...places].sort((a, b) => a - b));
  expect(places).not.toContain(-1);
};

const addressOf = async (w: Workspace, type: string, part: RegExp): Promise<string> => {
  const [found, ...more] = (await w.resources()).filter((r) => r.type === type && part.test(r.address));
  if (!found || more.length > 0) throw new Error(`${more.length + (found ? 1 : 0)} of ${type} with ${part} in the state`);
  return found.address;
};

describe("a cluster on Hetzner Cloud", () => {
  it("is made and taken away whole, and nothing is left", async () => {
    const { w, world, events } = await start();
    const workers = (await w.resources()).filter((r) => r.type === "hcloud_server" && /group_/.test(r.address)).map((r) => r.values.name);
    expect(new Set(workers).size).toBe(4);
    for (const name of workers) expect(name).toMatch(/^demo-(web|batch)-(fsn1|nbg1)-\d-[0-9a-f]{5}$/);
    await w.destroy();
    expect([...world.objects.keys()]).toEqual([]);
    expect(events[0]).toMatch(/^delete honest_barrier/);
    order(
      events,
      "delete honest_node demo-cp-a",
      /^delete hcloud_volume_attachment/,
      "delete hcloud_server demo-cp-a",
      "delete hcloud_network demo",
    );
  });

  it("replaces one control plane behind its address and its disk, taking it away first", async () => {
    const { w, events } = await start();
    const replace = [`-replace=${await addressOf(w, "hcloud_server", /cp_b_machine/)}`];
    expect((await changes(w, replace)).filter((change) => !change.startsWith("update"))).toEqual([
      "delete+create cp_b_machine",
      "delete+create cp_b_machine-disk",
      "delete+create cp_b_node",
    ]);
    await w.apply(replace);
    order(
      events,
      "delete honest_node demo-cp-b",
      /^delete hcloud_volume_attachment/,
      "delete hcloud_server demo-cp-b",
      "create hcloud_server demo-cp-b",
      /^create hcloud_volume_attachment/,
      "create honest_node demo-cp-b",
    );
    expect(
      events.filter((event) => /cp-[ac]|hcloud_volume |primary_ip|balancer|network|pki/.test(event) && !event.startsWith("update")),
    ).toEqual([]);
    await w.expectEmptyPlan();
  });

  it("replaces machines whose type changes, never switches them off in place", async () => {
    const { w, write, events } = await start();
    write({ control: { instanceType: "cpx41" } });
    expect((await changes(w)).filter((change) => /_machine$/.test(change))).toEqual(
      ["a", "b", "c"].map((letter) => `delete+create cp_${letter}_machine`),
    );
    await w.apply();
    expect(events.filter((event) => event.startsWith("update hcloud_server"))).toEqual([]);
    await w.expectEmptyPlan();
  });

  it("puts a worker's successor beside it under another name, in a roll and when it is forced", async () => {
    const { w, write, events } = await start();
    write({ web: { image: "debian-13" } });
    expect(await changes(w)).toContain("create+delete group_web_fsn1_0_machine");
    await w.apply();
    order(events, "create hcloud_server demo-web-fsn1-0", "create honest_node demo-web-fsn1-0", "delete hcloud_server demo-web-fsn1-0");
    await w.expectEmptyPlan();
    events.length = 0;
    await w.apply([`-replace=${await addressOf(w, "hcloud_server", /web_nbg1_0_machine/)}`]);
    order(events, "create hcloud_server demo-web-nbg1-0", "delete hcloud_server demo-web-nbg1-0");
    await w.expectEmptyPlan();
  });

  it("grows, shrinks and opens up in place: nothing that is there is replaced", async () => {
    const { w, write, world } = await start({ control: { replicas: 1 } });
    const guarded = (): readonly boolean[] =>
      [...world.objects.values()]
        .filter(({ type, object }) => type === "hcloud_server" && (object.public_net as readonly ObjectValue[])[0]?.ipv4_enabled === true)
        .map(({ object }) => (object.firewall_ids as readonly unknown[]).length > 0);
    const ranges = { vpcConfig: { publicAccessCidrs: ["203.0.113.0/24", "198.51.100.0/24"] } };
    const steps: readonly Wanted[] = [
      {},
      { props: ranges },
      { props: { ...ranges, tags: { team: "platform" } }, web: { scalingConfig: { desiredSize: 7, maxSize: 9 } } },
      { props: { ...ranges, tags: { team: "platform" }, iaas: { hcloud: { publicEndpoint: "control_planes", sshKeys: ["ops"] } } } },
      { props: { ...ranges, vpcConfig: { ...ranges.vpcConfig, egress: "none" } }, web: { scalingConfig: { desiredSize: 1 } } },
    ];
    for (const step of steps) {
      write(step);
      const plan = await changes(w);
      expect(plan.filter((change) => /delete\+create|create\+delete/.test(change))).toEqual([]);
      await w.apply();
      await w.expectEmptyPlan();
      // also those that keep a public side which the spec no longer gives
      expect(guarded()).not.toContain(false);
      expect(guarded().length).toBeGreaterThan(0);
    }
  });

  it("mends what was taken away behind terraform's back", async () => {
    const { w, world } = await start();
    for (const [type, expected] of [
      ["hcloud_volume_attachment", /^create cp_._machine-disk$/],
      ["hcloud_load_balancer_target", /^create endpoint_balancer-target$/],
    ] as const) {
      const [key = ""] = [...world.objects].filter(([, made]) => made.type === type).map(([found]) => found);
      world.vanish(key);
      expect((await changes(w)).filter((change) => change.startsWith("create"))).toEqual([expect.stringMatching(expected)]);
      await w.apply();
      await w.expectEmptyPlan();
    }
  });

  it("leaves a network and a subnet that were there before alone", async () => {
    const { w, world, made } = await start({
      props: {
        vpcConfig: {
          networkId: "4711",
          subnetId: "4711-10.0.1.0/24",
          cidr: "10.0.1.0/24",
          egress: "public",
          publicAccessCidrs: ["0.0.0.0/0"],
        },
        iaas: { hcloud: {} },
        access: {},
      },
    });
    expect(made.filter((event) => /hcloud_(network|network_subnet) /.test(event))).toEqual([]);
    await w.destroy();
    expect([...world.objects.keys()]).toEqual([]);
  });

  it("fails at the plan of a destroy while it is protected", async () => {
    const { w, world } = await start({ props: { deletionProtection: true } });
    const before = world.objects.size;
    const failed = await w.destroy([], { expectFail: true });
    expect(failed.stderr).toMatch(/prevent_destroy/);
    expect(world.objects.size).toBe(before);
  });
});
