// Replacements, scaling and the end, with a real terraform: at no moment more is down than may be. Rolls, taints and kills are in
// ../pace-gate.
import { afterEach, describe, expect, it } from "vitest";
import { type Fixture, fixture, type Wanted } from "./fixture.js";

let open: Fixture | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function born(wanted: Wanted): Promise<Fixture> {
  const f = await fixture();
  open = f;
  f.want(wanted);
  await f.w.init();
  await f.w.apply();
  await f.w.expectEmptyPlan();
  f.cloud.cluster.machines.events.length = 0;
  return f;
}
const events = (f: Fixture) => f.cloud.cluster.machines.events;
const addresses = async (f: Fixture, type: string, has: RegExp) =>
  (await f.w.resources()).filter((r) => r.type === type && has.test(r.name)).map((r) => r.address);
const names = (f: Fixture) => f.cloud.cluster.store.list("api/v1/nodes").map((n) => n.metadata.name);

describe("taint and -replace", () => {
  it("of a control plane cordons and drains it, and its successor is schedulable", async () => {
    const f = await born({ controlPlanes: 3 });
    f.cloud.cluster.workloads.pod("guest", "demo-cp-b");
    const [machine = ""] = await addresses(f, "honest_local_machine", /cp_b/);
    await f.w.apply([`-replace=${machine}`]);
    await f.w.expectEmptyPlan();
    expect(f.cloud.cluster.workloads.podsOn("demo-cp-b")).toEqual([]);
    const node = f.cloud.cluster.object("api/v1/nodes", "demo-cp-b");
    expect(node).toBeDefined();
    expect((node?.spec as { unschedulable?: boolean } | undefined)?.unschedulable).toBeUndefined();
    expect(node?.metadata.annotations).not.toHaveProperty("honest-paas.dev/draining");
  });

  it("of a worker's machine brings the new one up first, then drains the old one within its budget", async () => {
    const f = await born({ controlPlanes: 1, workers: 2 });
    f.cloud.cluster.workloads.deploy("web", 4);
    f.cloud.cluster.workloads.budget("web", "web", 3);
    const old = names(f).find((n) => n.startsWith("demo-w-a-0")) ?? "";
    const [machine = ""] = await addresses(f, "honest_local_machine", /w_a_0/);
    await f.w.apply([`-replace=${machine}`]);
    await f.w.expectEmptyPlan();
    const [first, second, third] = events(f);
    expect([first?.split(" ")[0], second?.split(" ")[0], third]).toEqual(["start", "register", `stop ${old}`]);
    expect(names(f)).toHaveLength(3);
    expect(names(f)).not.toContain(old);
    expect(f.cloud.cluster.workloads.podsOn(old)).toEqual([]);
  });
});

describe("a drain that cannot end", () => {
  it("fails in time, names the pods, and leaves the node in service", async () => {
    const f = await born({ controlPlanes: 1, workers: 2, timeouts: { delete: "3s" } });
    f.cloud.cluster.workloads.deploy("web", 3);
    f.cloud.cluster.workloads.budget("web", "web", 3);
    f.want({ controlPlanes: 1, workers: 1, timeouts: { delete: "3s" } });
    const failed = await f.w.apply([], { expectFail: true });
    expect((failed.stdout + failed.stderr).replace(/\s+/g, " ")).toMatch(
      /was not emptied.*default\/web-\d is kept by a PodDisruptionBudget/,
    );
    const node = f.cloud.cluster.store.list("api/v1/nodes").find((n) => n.metadata.name.startsWith("demo-w-a-1"));
    expect(node).toBeDefined();
    expect((node?.spec as { unschedulable?: boolean } | undefined)?.unschedulable).toBeUndefined();
    f.cloud.cluster.workloads.budget("web", "web", 1);
    await f.w.apply();
    await f.w.expectEmptyPlan();
    expect(names(f)).toHaveLength(2);
  });
});

describe("scaling", () => {
  it("3 → 1 → 3 control planes: members leave and join etcd one after the other", async () => {
    const f = await born({ controlPlanes: 3 });
    f.want({ controlPlanes: 1 });
    await f.w.apply();
    await f.w.expectEmptyPlan();
    expect([...f.cloud.cluster.machines.voters]).toEqual(["demo-cp-a"]);
    expect(names(f)).toEqual(["demo-cp-a"]);
    f.want({ controlPlanes: 3 });
    await f.w.apply();
    await f.w.expectEmptyPlan();
    expect(f.cloud.cluster.machines.voters.size).toBe(3);
  });

  it("workers 1 → 3 → 0", async () => {
    const f = await born({ controlPlanes: 1, workers: 1 });
    f.want({ controlPlanes: 1, workers: 3 });
    await f.w.apply();
    await f.w.expectEmptyPlan();
    expect(names(f)).toHaveLength(4);
    f.want({ controlPlanes: 1 });
    await f.w.apply();
    await f.w.expectEmptyPlan();
    expect(names(f)).toEqual(["demo-cp-a"]);
    expect(f.cloud.cluster.object("api/v1/configmaps", "honest-paas-addresses", "kube-system")?.data).toEqual({
      "demo-cp-a": expect.any(String),
    });
  });

  it("labels and taints change in place and go when they are dropped", async () => {
    const f = await born({
      controlPlanes: 1,
      workers: 1,
      group: { labels: { a: "1", b: "2" }, taint: [{ key: "x", effect: "NO_SCHEDULE" }] },
    });
    f.want({ controlPlanes: 1, workers: 1, group: { labels: { a: "3" } } });
    await f.w.apply();
    await f.w.expectEmptyPlan();
    const node = f.cloud.cluster.store.list("api/v1/nodes").find((n) => n.metadata.name.startsWith("demo-w"));
    expect(node?.metadata.labels).toMatchObject({ a: "3" });
    expect(node?.metadata.labels).not.toHaveProperty("b");
    expect(node).toBeDefined();
    expect((node?.spec as { taints?: unknown } | undefined)?.taints).toBeUndefined();
    expect(events(f)).toEqual([]);
  });
});

describe("the end", () => {
  it("is refused while the cluster is protected", async () => {
    const f = await born({ controlPlanes: 1, workers: 1, props: { deletionProtection: true } });
    const failed = await f.w.destroy([], { expectFail: true });
    expect(failed.stdout + failed.stderr).toContain("prevent_destroy");
    await f.w.expectEmptyPlan();
    expect(events(f)).toEqual([]);
  });

  it("opens the gates for all at once, also when one is sick and the API is dead", async () => {
    const f = await born({ controlPlanes: 3, workers: 2 });
    f.cloud.cluster.stop(f.cloud.cluster.machines.on("demo-cp-a")?.id ?? "");
    f.cloud.cluster.stop(f.cloud.cluster.machines.on("demo-cp-b")?.id ?? "");
    await f.w.destroy();
    expect(f.cloud.cluster.machines.living.size).toBe(0);
    expect(f.cloud.objects.size).toBe(0);
  });
});

describe("the lease of a node that is gone for good", () => {
  it("is taken over: a run was killed after it forgot the Node and before it freed the lease", async () => {
    const f = await born({ controlPlanes: 3, timeouts: { delete: "6s" } });
    const lease = { collection: "apis/coordination.k8s.io/v1/leases", apiVersion: "coordination.k8s.io/v1", kind: "Lease" };
    f.cloud.cluster.store.put(
      { ...lease, namespace: "kube-system", name: "honest-paas-roll" },
      {
        metadata: { annotations: { "honest-paas.dev/drained": "true" } },
        spec: { holderIdentity: "demo-cp-d", acquireTime: new Date(Date.now() - 600_000).toISOString().replace("Z", "000Z") },
      },
    );
    const [machine = ""] = await addresses(f, "honest_local_machine", /cp_b/);
    await f.w.apply([`-replace=${machine}`]);
    await f.w.expectEmptyPlan();
    expect(f.cloud.cluster.object(lease.collection, "honest-paas-roll", "kube-system")?.spec).toEqual({});
  });
});

describe("a control plane's machine", () => {
  it("is taken out of service before it goes, and the answer is waited for", async () => {
    const f = await born({ controlPlanes: 3 });
    const [machine = ""] = await addresses(f, "honest_local_machine", /cp_b/);
    await f.w.apply([`-replace=${machine}`]);
    await f.w.expectEmptyPlan();
    expect(events(f).map((e) => e.split(" ")[0])).toEqual(["retire", "stop", "start", "register"]);
    const node = f.cloud.cluster.object("api/v1/nodes", "demo-cp-b");
    expect(node?.metadata.annotations).not.toHaveProperty("honest-paas.dev/retired");
    expect(f.cloud.cluster.object("api/v1/configmaps", "honest-paas-requests", "kube-system")?.data).toEqual({});
  });

  it("of a single one goes too: the end of its API is the answer", async () => {
    const f = await born({ controlPlanes: 1 });
    const [machine = ""] = await addresses(f, "honest_local_machine", /cp_a/);
    await f.w.apply([`-replace=${machine}`]);
    await f.w.expectEmptyPlan();
    expect(events(f).map((e) => e.split(" ")[0])).toEqual(["retire", "stop", "start", "register"]);
  });

  it("whose agent does not hear goes after a bounded wait, with a warning", async () => {
    const f = await born({ controlPlanes: 3, timeouts: { delete: "6s" } });
    const deaf = f.cloud.cluster.machines.on("demo-cp-b");
    if (deaf) deaf.deaf = true;
    const [machine = ""] = await addresses(f, "honest_local_machine", /cp_b/);
    const { stdout } = await f.w.apply([`-replace=${machine}`]);
    expect(stdout.replace(/[│\s]+/g, " ")).toMatch(/demo-cp-b did not go out of service in order Its agent has not answered/);
    expect(events(f).map((e) => e.split(" ")[0])).toEqual(["stop", "start", "register"]);
    await f.w.expectEmptyPlan();
  });
});

describe("a dead control plane that leaves in the same change", () => {
  const dies = async (f: Fixture, name: string): Promise<void> => {
    f.cloud.cluster.stop(f.cloud.cluster.machines.on(name)?.id ?? "");
    await new Promise((resolve) => setTimeout(resolve, 500));
  };

  it.each(["demo-cp-b", "demo-cp-c"])("3 → 1 with %s dead: the others take its member out", async (dead) => {
    const f = await born({ controlPlanes: 3 });
    await dies(f, dead);
    f.want({ controlPlanes: 1 });
    await f.w.apply();
    await f.w.expectEmptyPlan();
    expect([...f.cloud.cluster.machines.voters]).toEqual(["demo-cp-a"]);
    expect(names(f)).toEqual(["demo-cp-a"]);
    expect(events(f)).toContain(`remove ${dead}`);
    expect(f.cloud.cluster.object("api/v1/configmaps", "honest-paas-requests", "kube-system")?.data).toEqual({});
  });

  it("5 → 3 with both of those that leave dead", async () => {
    const f = await born({ controlPlanes: 5 });
    await dies(f, "demo-cp-d");
    await dies(f, "demo-cp-e");
    f.want({ controlPlanes: 3 });
    await f.w.apply();
    await f.w.expectEmptyPlan();
    expect([...f.cloud.cluster.machines.voters]).toEqual(["demo-cp-a", "demo-cp-b", "demo-cp-c"]);
  });
});
