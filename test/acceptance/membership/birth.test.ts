// A cluster is born whatever the order in which terraform makes its machines, and the second plan is empty.
import { afterEach, describe, expect, it } from "vitest";
import { type Fixture, fixture } from "./fixture.js";

let open: Fixture | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

describe("birth", () => {
  it.each([
    { controlPlanes: 1, workers: 0, parallelism: 10 },
    // Twelve waiting workers would fill every slot, and the control planes would never be made.
    { controlPlanes: 3, workers: 12, parallelism: 10 },
    { controlPlanes: 3, workers: 2, parallelism: 1 },
  ] as const)("of $controlPlanes and $workers at parallelism $parallelism", async ({ controlPlanes, workers, parallelism }) => {
    const f = await fixture();
    open = f;
    f.want({ controlPlanes, workers, group: { labels: { tier: "web" }, taint: [{ key: "only", value: "web", effect: "NO_SCHEDULE" }] } });
    await f.w.init();
    await f.w.apply([`-parallelism=${parallelism}`]);
    await f.w.expectEmptyPlan();

    const nodes = f.cloud.cluster.store.list("api/v1/nodes");
    expect(nodes).toHaveLength(controlPlanes + workers);
    const states = await f.w.resources();
    for (const { values } of states.filter((r) => r.type === "honest_node")) {
      const node = nodes.find((n) => n.metadata.name === values.node_name);
      expect(node?.metadata.annotations?.["honest-paas.dev/gen"]).toBe(values.gen);
      expect(node?.metadata.labels?.["honest-paas.dev/pool"]).toBe(values.role === "worker" ? "w" : "cp");
      if (values.role !== "worker") continue;
      expect(node?.metadata.labels?.tier).toBe("web");
      expect((node?.spec as { taints?: unknown } | undefined)?.taints).toEqual([{ key: "only", value: "web", effect: "NoSchedule" }]);
    }
    const barrier = states.find((r) => r.type === "honest_barrier");
    expect(barrier?.values).toMatchObject({ complete: true, id: "demo" });
    expect(f.cloud.cluster.object("api/v1/configmaps", "honest-paas", "kube-system")?.data).toMatchObject({ complete: "true" });
    // Every grant was used up.
    expect(f.cloud.cluster.store.list("api/v1/secrets", "kube-system")).toEqual([]);

    await f.w.destroy();
    expect(f.cloud.cluster.machines.living.size).toBe(0);
    expect([...f.cloud.objects]).toEqual([]);
  });
});
