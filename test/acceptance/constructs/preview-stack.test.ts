// A preview is the graph of a cluster without its machines: on it a real terraform shows in which order it makes,
// replaces and takes away. Each step is followed by an empty plan.
import { afterEach, describe, expect, it } from "vitest";
import type { ClusterProps } from "../../../constructs/index.js";
import type { NodeGroupProps } from "../../../constructs/spec/gen/spec.js";
import { nullProvider } from "../../support/null-provider.js";
import { synth } from "../../support/synth.js";
import { type Workspace, workspace } from "../../support/terraform.js";

const open: Workspace[] = [];
afterEach(async () => {
  for (const w of open.splice(0)) await w.close();
});

const groups = (over: Readonly<Record<string, number>>): Readonly<Record<string, NodeGroupProps>> =>
  Object.fromEntries(Object.entries(over).map(([name, desiredSize]) => [name, { scalingConfig: { desiredSize }, zones: ["a", "b"] }]));

async function start(props: Partial<ClusterProps>, sizes: Readonly<Record<string, number>>) {
  const { provider, events } = nullProvider();
  const w = await workspace({ provider, source: "hashicorp/null" });
  open.push(w);
  const write = (p: Partial<ClusterProps>, s: Readonly<Record<string, number>>) =>
    w.write({ "cdk.tf.json": synth("preview", { deletionProtection: false, ...p }, groups(s)) });
  write(props, sizes);
  await w.init();
  await w.apply();
  await w.expectEmptyPlan();
  const made = events.splice(0);
  return { w, events, write, made };
}

const three = { controlPlane: { replicas: 3, zones: ["a", "b", "c"] } } as const;
const order = (events: readonly string[], ...wanted: readonly string[]): void => {
  const places = wanted.map((event) => events.indexOf(event));
  expect(places, `${wanted.join(", ")} in\n${events.join("\n")}`).toEqual([...places].sort((a, b) => a - b));
  expect(places).not.toContain(-1);
};
const actions = async (w: Workspace, args: readonly string[] = []): Promise<ReadonlyMap<string, readonly string[]>> =>
  new Map(
    ((await w.plan([...args])).json.resource_changes ?? [])
      .filter((change) => change.change.actions.join() !== "no-op")
      .map((change) => [change.address.replace(/_[0-9A-F]{8}$/, ""), change.change.actions]),
  );

describe("a cluster's life", () => {
  it("hands over last and is taken away barrier first, balancer and network after the control plane", async () => {
    const { w, events, made } = await start(three, { web: 2 });
    expect(made.at(-1)).toBe("create barrier demo");
    order(made, "create network demo", "create balancer demo-api", "create node demo-cp-a", "create barrier demo");
    await w.destroy();
    expect(events[0]).toBe("delete barrier demo");
    for (const letter of ["a", "b", "c"])
      order(
        events,
        `delete node demo-cp-${letter}`,
        `delete machine demo-cp-${letter}`,
        `delete disk demo-cp-${letter}-etcd`,
        "delete network demo",
      );
    order(events, "delete node demo-cp-a", "delete balancer demo-api");
    expect(await w.resources()).toEqual([]);
  });

  it("replaces a control plane by taking it away first: its address and disk are its successor's", async () => {
    const { w, events } = await start(three, { web: 1 });
    const [machine = ""] = (await w.resources()).map((r) => r.address).filter((address) => /demo_cp_b_machine/.test(address));
    const plan = await actions(w, [`-replace=${machine}`]);
    expect(plan.get("null_resource.demo_cp_b_machine")).toEqual(["delete", "create"]);
    expect(plan.get("null_resource.demo_cp_b_node")).toEqual(["delete", "create"]);
    expect([...plan.keys()].filter((address) => /_cp_[ac]_|_group_|disk|pki|boot/.test(address))).toEqual([]);
    await w.apply([`-replace=${machine}`]);
    order(events, "delete node demo-cp-b", "delete machine demo-cp-b", "create machine demo-cp-b", "create node demo-cp-b");
    await w.expectEmptyPlan();
  });

  it("replaces a worker by a successor that joined before it goes", async () => {
    const { w, events } = await start({}, { web: 2 });
    const [machine = ""] = (await w.resources()).map((r) => r.address).filter((address) => /web_a_0_machine/.test(address));
    const plan = await actions(w, [`-replace=${machine}`]);
    expect(plan.get("null_resource.demo_group_web_a_0_machine")).toEqual(["create", "delete"]);
    expect(plan.get("null_resource.demo_group_web_a_0_node")).toEqual(["create", "delete"]);
    expect([...plan.keys()].filter((address) => /_cp_|_b_0_|network|pki|boot/.test(address))).toEqual([]);
    await w.apply([`-replace=${machine}`]);
    order(events, "create machine demo-web-a-0", "create node demo-web-a-0", "delete node demo-web-a-0", "delete machine demo-web-a-0");
    await w.expectEmptyPlan();
  });

  it("touches nothing else when a group is added, grows, shrinks or goes", async () => {
    const { w, write } = await start(three, { web: 2 });
    const edit = async (props: Partial<ClusterProps>, sizes: Readonly<Record<string, number>>) => {
      write(props, sizes);
      const plan = await actions(w);
      await w.apply();
      await w.expectEmptyPlan();
      return [...plan].map(([address, done]) => `${done.join("+")} ${address.split("demo_group_")[1] ?? address}`).sort();
    };
    const machine = (verb: string, of: string) => ["boot", "machine", "node"].map((part) => `${verb} ${of}_${part}`);
    expect(await edit(three, { web: 2, batch: 1 })).toEqual(machine("create", "batch_a_0"));
    expect(await edit(three, { web: 3, batch: 1 })).toEqual(machine("create", "web_a_1"));
    expect(await edit(three, { web: 1, batch: 1 })).toEqual([...machine("delete", "web_0"), ...machine("delete", "web_a_1")].sort());
    expect(await edit(three, { batch: 1 })).toEqual(machine("delete", "web_a_0"));
  });

  it("grows its control plane beside those that are there", async () => {
    const { w, write } = await start({}, { web: 1 });
    write({ controlPlane: { replicas: 3 } }, { web: 1 });
    const plan = await actions(w);
    expect(new Set([...plan.values()].map((done) => done.join("+")))).toEqual(new Set(["create"]));
    expect([...plan.keys()].every((address) => /_cp_[bc]_/.test(address))).toBe(true);
    await w.apply();
    await w.expectEmptyPlan();
  });

  it("refuses the plan of its own destroy while it is protected", async () => {
    const { w, write } = await start({ deletionProtection: true }, { web: 1 });
    const refused = await w.run(["plan", "-destroy", "-no-color", "-input=false"], { expectFail: true });
    expect(refused.stderr).toMatch(/prevent_destroy/);
    write({ deletionProtection: false }, { web: 1 });
    await w.apply();
    await w.destroy();
    expect(await w.resources()).toEqual([]);
  });
});
