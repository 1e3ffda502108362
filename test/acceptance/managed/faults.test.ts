// What goes wrong with managed resources: machines that do not come, a closed window, wrong input, a lost answer.
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openTofu } from "../../support/open-tofu.js";
import { type Managed, managed } from "./fixture.js";

const tofu = await openTofu();
let m: Managed;
afterEach(() => m.close());

const machines = () => [...m.cloud.cluster.machines.living.values()].map(({ name }) => name.replace(/-[0-9a-f]{5}$/, "")).sort();
const oneLine = (text: string): string => text.replace(/\s+/g, " ");
async function open(): Promise<void> {
  m = await managed();
  await m.w.init();
}

describe("a machine that never comes", () => {
  it("fails the group within its timeout, with everything kept; the next apply makes it anew and leaves nothing behind", async () => {
    await open();
    m.want({});
    await m.w.apply();
    m.cloud.broken.add("demo-workers-a-0");
    m.want({ groups: { workers: { timeouts: { create: "6s" } } } });
    const failed = await m.w.apply([], { expectFail: true });
    expect(oneLine(failed.stderr)).toContain("terraform untaint");
    const [group] = (await m.w.resources()).filter(({ type }) => type === "honest_node_group");
    expect(group).toMatchObject({ tainted: true, values: { status: "FAILED" } });
    expect(machines()).toEqual(["demo-cp-a", "demo-workers-a-0"]);

    m.cloud.broken.clear();
    await m.w.apply();
    await m.w.expectEmptyPlan();
    expect(machines()).toEqual(["demo-cp-a", "demo-workers-a-0"]);
  });

  it("is gone on with after untaint: what was made is kept", async () => {
    await open();
    m.cloud.broken.add("demo-cp-a");
    m.want({ cluster: { timeouts: { create: "6s" } } });
    await m.w.apply([], { expectFail: true });
    const before = (await m.state("honest_cluster.this")).admin_access;
    m.cloud.broken.clear();
    // whoever mends the machine, as a person at its console would
    for (const [id, { name }] of m.cloud.cluster.machines.living) if (name === "demo-cp-a") m.cloud.cluster.stop(id);
    await m.w.run(["untaint", "-no-color", "honest_cluster.this"]);
    m.want({});
    await m.w.apply();
    await m.w.expectEmptyPlan();
    expect((await m.state("honest_cluster.this")).admin_access).toEqual(before);
  });

  it("leaves nothing when the failed cluster is destroyed", async () => {
    await open();
    m.cloud.broken.add("demo-cp-a");
    m.want({ cluster: { timeouts: { create: "6s" } } });
    await m.w.apply([], { expectFail: true });
    expect(machines()).toEqual(["demo-cp-a"]);
    await m.w.destroy();
    expect(machines()).toEqual([]);
    expect([...m.cloud.objects]).toEqual([]);
  });
});

describe("an answer that Terraform never got", () => {
  const ids = () => [...m.cloud.cluster.machines.living.keys()].sort();
  const stateFile = () => join(m.w.dir, "terraform.tfstate");

  it("of a create: the next apply takes over what was made and makes nothing twice", async () => {
    await open();
    m.want({ groups: { workers: {} } });
    await m.w.apply();
    const before = ids();
    rmSync(stateFile());
    const again = await m.w.apply();
    expect(oneLine(again.stdout)).toContain("An earlier apply was interrupted");
    expect(ids()).toEqual(before);
    await m.w.expectEmptyPlan();
    await m.w.destroy();
    expect(ids()).toEqual([]);
    expect([...m.cloud.objects]).toEqual([]);
  });

  it("of an update: the same, and what the plan shows is what is still to be done", async () => {
    await open();
    m.want({ groups: { workers: {} } });
    await m.w.apply();
    await m.w.run(["refresh", "-no-color", "-input=false"]);
    const old = readFileSync(stateFile());
    m.want({ groups: { workers: { scaling_config: { desired_size: 3 } } } });
    await m.w.apply();
    const before = ids();
    writeFileSync(stateFile(), old);
    await m.w.apply();
    expect(ids()).toEqual(before);
    await m.w.expectEmptyPlan();
  });

  it("of a cluster that was destroyed from elsewhere since is none: the next apply is a birth", async () => {
    await open();
    m.want({});
    await m.w.apply();
    const notes = join(m.w.dir, ".terraform/honest-paas/demo.unsaved.json");
    const old = readFileSync(notes);
    await m.w.destroy();
    expect(existsSync(notes)).toBe(false);
    writeFileSync(notes, old);
    // the stand-in serves the authorities of its first cluster only: the second one's API is not believed
    m.want({ cluster: { timeouts: { create: "6s" } } });
    const { stdout } = await m.w.attempt(["apply", "-no-color", "-auto-approve", "-input=false"]);
    expect(stdout).not.toContain("An earlier apply was interrupted");
  });

  it("is not made up: notes of an apply that the state knows of are forgotten", async () => {
    await open();
    m.want({});
    await m.w.apply();
    const notes = join(m.w.dir, ".terraform/honest-paas/demo.unsaved.json");
    expect(statSync(notes).mode & 0o777).toBe(0o600);
    await m.w.expectEmptyPlan();
    expect(existsSync(notes)).toBe(false);
  });
});

it("lets machines wait while the window is closed: the apply says so, the next plan is empty, an open window goes on", async () => {
  await open();
  const hour = (new Date().getUTCHours() + 12) % 24;
  const closed = { upgrade_policy: { maintenance_window: { hour, duration_hours: 1 } } };
  m.want({ cluster: closed });
  await m.w.apply();
  m.want({ cluster: { ...closed, control_plane: { instance_type: "local.cpu1.mem1024" } } });
  const waited = await m.w.apply();
  expect(oneLine(waited.stdout)).toContain("Machines wait for their new release");
  expect(await m.state("honest_cluster.this")).toMatchObject({ status: "PENDING", pending: [expect.stringContaining("cp/a")] });
  const { exitCode, text } = await m.w.plan();
  expect(exitCode, text).toBe(0);
  expect(oneLine(text)).toContain("the maintenance window is closed");

  m.want({ cluster: { control_plane: { instance_type: "local.cpu1.mem1024" } } });
  await m.w.apply();
  await m.w.expectEmptyPlan();
  expect(await m.state("honest_cluster.this")).toMatchObject({ status: "ACTIVE", pending: [] });
});

describe("wrong input", () => {
  it.each([
    ["an unknown version", { version: "1.2.3" }, "version"],
    ["a cloud without machines", { iaas: { preview: {} } }, "honest_cluster makes nothing on it"],
    ["a machine type of another cloud", { control_plane: { instance_type: "m5.large" } }, "control_plane.instance_type"],
    ["a number that no control plane has", { control_plane: { replicas: 2 } }, "allowed: 1, 3, 5"],
    ["a name that no cluster has", { name: "Demo" }, "name"],
    ["a limit that is no duration", { timeouts: { create: "soon" } }, "Not a duration"],
  ])("%s is an error of validate", async (_, cluster, words) => {
    await open();
    m.want({ cluster });
    const { stdout, stderr } = await m.w.run(["validate", "-no-color"], { expectFail: true });
    expect(oneLine(stdout + stderr)).toContain(words);
  });

  it("a size that is only known after apply is an error of plan", async () => {
    await open();
    m.want({ groups: { workers: { scaling_config: { desired_size: "$" + "{terraform_data.size.output}" } } } });
    m.w.write({ "size.tf.json": { resource: { terraform_data: { size: { input: 2 } } } } });
    const { exitCode, text } = await m.w.plan([], { expectFail: true });
    expect(exitCode).toBe(1);
    expect(oneLine(text)).toContain("scaling_config.desired_size decides what there is to make");
  });
});

it.skipIf(tofu.missing)(`works the same under OpenTofu${tofu.missing ? ` (skipped: ${tofu.missing})` : ""}`, async () => {
  m = await managed({ engine: "tofu", program: tofu.path });
  await m.w.init();
  m.want({ groups: { workers: {} } });
  await m.w.apply();
  await m.w.expectEmptyPlan();
  m.want({ groups: { workers: { scaling_config: { desired_size: 2 } } } });
  await m.w.apply();
  await m.w.expectEmptyPlan();
  await m.w.destroy();
  expect(machines()).toEqual([]);
});
