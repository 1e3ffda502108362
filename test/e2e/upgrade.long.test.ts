// From one minor to the next on three control planes and two workers, while a client writes and versions are looked at every
// second: a converge that is killed at a random moment with all that it has started, one plain apply, and a converge to the end.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ChangedCluster, seeded } from "../support/changed-cluster.js";

const [from, to] = ["1.36.3", "1.37.2"];
const cluster = new ChangedCluster("e2e-upgrade", 3, 2, from);
const { seed, below } = seeded();

/** Who was asked for a snapshot, and what came of it. */
async function askedSnapshots(): Promise<
  readonly (readonly [node: string, asked: { at: string; name: string; problem: string | null }])[]
> {
  const got = await cluster.must(cluster.project.kubectl(["get", "nodes", "-o", "json"]));
  const { items } = JSON.parse(got.stdout) as { items: { metadata: { name: string; annotations?: Record<string, string> } }[] };
  return items.flatMap(({ metadata }) => {
    const { asked = null } = JSON.parse(metadata.annotations?.["honest-paas.dev/snapshots"] ?? "{}");
    return asked === null ? [] : [[metadata.name, asked] as const];
  });
}

beforeAll(() => cluster.make(), 900_000);
afterAll(() => cluster.close(), 300_000);

describe("an upgrade by one minor", () => {
  it("goes control planes first, one by one, then workers, and holds the skew policy at every look, also when it is killed", async () => {
    const identity = await cluster.identity();
    await cluster.speaksWithItself();
    const before = await cluster.nodes();
    await cluster.want(to);
    const plan = await cluster.plan();
    expect(plan.stdout.replace(/[│\s]+/g, " ")).toMatch(
      /e2e-upgrade-cp-a takes its new release now; e2e-upgrade-cp-b, e2e-upgrade-cp-c wait/,
    );

    const afterMs = 6_000 + below(40_000);
    console.log(`seed ${seed}: converge and terraform are killed after ${afterMs} ms`);
    const begun = Date.now();
    const { written, skew } = await cluster.during(async () => {
      const cut = await cluster.killedConverge(afterMs);
      expect(cut.code).not.toBe(0);
      await cluster.project.apply();
      const ran = await cluster.project.tool(["converge", "--yes"], { timeoutMs: 900_000 });
      expect(ran.code, ran.stdout + ran.stderr).toBe(0);
      console.log(
        ran.stdout
          .split("\n")
          .filter((line) => /\] (plan|apply)|^Done/.test(line))
          .join("\n"),
      );
    });
    console.log(`upgrade of 3+2: ${Math.round((Date.now() - begun) / 1000)} s; ${JSON.stringify(written)}`);
    console.log(skew.moves.join("\n"));

    const after = await cluster.whole();
    expect(after.map((node) => node.version)).toEqual(after.map(() => to));
    expect(after.filter((node) => before.some((old) => old.machineId === node.machineId))).toEqual([]);
    expect(await cluster.identity()).toBe(identity);

    // before the first step one of the others was asked for a snapshot; its disk, and what it says, came with it
    const asked = await askedSnapshots();
    expect(asked).toEqual([["e2e-upgrade-cp-b", { at: expect.any(String), name: expect.any(String), problem: null }]]);

    expect(written.lost).toEqual([]);
    expect(written.failedTwice).toBe(0);
    expect(skew.problems).toEqual([]);
    expect(skew.mixed).toBeGreaterThan(20);
    expect(skew.longestBlindSec).toBeLessThan(15);
    // order: every API server, then kube-proxy by the barrier, then the first worker's kubelet
    const at = (what: RegExp): number => skew.moves.findIndex((move) => what.test(move));
    const servers = skew.moves.filter((move) => move.includes("apiServers"));
    expect(servers.map((move) => move.split(" ")[2])).toEqual(["a", "b", "c"].map((letter) => `e2e-upgrade-cp-${letter}`));
    // hours, minutes and seconds of both
    expect([asked[0]?.[1].at.slice(11, 19), servers[0]?.slice(0, 8)]).toEqual(
      [asked[0]?.[1].at.slice(11, 19), servers[0]?.slice(0, 8)].sort(),
    );
    expect(at(/proxies/)).toBeGreaterThan(skew.moves.lastIndexOf(servers.at(-1) ?? ""));
    expect(Object.values(skew.last?.proxies ?? {})).toEqual(after.map(() => to));
    await cluster.emptyPlan();
  }, 1_800_000);

  it("is refused on the way back, before anything is touched", async () => {
    const before = (await cluster.nodes()).map((node) => node.machineId).sort();
    await cluster.want(from);
    const down = await cluster.plan();
    expect(down.code).toBe(1);
    expect(down.stderr.replace(/[│\s]+/g, " ")).toMatch(/is older than the 1\.37\.2 that .* run; Kubernetes cannot go back/);
    await cluster.want(to);
    await cluster.emptyPlan();
    expect((await cluster.nodes()).map((node) => node.machineId).sort()).toEqual(before);
  }, 300_000);
});
