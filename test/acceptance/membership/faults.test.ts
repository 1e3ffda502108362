// What goes wrong around a living cluster: nothing is lost, nothing is taken for gone, and every mend ends in an empty plan.
import { afterEach, describe, expect, it } from "vitest";
import { type Fixture, fixture, type Wanted } from "./fixture.js";

let open: Fixture | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function start(wanted: Wanted): Promise<Fixture> {
  const f = await fixture();
  open = f;
  f.want(wanted);
  await f.w.init();
  return f;
}
const nodes = (f: Fixture) => f.cloud.cluster.store.list("api/v1/nodes").map((n) => n.metadata.name);

describe("a first apply that fails", () => {
  it("names the machine that did not come, keeps what is there, and a destroy a moment later leaves nothing", async () => {
    const f = await start({ controlPlanes: 1, workers: 2, timeouts: { create: "3s" } });
    f.cloud.broken.add("demo-w-a-1");
    const failed = await f.w.apply([], { expectFail: true });
    const words = (failed.stdout + failed.stderr).replace(/\s+/g, " ");
    expect(words).toContain("Cluster demo was not handed over");
    expect(words).toMatch(/These machines did not come: demo-w-a-1-[0-9a-f]{5} has not registered/);
    expect(words).toContain("console");
    await f.w.destroy();
    expect(f.cloud.cluster.machines.living.size).toBe(0);
    expect(f.cloud.objects.size).toBe(0);
  });

  it("goes on with the next apply when the machine is mended", async () => {
    const f = await start({ controlPlanes: 3, workers: 1, timeouts: { create: "3s" } });
    f.cloud.broken.add("demo-w-a-0");
    await f.w.apply([], { expectFail: true });
    f.cloud.broken.clear();
    const sick = f.cloud.cluster.machines.on(nodeOf(f, "demo-w-a-0"));
    f.cloud.cluster.stop(sick?.id ?? "");
    await f.w.apply();
    await f.w.expectEmptyPlan();
    expect(nodes(f)).toHaveLength(4);
  });

  it("is destroyed also when its API never came up", async () => {
    const f = await start({ controlPlanes: 3, workers: 1, timeouts: { create: "2s" } });
    f.cloud.cluster.reachable = false;
    const failed = await f.w.apply([], { expectFail: true });
    expect((failed.stdout + failed.stderr).replace(/\s+/g, " ")).toContain(
      "the Kubernetes API of demo (control planes: demo-cp-a, demo-cp-b, demo-cp-c)",
    );
    await f.w.destroy();
    expect(f.cloud.cluster.machines.living.size).toBe(0);
  });
});

describe("an API that does not answer", () => {
  it("is a warning at plan: state kept, nothing planned", async () => {
    const f = await start({ controlPlanes: 1, workers: 1 });
    await f.w.apply();
    f.cloud.cluster.reachable = false;
    const plan = await f.w.plan();
    expect(plan.exitCode, plan.text).toBe(0);
    expect(plan.text).toContain("could not be read");
    expect(plan.text.replace(/\s+/g, " ")).toContain("must reach https://127.0.0.1:");
    f.cloud.cluster.reachable = true;
    await f.w.expectEmptyPlan();
  });

  it("lets nothing be taken down", async () => {
    const limits = { update: "2s", delete: "2s" };
    const f = await start({ controlPlanes: 1, workers: 2, timeouts: limits });
    await f.w.apply();
    f.want({ controlPlanes: 1, workers: 1, timeouts: limits });
    f.cloud.cluster.reachable = false;
    const failed = await f.w.apply([], { expectFail: true });
    expect((failed.stdout + failed.stderr).replace(/\s+/g, " ")).toContain("The Kubernetes API does not answer");
    expect(f.cloud.cluster.machines.living.size).toBe(3);
    f.cloud.cluster.reachable = true;
    await f.w.apply();
    await f.w.expectEmptyPlan();
    expect(nodes(f)).toHaveLength(2);
  });

  it("lets a worker go only when a person gives it up by name", async () => {
    const limits = { update: "2s", delete: "2s" };
    const f = await start({ controlPlanes: 1, workers: 2, timeouts: limits });
    await f.w.apply();
    // One refresh of the living cluster: until then a destroy takes it for a birth that failed.
    await f.w.apply();
    f.want({ controlPlanes: 1, workers: 1, timeouts: limits });
    const lost = nodes(f).find((name) => name.startsWith("demo-w-a-1")) ?? "";
    const [target = ""] = (await f.w.resources()).filter((r) => r.values.node_name === lost).map((r) => r.address);
    f.cloud.cluster.reachable = false;

    const failed = await f.w.apply([`-target=${target}`], { expectFail: true });
    const words = (failed.stdout + failed.stderr).replace(/\s+/g, " ");
    expect(words).toContain(`${lost} was not taken down`);
    expect(words).toContain(`HONEST_PAAS_LOST=${lost}`);

    process.env.HONEST_PAAS_LOST = lost;
    const gone = await f.w.apply([`-target=${target}`]);
    delete process.env.HONEST_PAAS_LOST;
    expect(gone.stdout).toContain(`Node ${lost} is still known to the cluster`);
    f.cloud.cluster.reachable = true;
    await f.w.apply();
    await f.w.expectEmptyPlan();
    expect(f.cloud.cluster.machines.living.size).toBe(2);
  });
});

describe("what vanishes behind terraform's back", () => {
  it("a Node object: the membership is made again, the machine stays", async () => {
    const f = await start({ controlPlanes: 1, workers: 1 });
    await f.w.apply();
    const name = nodes(f).find((n) => n.startsWith("demo-w")) ?? "";
    f.cloud.cluster.store.remove({ collection: "api/v1/nodes", apiVersion: "v1", kind: "Node", name });
    // The kubelet of a machine whose agent runs registers anew.
    const machines = [...f.cloud.cluster.machines.living.keys()];
    await f.w.apply();
    await f.w.expectEmptyPlan();
    expect(nodes(f)).toContain(name);
    expect([...f.cloud.cluster.machines.living.keys()]).toEqual(machines);
  });

  it("a Node object that registered again before anybody looked: it gets back what the membership wrote on it", async () => {
    const f = await start({ controlPlanes: 1, workers: 1 });
    await f.w.apply();
    const target = { collection: "api/v1/nodes", apiVersion: "v1", kind: "Node", name: nodes(f).find((n) => n.startsWith("demo-w")) ?? "" };
    const before = f.cloud.cluster.store.get(target)?.metadata;
    f.cloud.cluster.store.remove(target);
    f.cloud.cluster.machines.tick(Date.now());
    expect(f.cloud.cluster.store.get(target)?.metadata.annotations?.["honest-paas.dev/status"]).toBeDefined();
    expect(f.cloud.cluster.store.get(target)?.metadata.annotations?.["honest-paas.dev/gen"]).toBeUndefined();
    await f.w.apply();
    await f.w.expectEmptyPlan();
    const after = f.cloud.cluster.store.get(target)?.metadata;
    expect(after?.annotations?.["honest-paas.dev/gen"]).toBe(before?.annotations?.["honest-paas.dev/gen"]);
    expect(after?.labels?.["honest-paas.dev/pool"]).toBe(before?.labels?.["honest-paas.dev/pool"]);
  });

  it("a worker's machine: it is replaced, its Node is forgotten", async () => {
    const f = await start({ controlPlanes: 1, workers: 1 });
    await f.w.apply();
    const name = nodes(f).find((n) => n.startsWith("demo-w")) ?? "";
    f.cloud.cluster.stop(f.cloud.cluster.machines.on(name)?.id ?? "");
    await new Promise((resolve) => setTimeout(resolve, 500));
    await f.w.apply();
    await f.w.expectEmptyPlan();
    expect(nodes(f)).toHaveLength(2);
    expect(nodes(f)).not.toContain(name);
  });

  it("a control plane's machine: its successor is the same member of etcd", async () => {
    const f = await start({ controlPlanes: 3 });
    await f.w.apply();
    f.cloud.cluster.stop(f.cloud.cluster.machines.on("demo-cp-b")?.id ?? "");
    await new Promise((resolve) => setTimeout(resolve, 500));
    await f.w.apply();
    await f.w.expectEmptyPlan();
    expect([...f.cloud.cluster.machines.voters]).toHaveLength(3);
    expect(f.cloud.cluster.machines.events.filter((e) => e.startsWith("leave"))).toEqual([]);
  });
});

const nodeOf = (f: Fixture, prefix: string): string =>
  [...f.cloud.cluster.machines.living.values()].find((m) => m.name === prefix)?.nodeName ?? "";
