// Another name of a group is another group; another address of its resource is not.
import { afterEach, expect, it } from "vitest";
import { type Managed, managed } from "./fixture.js";

let m: Managed;
afterEach(() => m.close());
const machines = () => [...m.cloud.cluster.machines.living.values()].map(({ name }) => name.replace(/-[0-9a-f]{5}$/, "")).sort();
const group = (name: string, more: object = {}) => ({ [name]: { scaling_config: { desired_size: 2 }, ...more } });
const eventsOf = () => [...m.cloud.cluster.machines.events].filter((event) => /-(old|new)-/.test(event));

it("makes the new group before the old one is drained, where that is asked for", async () => {
  m = await managed();
  await m.w.init();
  const lifecycle = { create_before_destroy: true };
  m.want({ groups: group("workers", { name: "old", lifecycle }) });
  await m.w.apply();
  expect(machines()).toEqual(["demo-cp-a", "demo-old-a-0", "demo-old-a-1"]);
  m.want({ groups: group("workers", { name: "new", lifecycle }) });
  const { json } = await m.w.plan();
  expect((json.resource_changes ?? []).map(({ address, change }) => `${address} ${change.actions.join(",")}`)).toContain(
    "honest_node_group.workers create,delete",
  );
  await m.w.apply();
  await m.w.expectEmptyPlan();
  expect(machines()).toEqual(["demo-cp-a", "demo-new-a-0", "demo-new-a-1"]);
  const events = eventsOf();
  const firstGone = events.findIndex((event) => event.startsWith("stop"));
  const lastCame = events.findLastIndex((event) => event.startsWith("register") && event.includes("-new-"));
  expect(lastCame, events.join("\n")).toBeLessThan(firstGone);
});

it("touches nothing when only the resource's address is another", async () => {
  m = await managed();
  await m.w.init();
  m.want({ groups: group("workers", { name: "w" }) });
  await m.w.apply();
  const before = [...m.cloud.cluster.machines.living.keys()].sort();
  m.want({ groups: group("others", { name: "w" }) });
  m.w.write({ "moved.tf.json": { moved: [{ from: "honest_node_group.workers", to: "honest_node_group.others" }] } });
  await m.w.apply();
  await m.w.expectEmptyPlan();
  expect([...m.cloud.cluster.machines.living.keys()].sort()).toEqual(before);
});
