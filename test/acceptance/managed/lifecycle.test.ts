// The life of a cluster as a managed resource: real terraform, the kit's own resources, a cluster that stands in. The steps
// build on each other; each apply does what its plan listed and ends with an empty plan.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Managed, managed, type Wanted } from "./fixture.js";

const upgrade = "1.37.2";

describe("honest_cluster and honest_node_group", () => {
  let m: Managed;
  beforeAll(async () => {
    m = await managed();
    await m.w.init();
  });
  afterAll(() => m.close());

  /** Plans, applies; the lines of `blocks` that are not no-op, as planned. */
  async function go(wanted: Wanted): Promise<readonly string[]> {
    m.want(wanted);
    const { json } = await m.w.plan();
    const changed = (json.resource_changes ?? []).filter(({ change }) => change.actions.some((action) => action !== "no-op"));
    const planned = m.blocks(changed.map(({ change }) => change.after ?? {}));
    const done = await m.w.apply();
    expect(done.stdout).not.toContain("something else than the plan had listed");
    await m.w.expectEmptyPlan();
    for (const address of changed.map((change) => change.address))
      expect(await m.state(address)).toMatchObject({ status: "ACTIVE", pending: [] });
    return planned;
  }
  const machines = () => [...m.cloud.cluster.machines.living.values()].map(({ name }) => name.replace(/-[0-9a-f]{5}$/, "")).sort();

  it("make a cluster in one apply, and the second plan is empty", async () => {
    const planned = await go({ groups: { workers: {} } });
    expect(planned).toContain("create cp/a/machine");
    expect(planned).toContain("create group/workers/a/0/machine");
    expect(await m.state("honest_cluster.this")).toMatchObject({
      id: "demo",
      versions: { "demo-cp-a": "1.36.3" },
      log: expect.stringMatching(/\.terraform\/honest-paas\/demo\.log$/),
    });
    expect(machines()).toEqual(["demo-cp-a", "demo-workers-a-0"]);
  });

  it("scale a group out and in", async () => {
    expect(await go({ groups: { workers: { scaling_config: { desired_size: 2 } } } })).toContain("create group/workers/a/1/machine");
    expect(machines()).toEqual(["demo-cp-a", "demo-workers-a-0", "demo-workers-a-1"]);
    expect(await go({ groups: { workers: {} } })).toContain("delete group/workers/a/1/node");
    expect(machines()).toEqual(["demo-cp-a", "demo-workers-a-0"]);
  });

  it("label and taint in place", async () => {
    const before = [...m.cloud.cluster.machines.living.keys()];
    const labelled = { labels: { tier: "web" }, taint: [{ key: "web", effect: "NO_SCHEDULE" }] };
    const planned = await go({ groups: { workers: labelled } });
    expect(planned).toContain("update group/workers/a/0/node");
    expect(planned.some((line) => line.includes("machine"))).toBe(false);
    expect([...m.cloud.cluster.machines.living.keys()]).toEqual(before);
    await go({ groups: { workers: {} } });
  });

  it("take other limits of their own without touching anything", async () => {
    const before = [...m.cloud.cluster.requests].filter((request) => !request.startsWith("GET")).length;
    await go({ cluster: { timeouts: { update: "30m" } }, groups: { workers: { timeouts: { update: "30m" } } } });
    expect([...m.cloud.cluster.requests].filter((request) => !request.startsWith("GET")).length).toBe(before);
  });

  it("roll a group to another machine type", async () => {
    const planned = await go({ groups: { workers: { instance_types: ["local.cpu1.mem1024"] } } });
    expect(planned.filter((line) => line.startsWith("replace"))).toEqual([
      "replace group/workers/a/0/machine",
      "replace group/workers/a/0/node",
    ]);
    await go({ groups: { workers: {} } });
  });

  it("grow the control plane to three in one apply", async () => {
    const planned = await go({ cluster: { control_plane: { replicas: 3 } }, groups: { workers: {} } });
    expect(planned).toContain("create cp/c/machine");
    expect(machines()).toEqual(["demo-cp-a", "demo-cp-b", "demo-cp-c", "demo-workers-a-0"]);
  });

  it("upgrade control plane and workers by a minor in one apply", async () => {
    const planned = await go({ cluster: { version: upgrade, control_plane: { replicas: 3 } }, groups: { workers: {} } });
    expect(planned.filter((line) => /^replace .*machine$/.test(line))).toEqual([
      "replace cp/a/machine",
      "replace cp/b/machine",
      "replace cp/c/machine",
      "replace group/workers/a/0/machine",
    ]);
    const { versions } = await m.state("honest_cluster.this");
    expect(versions).toEqual({ "demo-cp-a": upgrade, "demo-cp-b": upgrade, "demo-cp-c": upgrade });
  });

  const grown: Wanted = { cluster: { version: upgrade, control_plane: { replicas: 3 } }, groups: { workers: {} } };

  it("show a machine that vanished as a line of blocks, and mend it", async () => {
    const [id] = [...m.cloud.cluster.machines.living].find(([, { name }]) => name.includes("workers")) ?? [""];
    m.cloud.cluster.stop(id);
    const planned = await go(grown);
    expect(planned).toContain("create group/workers/a/0/machine");
    expect(machines()).toHaveLength(4);
  });

  it.each([
    ["another range of pods", { kubernetes_network_config: { pod_ipv4_cidr: "10.200.0.0/16" } }, "kubernetes_network_config.pod_ipv4_cidr"],
    ["a version that is too far", { version: "1.34.9" }, "version"],
    ["a disk of another size", { control_plane: { replicas: 3, etcd_volume: { size_gib: 20 } } }, "control_plane.etcd_volume.size_gib"],
  ])("refuse %s at plan", async (_, change, words) => {
    m.want({ ...grown, cluster: { ...grown.cluster, ...change } });
    const { exitCode, text } = await m.w.plan([], { expectFail: true });
    expect(exitCode).toBe(1);
    expect(text.replace(/\s+/g, " ")).toContain(words);
  });

  it("refuse a destroy while they are protected, and leave nothing when they are not", async () => {
    const { cluster = {}, groups = {} } = grown;
    await go({ cluster: { ...cluster, deletion_protection: true }, groups });
    const refused = await m.w.attempt(["destroy", "-no-color", "-auto-approve", "-input=false"]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("is protected from deletion");
    expect(machines()).toHaveLength(4);
    await go(grown);
    await m.w.destroy();
    expect(machines()).toEqual([]);
    expect([...m.cloud.objects]).toEqual([]);
  });
});
