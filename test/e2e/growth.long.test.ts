// A control plane that grows from one to three to five and shrinks again, with a client at work all the time: one change of
// etcd's membership after another, the same cluster throughout. After the first growth the machine that founded it and its
// disk are lost while the two others are off: the empty successor must not found a second one.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { controlPlaneCluster, etcdDisks, on } from "../support/control-plane-cluster.js";
import { eventually, leftovers, run } from "../support/demo-project.js";
import { writingDuringEach } from "../support/writing.js";

const name = "e2e-growth";
const cluster = controlPlaneCluster(name);
const letters = ["a", "b", "c", "d", "e"];

const synth = (replicas: number): Promise<void> =>
  cluster.project.synth({ iaas: { local: {} }, deletionProtection: false, controlPlane: { replicas } });

/** Applies until the plan is empty; how many applies it took. Each plan before that says what is pending. */
async function settle(replicas: number): Promise<number> {
  await synth(replicas);
  for (let applies = 1; applies <= 4; applies += 1) {
    const begun = Date.now();
    await cluster.project.apply();
    console.log(`${replicas} control planes, apply ${applies}: ${((Date.now() - begun) / 1000).toFixed(1)} s`);
    const plan = await cluster.plan();
    if (plan.code === 0) return applies;
    expect(plan.code, plan.stderr).toBe(2);
    console.log(`left after apply ${applies}: ${/Plan: .*/.exec(plan.stdout)?.[0]}`);
  }
  throw new Error(`not settled at ${replicas} control planes after 4 applies`);
}

beforeAll(async () => {
  await synth(1);
  await cluster.project.apply();
  await cluster.mark();
  await cluster.whole(["a"], 0);
}, 900_000);

afterAll(async () => {
  await cluster.destroy();
  expect(await leftovers(name)).toEqual([]);
}, 300_000);

writingDuringEach(cluster, (said, task) => {
  expect(said?.writes).toBeGreaterThan(10);
  // quorum is taken away on purpose only where two machines are off
  if (!task.name.includes("are off")) expect(said?.failedTwice).toBe(0);
});

describe("a control plane", () => {
  it("grows from one to three", async () => {
    expect(await settle(3)).toBe(1);
    await cluster.whole(letters.slice(0, 3), 0);
  });

  it("whose founder loses machine and disk while the others are off is not born again, and heals when they are back", async () => {
    const [a, b, c] = letters.slice(0, 3).map(cluster.machine) as [string, string, string];
    const stop = await run("docker", ["stop", b, c]);
    expect(stop.code, stop.stderr).toBe(0);
    await run("docker", ["rm", "-f", a]);
    const disks = await etcdDisks(name, "a");
    expect(disks).toHaveLength(1);
    expect((await run("docker", ["volume", "rm", ...disks])).code).toBe(0);
    // only this machine, so that the others stay off; terraform would start what is stopped
    const listed = await cluster.project.terraform(["state", "list"]);
    const address = listed.stdout.split("\n").find((row) => /^honest_local_machine\..*cp_a_machine/.test(row));
    const made = await cluster.project.terraform(["apply", "-auto-approve", "-no-color", "-input=false", `-target=${address}`]);
    expect(made.code, made.stdout + made.stderr).toBe(0);
    const waits = await eventually("the successor says whom it waits for", 120, async () => {
      const marker = await on(a, "cat", "/var/lib/honest-paas/marker.json");
      return marker.includes("no answer from") ? marker : undefined;
    });
    expect(waits).toContain(`no answer from ${b}, ${c}`);
    // and stays with it
    for (let second = 0; second < 20; second += 1) {
      const etcd = await run("docker", ["exec", a, "systemctl", "is-active", "honest-etcd"]);
      expect(etcd.stdout.trim()).not.toBe("active");
      await new Promise((wake) => setTimeout(wake, 1000));
    }
    const begun = Date.now();
    await cluster.project.apply();
    console.log(`two started and one made anew: ${((Date.now() - begun) / 1000).toFixed(1)} s`);
    await cluster.whole(letters.slice(0, 3), 0);
  });

  it("grows from three to five", async () => {
    expect(await settle(5)).toBe(1);
    await cluster.whole(letters, 0);
  });

  it("shrinks from five to three", async () => {
    const applies = await settle(3);
    expect(applies).toBeLessThanOrEqual(2);
    await cluster.whole(letters.slice(0, 3), 0);
  });
});
