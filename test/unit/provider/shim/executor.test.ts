// What is made exactly once, whoever dies in between.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { configOf } from "../../../../provider/shim/config.js";
import { createExecutor } from "../../../../provider/shim/executor.js";
import type { Executor, Lookups, ObjectPlan, ObjectState } from "../../../../provider/shim/instance-types.js";
import { type Journal, openJournal } from "../../../../provider/shim/journal.js";
import { planDestroy, planObject } from "../../../../provider/shim/object.js";
import { type LosingCloud, type Loss, lateMs, losingCloud } from "../../../support/losing-vendor.js";

const type = "toy_thing";
const address = "machine.a";
const pace = { settleMs: 4 * lateMs, pollMs: 5, readyMs: 500, graceMs: 300 };
let dir = "";
let journal: Journal;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "honest-journal-"));
  journal = openJournal(join(dir, "journal.jsonl"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const executor = (cloud: LosingCloud, lookups: Lookups = cloud.lookups): Executor =>
  createExecutor({ vendors: cloud.pool, journal, lookups, log: () => undefined, pace });

async function plan(cloud: LosingCloud, args: { [name: string]: string | number }, prior: ObjectState | null = null): Promise<ObjectPlan> {
  const vendor = await cloud.pool.get();
  const planned = await planObject(vendor, type, configOf(await vendor.schema(type), args).config, prior);
  if (planned.plan === null) throw new Error("no plan");
  return planned.plan;
}

/** As if the run had been killed: another one opens the journal. */
function nextRun(): void {
  journal.close();
  journal = openJournal(join(dir, "journal.jsonl"));
}

describe("create", () => {
  it.each<[Loss[], number]>([
    [[], 1],
    [["before"], 2],
    [["after"], 2],
    [["late"], 2],
    [["before", "before"], 3],
    [["before", "late"], 3],
  ])("makes one object when answers are lost %j", async (losses, starts) => {
    const cloud = losingCloud();
    const first = await plan(cloud, { name: "a" });
    cloud.losses.push(...losses);
    const applied = await executor(cloud).apply(address, first);
    expect(applied).toMatchObject({ outcome: "done", state: { value: { name: "a" } } });
    // a late one must have landed, or the test would see nothing
    await new Promise((resolve) => setTimeout(resolve, 2 * lateMs));
    expect(cloud.objects.size).toBe(1);
    expect(cloud.starts()).toBe(starts);
    expect(await plan(cloud, { name: "a" }, applied.state)).toMatchObject({ action: "no-op" });
  });

  it("gives up a vendor that keeps dying, and says its last words", async () => {
    const cloud = losingCloud();
    const first = await plan(cloud, { name: "a" });
    cloud.losses.push("before", "before", "before", "before");
    const applied = await executor(cloud).apply(address, first);
    expect(applied.state).toBeNull();
    expect(applied.diagnostics.some((d) => d.detail.includes("panic: gone"))).toBe(true);
    expect(cloud.objects.size).toBe(0);
  });

  it("does not make again what it cannot look for", async () => {
    const cloud = losingCloud();
    const first = await plan(cloud, { name: "a" });
    cloud.losses.push("after");
    const applied = await executor(cloud, {}).apply(address, first);
    expect(applied).toMatchObject({ outcome: "unknown", state: null });
    expect(cloud.objects.size).toBe(1);
    nextRun();
    const again = await executor(cloud, {}).apply(address, first);
    expect(again).toMatchObject({ outcome: "unknown", state: null });
    expect(cloud.objects.size).toBe(1);
  });

  it("takes no answer of the cloud for nothing", async () => {
    const cloud = losingCloud();
    const first = await plan(cloud, { name: "a" });
    cloud.losses.push("before");
    const deaf: Lookups = { [type]: { find: async () => ({ kind: "unknown", diagnostics: [] }) } };
    expect(await executor(cloud, deaf).apply(address, first)).toMatchObject({ outcome: "unknown" });
    expect(cloud.losses).toEqual(["before"]);
  });

  it("adopts what a killed run made and never wrote down", async () => {
    const cloud = losingCloud();
    const first = await plan(cloud, { name: "a" });
    await executor(cloud).apply(address, first);
    nextRun();
    expect([...journal.open.keys()]).toEqual([address]);
    const again = await executor(cloud).apply(address, first);
    expect(again).toMatchObject({ outcome: "done", state: { value: { id: "t-1" } } });
    expect(cloud.objects.size).toBe(1);
  });

  it("finds by name what no journal tells of", async () => {
    const cloud = losingCloud();
    const first = await plan(cloud, { name: "a" });
    await executor(cloud).apply(address, first);
    journal.forget(new Set([address]));
    nextRun();
    expect(await executor(cloud).apply(address, first)).toMatchObject({ outcome: "done", state: { value: { id: "t-1" } } });
  });

  it("makes anew what was made of another configuration", async () => {
    const cloud = losingCloud();
    await executor(cloud).apply(address, await plan(cloud, { name: "a", note: "old" }));
    nextRun();
    const applied = await executor(cloud).apply(address, await plan(cloud, { name: "a", note: "new" }));
    expect(applied).toMatchObject({ outcome: "done", state: { value: { id: "t-2", note: "new" } } });
    expect([...cloud.objects.keys()]).toEqual(["t-2"]);
  });

  it("keeps one of several and removes the others", async () => {
    const cloud = losingCloud();
    const first = await plan(cloud, { name: "a" });
    const vendor = await cloud.pool.get();
    for (let i = 0; i < 3; i += 1)
      await vendor.apply(type, { config: first.config, prior: null, planned: first.planned, private: first.plannedPrivate });
    expect(cloud.objects.size).toBe(3);
    await executor(cloud).apply(address, first);
    expect([...cloud.objects.keys()]).toEqual(["t-1"]);
  });

  it.each([
    ["comes to rest", ["wait", "ready"], "t-1", 1],
    ["never does", ["wait", "failed"], "t-2", 1],
  ] as const)("waits for an object that %s after an error", async (_what, verdicts, id, left) => {
    let fail = true;
    const cloud = losingCloud({
      async create({ planned }) {
        const n = `t-${cloud.objects.size + (fail ? 1 : 2)}`;
        const state = { ...planned, id: n, serial: 1 };
        cloud.objects.set(n, state);
        const diagnostics = fail ? [{ severity: "error" as const, summary: "BUILD", detail: "" }] : [];
        fail = false;
        return { state, diagnostics };
      },
    });
    const answers = [...verdicts];
    const find = cloud.lookups[type]?.find;
    if (!find) throw new Error("no lookup");
    const lookups: Lookups = { [type]: { find, ready: () => answers.shift() ?? "ready" } };
    const applied = await executor(cloud, lookups).apply(address, await plan(cloud, { name: "a" }));
    expect(applied.outcome).toBe("done");
    expect(applied.diagnostics.every((d) => d.severity === "warning")).toBe(true);
    if (verdicts[1] === "ready") expect(applied.state?.value.id).toBe(id);
    expect(cloud.objects.size).toBe(left);
  });
});

describe("update and destroy", () => {
  it.each<Loss>(["before", "after"])("updates once when the answer is lost %s the work", async (loss) => {
    const cloud = losingCloud();
    const run = executor(cloud);
    const made = await run.apply(address, await plan(cloud, { name: "a" }));
    const update = await plan(cloud, { name: "a", size: 5 }, made.state);
    cloud.losses.push(loss);
    const applied = await run.apply(address, update);
    expect(applied).toMatchObject({ outcome: "done", state: { value: { size: 5, serial: 2 } } });
  });

  it.each<Loss>(["before", "after", "late"])("destroys when the answer is lost %s", async (loss) => {
    const cloud = losingCloud();
    const run = executor(cloud);
    const made = await run.apply(address, await plan(cloud, { name: "a" }));
    if (made.state === null) throw new Error("nothing made");
    cloud.losses.push(loss);
    expect(await run.apply(address, planDestroy(type, made.state))).toMatchObject({ outcome: "done", state: null });
    expect(cloud.objects.size).toBe(0);
  });

  it("replaces through the loss of both answers", async () => {
    const cloud = losingCloud();
    const run = executor(cloud);
    const made = await run.apply(address, await plan(cloud, { name: "a" }));
    const replace = await plan(cloud, { name: "b" }, made.state);
    expect(replace.action).toBe("replace");
    cloud.losses.push("after", "after");
    expect(await run.apply(address, replace)).toMatchObject({ outcome: "done", state: { value: { name: "b" } } });
    expect(cloud.objects.size).toBe(1);
  });

  it("does not repeat a destroy that the cloud plainly refuses", async () => {
    let asked = 0;
    const cloud = losingCloud({
      delete: async ({ prior }) => {
        asked += 1;
        return { state: prior, diagnostics: [{ severity: "error", summary: "403 Forbidden", detail: "" }] };
      },
    });
    const run = executor(cloud);
    const made = await run.apply(address, await plan(cloud, { name: "a" }));
    if (made.state === null) throw new Error("nothing made");
    expect(await run.apply(address, planDestroy(type, made.state))).toMatchObject({ outcome: "failed", state: made.state });
    expect(asked).toBe(1);
  });
});

describe("stop", () => {
  it("lets what is in flight end and begins nothing new", async () => {
    let finish = (): void => undefined;
    const cloud = losingCloud({
      create: ({ planned }) =>
        new Promise((resolve) => {
          finish = () => resolve({ state: { ...planned, id: "t-1", serial: 1 } });
        }),
    });
    const run = executor(cloud);
    const first = await plan(cloud, { name: "a" });
    const inFlight = run.apply(address, first);
    await new Promise((resolve) => setTimeout(resolve, 30));
    const drained = run.drain();
    expect(await run.apply("machine.b", first)).toMatchObject({ outcome: "failed", diagnostics: [{ summary: "Stopped" }] });
    finish();
    await drained;
    expect(await inFlight).toMatchObject({ outcome: "done" });
  });
});

it("writes neither values nor secrets into the journal", async () => {
  const cloud = losingCloud();
  await executor(cloud).apply(address, await plan(cloud, { name: "a", secret: "hunter2", note: "noted" }));
  const text = readFileSync(join(dir, "journal.jsonl"), "utf8");
  expect(text).toContain(`"address":"${address}"`);
  expect(text).not.toMatch(/hunter2|noted/);
});

it("finds strays, and forgets what the state knows", async () => {
  const cloud = losingCloud();
  const run = executor(cloud);
  const made = await run.apply(address, await plan(cloud, { name: "a" }));
  const known = { address, type, wanted: { name: "a" }, id: "t-1" };
  expect(await run.strays([known])).toEqual([]);
  expect(await run.strays([{ ...known, id: null }])).toEqual([{ address, type, id: "t-1" }]);
  expect(made.outcome).toBe("done");
  await run.apply("machine.b", await plan(cloud, { name: "b" }));
  run.settled(new Set([address]));
  nextRun();
  expect([...journal.open.keys()]).toEqual(["machine.b"]);
});
