// Kubernetes versions of a cluster that lives: what is refused is refused by the plan, before anything is touched.
import { afterEach, describe, expect, it } from "vitest";
import { type Fixture, fixture, type Wanted } from "./fixture.js";

let open: Fixture | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

const of = (version: string, wanted: Wanted = { controlPlanes: 3, workers: 1 }): Wanted => ({
  ...wanted,
  props: { ...wanted.props, version },
});

async function born(version: string, wanted?: Wanted): Promise<Fixture> {
  const f = await fixture();
  open = f;
  f.want(of(version, wanted));
  await f.w.init();
  await f.w.apply();
  await f.w.expectEmptyPlan();
  f.cloud.cluster.machines.events.length = 0;
  return f;
}
const refusal = async (f: Fixture): Promise<string> => {
  const plan = await f.w.plan([], { expectFail: true });
  expect(plan.exitCode).toBe(1);
  return plan.text.replace(/[│\s]+/g, " ");
};
const versions = (f: Fixture): readonly string[] =>
  f.cloud.cluster.store
    .list("api/v1/nodes")
    .filter((n) => n.metadata.name.includes("-cp-"))
    .map((n) => (n.status as { nodeInfo: { kubeletVersion: string } }).nodeInfo.kubeletVersion)
    .sort();

describe("a version that may not be", () => {
  it("down: refused with the versions that are allowed, and nothing is touched", async () => {
    const f = await born("1.37.2");
    f.want(of("1.36.3"));
    const words = await refusal(f);
    expect(words).toContain("Cluster cannot go to this Kubernetes version");
    expect(words).toContain("is older than the 1.37.2 that demo-cp-a, demo-cp-b, demo-cp-c run");
    expect(words).toContain("allowed: 1.37.2");
    f.want(of("1.37.2"));
    await f.w.expectEmptyPlan();
    expect(f.cloud.cluster.machines.events).toEqual([]);
  });

  it("two minors at once: refused with the one to go to first; one by one it gets there", async () => {
    const f = await born("1.35.8", { controlPlanes: 1, workers: 1 });
    f.want(of("1.37.2", { controlPlanes: 1, workers: 1 }));
    const words = await refusal(f);
    expect(words).toContain("skips a minor version: the cluster runs 1.35.8");
    expect(words).toContain("allowed: 1.35.8, 1.36.3");
    expect(words).toContain("Fix: go to 1.36.3 first");
    for (const version of ["1.36.3", "1.37.2"]) {
      f.want(of(version, { controlPlanes: 1, workers: 1 }));
      await f.w.apply();
      await f.w.apply();
      await f.w.expectEmptyPlan();
      expect(versions(f)).toEqual([`v${version}`]);
    }
  });

  it("back: allowed while one control plane has moved, refused from the second on", async () => {
    const f = await born("1.36.3", { controlPlanes: 3 });
    const to = (version: string) => f.want(of(version, { controlPlanes: 3 }));
    to("1.37.2");
    await f.w.apply();
    expect(versions(f)).toEqual(["v1.36.3", "v1.36.3", "v1.37.2"]);
    to("1.36.3");
    await f.w.apply();
    await f.w.expectEmptyPlan();
    expect(versions(f)).toEqual(["v1.36.3", "v1.36.3", "v1.36.3"]);

    to("1.37.2");
    await f.w.apply();
    await f.w.apply();
    to("1.36.3");
    expect(await refusal(f)).toContain("is older than the 1.37.2 that demo-cp-a, demo-cp-b run");
    to("1.37.2");
    await f.w.apply();
    // the cluster-wide parts follow when every API server is there
    await f.w.apply();
    await f.w.expectEmptyPlan();
    expect(versions(f)).toEqual(["v1.37.2", "v1.37.2", "v1.37.2"]);
  });

  it("workers ahead of the control plane, in a configuration that no construct has checked", async () => {
    const f = await born("1.36.3", { controlPlanes: 1, workers: 1 });
    f.want({ ...of("1.36.3", { controlPlanes: 1, workers: 1 }), edit: (json) => setWorkerVersion(json, "1.37.2") });
    expect(await refusal(f)).toContain("is newer than the control plane's 1.36.3");
    f.want(of("1.36.3", { controlPlanes: 1, workers: 1 }));
    await f.w.expectEmptyPlan();
  });
});

describe("the first step of an upgrade", () => {
  const snapshots = (f: Fixture) => f.cloud.cluster.machines.events.filter((event) => /^(snapshot|retire) /.test(event));

  it("has a snapshot taken by another one before anything is touched; the later steps have none", async () => {
    const f = await born("1.36.3", { controlPlanes: 3 });
    f.want(of("1.37.2", { controlPlanes: 3 }));
    await f.w.apply();
    expect(snapshots(f)).toEqual(["snapshot demo-cp-b", "retire demo-cp-a"]);
    await f.w.apply();
    await f.w.apply();
    expect(snapshots(f)).toEqual(["snapshot demo-cp-b", "retire demo-cp-a", "retire demo-cp-b", "retire demo-cp-c"]);
    // what was asked for is asked for no more
    expect(f.cloud.cluster.object("api/v1/configmaps", "honest-paas-requests", "kube-system")?.data ?? {}).not.toHaveProperty("_snapshot");
  });

  it("is none when only something else changes", async () => {
    const f = await born("1.36.3", { controlPlanes: 1 });
    const flags = { componentFlags: { "kubelet.max-pods": "60" } };
    f.want(of("1.36.3", { controlPlanes: 1, props: { controlPlane: { replicas: 1, ...flags } } }));
    await f.w.apply();
    expect(snapshots(f)).toEqual(["retire demo-cp-a"]);
  });

  it("is refused when there can be none, says every reason, leaves all in service, and has a way out", async () => {
    const f = await born("1.36.3", { controlPlanes: 3 });
    f.cloud.cluster.machines.snapshotProblem = "3 MiB are free on the etcd disk";
    f.want(of("1.37.2", { controlPlanes: 3 }));
    const refused = await f.w.apply([], { expectFail: true });
    const words = `${refused.stdout}${refused.stderr}`.replace(/[│╷╵\s]+/g, " ");
    expect(words).toContain("No snapshot could be taken before the upgrade of cluster demo");
    expect(words).toContain("Demo-cp-b: 3 MiB are free on the etcd disk; demo-cp-c: 3 MiB are free on the etcd disk; demo-cp-a: 3 MiB");
    expect(words).toContain("HONEST_PAAS_NO_SNAPSHOT=demo in the environment");
    expect(versions(f)).toEqual(["v1.36.3", "v1.36.3", "v1.36.3"]);
    expect(snapshots(f).filter((event) => event.startsWith("retire"))).toEqual([]);
    process.env.HONEST_PAAS_NO_SNAPSHOT = "other, demo";
    try {
      const gone = await f.w.apply();
      expect(gone.stdout).toContain("No snapshot was taken before the upgrade of cluster demo");
    } finally {
      process.env.HONEST_PAAS_NO_SNAPSHOT = undefined;
      delete process.env.HONEST_PAAS_NO_SNAPSHOT;
    }
    expect(versions(f)).toEqual(["v1.36.3", "v1.36.3", "v1.37.2"]);
  });
});

describe("a birth that never came up", () => {
  it("has no version yet: any will do", async () => {
    const f = await fixture();
    open = f;
    await f.w.init();
    f.cloud.cluster.reachable = false;
    const limits = { create: "3s", update: "3s", delete: "20s" };
    f.want({ ...of("1.37.2", { controlPlanes: 1, workers: 1 }), timeouts: limits });
    await f.w.apply([], { expectFail: true });
    f.want({ ...of("1.35.8", { controlPlanes: 1, workers: 1 }), timeouts: limits });
    await f.w.plan();
    f.cloud.cluster.reachable = true;
    await f.w.apply();
    await f.w.expectEmptyPlan();
    expect(versions(f)).toEqual(["v1.35.8"]);
  });
});

type Json = Parameters<NonNullable<Wanted["edit"]>>[0];
function setWorkerVersion(json: Json, version: string): void {
  for (const barrier of Object.values(json.resource?.honest_barrier ?? {}))
    for (const worker of Object.values(barrier.workers as Record<string, Record<string, unknown>>)) worker.version = version;
}
