// The life of a cluster of three control planes and two workers on OpenStack: born, repaired, rolled, scaled, destroyed. The
// API, its scheduler, quotas and policies are real, and so are provider and terraform; what the machines would run stands
// in, and answers for their health as the test says (fixture.ts).
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Inventory, inventory } from "../../support/openstack/inventory.js";
import { bootDocument } from "../../support/stand-in/cloud.js";
import { openStage, type Server, type Stage, words } from "./fixture.js";

const names = ["demo-cp-a", "demo-cp-b", "demo-cp-c"];
const web = { scalingConfig: { desiredSize: 2, maxSize: 5 } };
let s: Stage;
let before: Inventory;

beforeAll(async () => {
  s = await openStage({ groups: { web } });
  before = await inventory(s.member, s.admin);
}, 240_000);
afterAll(async () => {
  if (!s) return;
  // a test that failed half-way must not leave its machines to the next run
  await s.w.attempt(["destroy", "-no-color", "-auto-approve", "-input=false"]);
  await s.close();
}, 240_000);

const ids = (servers: readonly Server[], part: string): readonly string[] =>
  servers
    .filter(({ name }) => name?.includes(part))
    .map(({ id }) => id)
    .sort();
const touched = (changes: Readonly<Record<string, string>>, type: string): readonly string[] =>
  Object.keys(changes).filter((address) => address.startsWith(`${type}.`));

it("is born, and the second plan is empty", async () => {
  await s.w.apply();
  await s.w.expectEmptyPlan();
  const servers = await s.servers();
  expect(servers.map(({ name }) => name).sort()).toEqual([...names, "demo-web-a-0", "demo-web-b-0"]);
  const zones = names.map((name) => servers.find((one) => one.name === name)?.["OS-EXT-AZ:availability_zone"]);
  expect(zones).toEqual(["a", "b", "c"]);
});

it("gives each machine what it boots from, on a disk of its own", async () => {
  const { server } = await s.admin.get<{ server: Record<string, unknown> }>("compute", `/servers/${(await s.server("demo-cp-b")).id}`);
  expect(server.config_drive).toBeTruthy();
  const document = bootDocument(String(server["OS-EXT-SRV-ATTR:user_data"]));
  expect(document.node).toMatchObject({ name: "demo-cp-b", role: "control-plane" });
  expect(Object.keys(document.members).sort()).toEqual(names);
});

it("lets in whom the spec names and nobody else", async () => {
  const [listener] = await s.member.list("load-balancer", "/lbaas/listeners", "listeners");
  expect(listener?.allowed_cidrs).toEqual(["10.98.0.0/24", "192.0.2.0/24"]);
  const [address] = await s.member.list("network", "/floatingips", "floatingips");
  expect(address?.fixed_ip_address).toBe("10.98.0.10");
  const rules = await s.member.list("network", "/security-group-rules", "security_group_rules");
  const groups = await s.member.list("network", "/security-groups", "security_groups");
  const ours = new Set(groups.filter(({ name }) => name?.startsWith("demo-")).map(({ id }) => id));
  const open = rules.filter((rule) => ours.has(String(rule.security_group_id)) && rule.direction === "ingress");
  expect(open.filter((rule) => rule.remote_group_id === null).map((rule) => rule.remote_ip_prefix)).toEqual(["10.98.0.0/24"]);
});

it("replaces one control plane: port and volume stay, nothing else is touched, the old one goes first", async () => {
  const machine = await s.address("openstack_compute_instance_v2", "cp_b");
  const [port, volume] = [await s.id("openstack_networking_port_v2", "cp_b"), await s.id("openstack_blockstorage_volume_v3", "cp_b")];
  const others = (await s.servers()).filter(({ name }) => name !== "demo-cp-b").map(({ id }) => id);
  const plan = await s.plan([`-replace=${machine}`]);
  expect(plan.text).toContain("# openstack_compute_instance_v2.demo_cp_b_machine");
  expect(plan.text).toMatch(/-\/\+ resource "openstack_compute_instance_v2"/);
  expect(plan.text).not.toMatch(/\+\/- resource/);
  expect(plan.changes[machine]).toBe("delete,create");
  expect(Object.keys(plan.changes).every((address) => address.includes("_cp_b_") || address.startsWith("honest_barrier."))).toBe(true);
  expect([...touched(plan.changes, "openstack_networking_port_v2"), ...touched(plan.changes, "openstack_blockstorage_volume_v3")]).toEqual(
    [],
  );

  s.agents.cluster.machines.events.length = 0;
  await s.w.apply([`-replace=${machine}`]);
  await s.w.expectEmptyPlan();
  expect([await s.id("openstack_networking_port_v2", "cp_b"), await s.id("openstack_blockstorage_volume_v3", "cp_b")]).toEqual([
    port,
    volume,
  ]);
  const after = await s.servers();
  expect(after.filter(({ name }) => name !== "demo-cp-b").map(({ id }) => id)).toEqual(others);
  const { volume: disk } = await s.member.get<{ volume: { attachments: readonly { server_id: string }[] } }>(
    "volumev3",
    `/volumes/${volume}`,
  );
  expect(disk.attachments.map((one) => one.server_id)).toEqual([(await s.server("demo-cp-b")).id]);
  // taken out of service by its own agent, then stopped, then the successor
  expect(s.agents.cluster.machines.events.filter((event) => event.includes("cp-b"))).toEqual([
    "retire demo-cp-b",
    "stop demo-cp-b",
    "start demo-cp-b",
    "register demo-cp-b",
  ]);
});

it("takes down no second one while another is not well", async () => {
  const sick = s.agents.cluster.machines.on("demo-cp-c");
  if (!sick) throw new Error("c does not live");
  sick.sick = true;
  await new Promise((wake) => setTimeout(wake, 1_500));
  s.want({ groups: { web }, wait: "8s" });
  const machine = await s.address("openstack_compute_instance_v2", "cp_a");
  const old = (await s.server("demo-cp-a")).id;
  const said = words(await s.w.apply([`-replace=${machine}`], { expectFail: true }));
  expect(said).toMatch(/demo-cp-a was not taken down.*demo-cp-c is not Ready/);
  expect((await s.server("demo-cp-a")).id).toBe(old);
  sick.sick = false;
  s.want({ groups: { web } });
  await s.w.apply();
  await s.w.expectEmptyPlan();
});

it("rolls another machine type over control planes one an apply, never by a resize, and over workers by surge", async () => {
  const first = await s.servers();
  s.agents.cluster.machines.events.length = 0;
  s.want({ controlPlaneType: "m1.medium", groups: { web: { ...web, instanceTypes: ["m1.medium"] } } });
  const plan = await s.plan();
  const machines = touched(plan.changes, "openstack_compute_instance_v2").map((address) => [address, plan.changes[address]]);
  expect(machines.filter(([address]) => address?.includes("_cp_"))).toEqual([[expect.stringContaining("_cp_a_"), "delete,create"]]);
  expect(machines.filter(([address]) => address?.includes("_web_"))).toEqual([[expect.stringContaining("_web_a_0_"), "create,delete"]]);
  expect(plan.text).toMatch(/demo-cp-a takes its new release now; demo-cp-b, demo-cp-c wait/);

  expect(await s.toTheEnd()).toBe(3);
  await s.w.expectEmptyPlan();
  const last = await s.servers();
  expect(new Set(last.map(({ flavor }) => flavor.original_name))).toEqual(new Set(["m1.medium"]));
  expect(last.filter(({ id }) => first.some((one) => one.id === id))).toEqual([]);
  const { events } = s.agents.cluster.machines;
  expect(s.agents.mostDown()).toBe(1);
  expect(events.filter((event) => event.startsWith("stop demo-cp"))).toEqual(names.map((name) => `stop ${name}`));
  // the successor of a worker is Ready before the old one goes
  const workers = events.filter((event) => /^(register|stop) demo-web-a-0/.test(event)).map((event) => event.split(" ")[0]);
  expect(workers).toEqual(["register", "stop"]);
});

it("scales a group: others stay as they are", async () => {
  const first = await s.servers();
  const wanted = (desiredSize: number) => ({
    controlPlaneType: "m1.medium",
    groups: { web: { scalingConfig: { desiredSize, maxSize: 5 }, instanceTypes: ["m1.medium"] } },
  });
  s.want(wanted(3));
  await s.w.apply();
  const more = await s.servers();
  expect(more.map(({ name }) => name)).toContain("demo-web-a-1");
  expect(first.every(({ id }) => more.some((one) => one.id === id))).toBe(true);
  s.want(wanted(2));
  await s.w.apply();
  await s.w.expectEmptyPlan();
  expect((await s.servers()).map(({ id }) => id).sort()).toEqual(first.map(({ id }) => id).sort());
});

it("plans and mends what was removed behind its back: a server, an attachment, a member of the balancer", async () => {
  const [a, c] = [await s.server("demo-cp-a"), await s.server("demo-cp-c")];
  const kept = ids(await s.servers(), "").filter((id) => id !== c.id);
  const volume = await s.id("openstack_blockstorage_volume_v3", "cp_a");
  await s.member.send("DELETE", "compute", `/servers/${a.id}/os-volume_attachments/${volume}`);
  await s.member.send("DELETE", "compute", `/servers/${c.id}`);
  const [pool] = await s.member.list("load-balancer", "/lbaas/pools", "pools");
  const members = `/lbaas/pools/${pool?.id}/members`;
  const [member] = (await s.member.list("load-balancer", members, "members")).filter(({ name }) => name === "demo-cp-b");
  await s.member.send("DELETE", "load-balancer", `${members}/${member?.id}`);
  await gone(async () => (await s.servers()).some(({ id }) => id === c.id));
  await gone(async () => (await s.member.list("compute", `/servers/${a.id}/os-volume_attachments`, "volumeAttachments")).length > 0);

  const plan = await s.plan();
  const made = Object.entries(plan.changes).filter(([address]) => address.startsWith("openstack_"));
  expect(made.map(([address, what]) => `${what} ${address.replace(/_[0-9A-F]{8}$/, "")}`).sort()).toEqual([
    "create openstack_compute_instance_v2.demo_cp_c_machine",
    "create openstack_compute_volume_attach_v2.demo_cp_a_machine-disk",
    "create openstack_compute_volume_attach_v2.demo_cp_c_machine-disk",
    "create openstack_lb_member_v2.demo_endpoint_balancer-member_demo-cp-b",
  ]);
  await s.w.apply();
  await s.w.expectEmptyPlan();
  const after = ids(await s.servers(), "");
  expect(kept.every((id) => after.includes(id))).toBe(true);
  expect(after).toHaveLength(5);
});

it("is destroyed and leaves nothing in any API", async () => {
  await s.w.destroy();
  expect(await s.w.resources()).toEqual([]);
  expect(await inventory(s.member, s.admin)).toEqual(before);
  expect(before).toEqual({});
});

async function gone(there: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 60; tries += 1) {
    if (!(await there())) return;
    await new Promise((wake) => setTimeout(wake, 500));
  }
  throw new Error("still there after 30 s");
}
