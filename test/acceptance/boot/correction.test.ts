// A mistake in the spec is no dead end: not at birth, and not on the only control plane of a living cluster. Whole stacks
// over a cluster that stands in.
import { afterEach, describe, expect, it } from "vitest";
import { type Fixture, fixture, type Wanted } from "../membership/fixture.js";
import { bootStates, changes, flat } from "./fixture.js";

let open: Fixture | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

const maxPods = (value: string, replicas: 1 | 3): Partial<Wanted> => ({
  controlPlanes: replicas,
  props: { controlPlane: { replicas, componentFlags: { "kubelet.max-pods": value } } } as never,
  timeouts: { create: "3s", update: "3s", delete: "30s" },
});
const mirror = (url: string): Partial<Wanted> => ({
  controlPlanes: 3,
  props: { controlPlane: { replicas: 3 }, mirror: { binaries: url, images: url } } as never,
  timeouts: { create: "3s", update: "3s", delete: "30s" },
});
const machinesOf = (json: Parameters<typeof changes>[0]): readonly string[] =>
  Object.entries(changes(json))
    .filter(([address]) => /^honest_local_machine/.test(address))
    .map(([address, actions]) => `${address.split(".")[1]} ${actions}`);
const releases = async (f: Fixture): Promise<readonly unknown[]> => Object.values(await bootStates(f.w)).map((state) => state.release);

describe("a birth that never came about", () => {
  it.each([
    ["a wrong flag", maxPods("wrong", 3), maxPods("60", 3)],
    ["a wrong mirror", mirror("http://mirror.wrong.example:8080"), mirror("http://mirror.example:8080")],
  ])(
    "by %s is corrected by the next apply: all machines take it at once, no gate waits for an API that never was",
    async (_case, wrong, right) => {
      const f = await fixture();
      open = f;
      await f.w.init();
      f.cloud.cluster.reachable = false;
      f.want({ ...wrong, workers: 1 });
      await f.w.apply([], { expectFail: true });

      f.want({ ...right, workers: 1 });
      const plan = await f.w.plan();
      expect(machinesOf(plan.json).filter((row) => /cp/.test(row))).toHaveLength(3);
      expect(flat(plan.text)).toMatch(/Cluster demo could not be read/);
      const start = Date.now();
      // only the machines that are right bring the API up
      f.cloud.cluster.machines.events.length = 0;
      const up = setInterval(() => {
        f.cloud.cluster.reachable ||= f.cloud.cluster.machines.events.filter((event) => event.startsWith("start demo-cp")).length === 3;
      }, 20);
      try {
        await f.w.apply();
      } finally {
        clearInterval(up);
      }
      expect(Date.now() - start).toBeLessThan(60_000);
      await f.w.expectEmptyPlan();
    },
  );
});

describe("the only control plane", () => {
  it("was given a release that never came up: the correction goes through", async () => {
    const f = await fixture();
    open = f;
    await f.w.init();
    f.want(maxPods("60", 1));
    await f.w.apply();
    await f.w.expectEmptyPlan();
    const before = await releases(f);

    f.want(maxPods("wrong", 1));
    f.cloud.broken.add("demo-cp-a");
    await f.w.apply([], { expectFail: true });
    f.cloud.cluster.reachable = false;
    expect(await releases(f)).not.toEqual(before);

    f.cloud.broken.clear();
    f.want(maxPods("70", 1));
    expect(machinesOf((await f.w.plan()).json)).toHaveLength(1);
    // its API comes back with the machine that is right
    setTimeout(() => {
      f.cloud.cluster.reachable = true;
    }, 4_000).unref();
    f.want({ ...maxPods("70", 1), timeouts: { create: "60s", update: "60s", delete: "20s" } });
    await f.w.apply();
    await f.w.expectEmptyPlan();
  });
});
