// The short form of upgrade.long.test.ts, for CI: one control plane and one worker go to the next minor by plain applies. A
// single API server is away while its machine is replaced; what is never away is the order of versions.
import { afterAll, beforeAll, expect, it } from "vitest";
import { ChangedCluster } from "../support/changed-cluster.js";

const [from, to] = ["1.36.3", "1.37.2"];
const cluster = new ChangedCluster("e2e-minor", 1, 1, from);

beforeAll(() => cluster.make(), 900_000);
afterAll(() => cluster.close(), 300_000);

it("one control plane, then its worker, go to the next minor; the skew policy holds at every look", async () => {
  const identity = await cluster.identity();
  await cluster.speaksWithItself();
  await cluster.want(to);
  const { written, skew } = await cluster.during(async () => {
    await cluster.project.apply();
    const half = await cluster.nodes();
    expect(half.map((node) => [node.controlPlane, node.version]).sort()).toEqual([
      [false, from],
      [true, to],
    ]);
    await cluster.project.apply();
  });
  console.log(`${JSON.stringify(written)}\n${skew.moves.join("\n")}`);
  expect((await cluster.whole()).map((node) => node.version)).toEqual([to, to]);
  expect(await cluster.identity()).toBe(identity);
  expect(written.lost).toEqual([]);
  expect(skew.problems).toEqual([]);
  expect(skew.mixed).toBeGreaterThan(5);
  await cluster.emptyPlan();

  await cluster.want(from);
  const down = await cluster.plan();
  expect(down.code).toBe(1);
  expect(down.stderr.replace(/[│\s]+/g, " ")).toMatch(/is older than the 1\.37\.2 that e2e-minor-cp-a runs; Kubernetes cannot go back/);
  // the end plans too
  await cluster.want(to);
  await cluster.emptyPlan();
});
