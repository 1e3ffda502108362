// What a cloud refuses and what breaks meanwhile: a pool without addresses, a quota that ends half-way, no host for an
// anti-affinity group, an API that restarts. Each time: the cloud's own words, nothing lost, and the next apply ends it.
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Inventory, inventory } from "../../support/openstack/inventory.js";
import { openStage, type Stage, words } from "./fixture.js";

const names = ["demo-cp-a", "demo-cp-b", "demo-cp-c"];
let s: Stage;
let before: Inventory;

beforeAll(async () => {
  s = await openStage();
  before = await inventory(s.member, s.admin);
  // a lab whose last run was cut off may have kept another end
  await pool("198.51.100.10");
}, 240_000);
afterAll(async () => {
  if (!s) return;
  await pool("198.51.100.10");
  await volumes(-1);
  await s.w.attempt(["destroy", "-no-color", "-auto-approve", "-input=false"]);
  await s.close();
}, 240_000);

/** The last address that the pool "scarce" gives; its first is .10. */
async function pool(end: string): Promise<void> {
  const [network] = await s.admin.list("network", "/networks?name=scarce", "networks");
  const [subnet] = await s.admin.list("network", `/subnets?network_id=${network?.id}`, "subnets");
  const allocation_pools = [{ start: "198.51.100.10", end }];
  await s.admin.send("PUT", "network", `/subnets/${subnet?.id}`, { subnet: { allocation_pools } });
}

/** How many volumes the project may have; -1: as many as it likes. */
const volumes = (most: number): Promise<unknown> =>
  s.admin.send("PUT", "volumev3", `/os-quota-sets/${s.member.projectId}`, { quota_set: { volumes: most } });

it("names a pool without addresses and a quota that ends half-way; what the cloud gave is kept", async () => {
  // one address, for the router and the floating IP; volumes for two of three control planes
  await volumes(2);
  s.want({ externalNetwork: "scarce", wait: "30s" });
  const said = words(await s.w.apply([], { expectFail: true }));
  expect(said).toMatch(/No more IP addresses available on network/);
  expect(said).toMatch(/Maximum number of volumes allowed \(2\) exceeded/);
  const made = (await s.member.list("volumev3", "/volumes", "volumes")).map(({ id }) => id);
  expect(made).toHaveLength(2);
  const known = (await s.w.resources()).filter(({ type }) => type === "openstack_blockstorage_volume_v3");
  expect(known.map(({ values }) => values.id).sort()).toEqual([...made].sort());
});

it("names a full anti-affinity group; the machines that have a place stay", async () => {
  await pool("198.51.100.20");
  await volumes(-1);
  // three control planes on two hosts
  s.want({ externalNetwork: "scarce", zones: ["a", "b"], wait: "30s" });
  expect(words(await s.w.apply([], { expectFail: true }))).toMatch(/No valid host was found|unexpected state 'ERROR'/);
  const active = (await s.servers()).filter(({ status }) => status === "ACTIVE").map(({ id }) => id);
  expect(active).toHaveLength(2);
});

it("ends with the next apply when the cloud has what is missing", async () => {
  s.want({ externalNetwork: "scarce" });
  await s.w.apply();
  await s.w.expectEmptyPlan();
  expect((await s.servers()).map(({ name }) => name).sort()).toEqual(names);
  expect(await s.member.list("network", "/floatingips", "floatingips")).toHaveLength(1);
});

it("survives APIs that restart while a control plane is replaced", async () => {
  const machine = await s.address("openstack_compute_instance_v2", "cp_a");
  const others = (await s.servers()).filter(({ name }) => name !== "demo-cp-a").map(({ id }) => id);
  const volume = await s.id("openstack_blockstorage_volume_v3", "cp_a");
  const running = s.w.attempt(["apply", "-no-color", "-auto-approve", "-input=false", `-replace=${machine}`]);
  // in the middle: the old one is out of service, its successor not made yet
  while (!s.agents.cluster.machines.events.includes("retire demo-cp-a")) await new Promise((wake) => setTimeout(wake, 100));
  await s.lab.stop("nova-api", "cinder-api");
  await new Promise((wake) => setTimeout(wake, 3_000));
  await s.lab.start("nova-api", "cinder-api");
  const ran = await running;
  if (ran.code !== 0) expect(words(ran)).toMatch(/connection refused|EOF|reset by peer|503/);
  await s.toTheEnd();
  await s.w.expectEmptyPlan();
  expect(await s.id("openstack_blockstorage_volume_v3", "cp_a")).toBe(volume);
  const after = await s.servers();
  expect(others.every((id) => after.some((one) => one.id === id))).toBe(true);
  expect(after.map(({ name }) => name).sort()).toEqual(names);
  // none, when the old one could not be taken away before the APIs were
  expect(s.agents.mostDown()).toBeLessThanOrEqual(1);
});

it("is destroyed and leaves nothing", async () => {
  await s.w.destroy();
  expect(await inventory(s.member, s.admin)).toEqual(before);
  expect(before).toEqual({});
});
