// Edits of three control planes and a worker that roll machines, while a client writes: by converge, all in one apply, and one
// that breaks the first machine and is corrected. The steps build on each other, in order.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ChangedCluster, type Watched } from "../support/changed-cluster.js";
import { run } from "../support/demo-project.js";

const version = "1.36.3";
const cluster = new ChangedCluster("e2e-roll", 3, 1, version);
const maxPods = (value: string) => ({ componentFlags: { "kubelet.max-pods": value } });
let identity = "";

beforeAll(async () => {
  await cluster.make();
  identity = await cluster.identity();
}, 900_000);
afterAll(() => cluster.close(), 300_000);

const machines = async (): Promise<readonly string[]> =>
  (await cluster.nodes()).filter((node) => node.controlPlane).map((node) => node.machineId);
const podsOf = async (): Promise<readonly string[]> => {
  const got = await cluster.must(
    cluster.project.kubectl([
      "get",
      "nodes",
      "-l",
      "node-role.kubernetes.io/control-plane",
      "-o",
      "jsonpath={.items[*].status.capacity.pods}",
    ]),
  );
  return got.stdout.split(" ");
};
const unharmed = async ({ written }: Watched, what: string): Promise<void> => {
  console.log(`${what}: ${JSON.stringify(written)}`);
  expect(written.lost).toEqual([]);
  expect(written.failedTwice).toBe(0);
  await cluster.whole();
  expect(await cluster.identity()).toBe(identity);
  await cluster.emptyPlan();
};

describe("edits of control planes", () => {
  it("a kubelet flag, by converge: one after the other", async () => {
    const before = await machines();
    await cluster.want(version, { controlPlane: maxPods("60") });
    const watched = await cluster.during(async () => {
      const ran = await cluster.project.tool(["converge", "--yes"], { timeoutMs: 900_000 });
      expect(ran.code, ran.stdout + ran.stderr).toBe(0);
      console.log(
        ran.stdout
          .split("\n")
          .filter((line) => /\] apply|^Done/.test(line))
          .join("\n"),
      );
    });
    await unharmed(watched, "converge");
    expect((await machines()).filter((id) => before.includes(id))).toEqual([]);
    expect(await podsOf()).toEqual(["60", "60", "60"]);
  }, 900_000);

  it("another, all in one apply: still one after the other", async () => {
    const once = { upgradePolicy: { roll: "in_one_apply" } };
    await cluster.want(version, { controlPlane: maxPods("60"), more: once });
    await cluster.project.apply();
    await cluster.want(version, { controlPlane: maxPods("70"), more: once });
    const watched = await cluster.during(async () => {
      await cluster.project.apply();
    });
    await unharmed(watched, "in one apply");
    expect(await podsOf()).toEqual(["70", "70", "70"]);
  }, 900_000);

  it("one that breaks the first machine: interrupted and corrected, the others never moved before that", async () => {
    const before = await machines();
    await cluster.want(version, { controlPlane: maxPods("wrong") });
    const watched = await cluster.during(async () => {
      const cut = await cluster.project.terraform(["apply", "-auto-approve", "-no-color", "-input=false"], {
        started: (child) => {
          const timer = setTimeout(() => child.kill("SIGINT"), 60_000);
          child.on("close", () => clearTimeout(timer));
        },
      });
      expect(cut.code).not.toBe(0);
      const standing = await run("docker", ["ps", "--format", "{{.Names}}", "--filter", "name=e2e-roll-cp-"]);
      expect(standing.stdout.trim().split("\n")).toHaveLength(3);
      const after = await machines();
      expect(after.filter((id) => before.includes(id)).length).toBeGreaterThanOrEqual(2);

      await cluster.want(version, { controlPlane: maxPods("80") });
      const ran = await cluster.project.tool(["converge", "--yes"], { timeoutMs: 900_000 });
      expect(ran.code, ran.stdout + ran.stderr).toBe(0);
    });
    await unharmed(watched, "broken and corrected");
    expect(await podsOf()).toEqual(["80", "80", "80"]);
  }, 900_000);
});
