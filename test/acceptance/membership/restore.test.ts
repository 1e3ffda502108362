// A cluster goes back to a snapshot by one apply, dead or alive, whatever the order in which terraform makes its machines, and
// the plan after it is empty.
import { afterEach, describe, expect, it } from "vitest";
import { type Fixture, fixture } from "./fixture.js";

let open: Fixture | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

const done = (number: number) => ({ number, sha256: `${number}a`.repeat(32) });
const soon = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString().replace(/\.\d+Z$/, "Z");
const restore = (number: number) => ({ ...done(number), url: "http://10.98.0.1/20261201T110000Z.db", notAfter: soon(1) });
const words = (text: string): string => text.replace(/[\s│]+/g, " ");
const sentinel = (name: string) => ({ collection: "api/v1/configmaps", apiVersion: "v1", kind: "ConfigMap", namespace: "default", name });

async function living(controlPlanes: 1 | 3, workers = 1): Promise<Fixture> {
  const f = await fixture();
  open = f;
  f.want({ controlPlanes, workers });
  await f.w.init();
  await f.w.apply();
  const { store, machines } = f.cloud.cluster;
  store.put(sentinel("before"), {});
  machines.snapshot = store.snapshot();
  store.put(sentinel("later"), {});
  store.remove(sentinel("before"));
  return f;
}
const lose = (f: Fixture): void => {
  for (const machine of [...f.cloud.cluster.machines.living.values()])
    if (machine.role === "control-plane") f.cloud.cluster.stop(machine.id);
};
async function isBack(f: Fixture, number: number): Promise<void> {
  const { store, machines } = f.cloud.cluster;
  expect(machines.events.filter((event) => event.startsWith("restore"))).toContain(`restore ${number}`);
  expect(machines.number).toBe(number);
  expect(store.get(sentinel("before"))).toBeDefined();
  expect(store.get(sentinel("later"))).toBeUndefined();
  await f.w.expectEmptyPlan();
}

describe.each([
  { controlPlanes: 1, parallelism: 10 },
  { controlPlanes: 3, parallelism: 10 },
  { controlPlanes: 3, parallelism: 1 },
] as const)("$controlPlanes control planes at parallelism $parallelism", ({ controlPlanes, parallelism }) => {
  it.each(["all of them lost", "all of them alive"])(
    "%s: go back by one apply, and then once more",
    async (how) => {
      const f = await living(controlPlanes);
      if (how === "all of them lost") lose(f);
      f.want({ controlPlanes, workers: 1, props: { restore: restore(1) } });
      const plan = await f.w.plan();
      expect(words(plan.text)).toContain("goes back to a snapshot");
      expect(words(plan.text)).toContain("start on the snapshot of 2026-12-01 11:00:00 UTC");
      await f.w.apply([`-parallelism=${parallelism}`]);
      await isBack(f, 1);
      // nobody of them was asked to go out of service in order: what they held is given up
      expect(f.cloud.cluster.machines.events.filter((event) => event.startsWith("retire"))).toEqual([]);

      // where it came from may be forgotten: no machine changes
      f.want({ controlPlanes, workers: 1, props: { restore: done(1) } });
      const { text } = await f.w.plan();
      expect(text).toContain(`Plan: 0 to add, ${controlPlanes} to change, 0 to destroy.`);
      f.want({ controlPlanes, workers: 1, props: { restore: restore(2) } });
      await f.w.apply([`-parallelism=${parallelism}`]);
      await isBack(f, 2);
    },
    120_000,
  );
});

describe("what does not go", () => {
  it.each([
    ["a lower number", { restore: done(1) }, "restore.number is 1, and machine demo-cp-a is of number 2"],
    ["no number after one", {}, "restore.number is left out, and machine demo-cp-a is of number 2"],
    ["a number without a place", { restore: done(3) }, "restore.url and restore.not_after are missing"],
    ["an end that is over", { restore: { ...restore(3), notAfter: soon(-1) } }, "is over"],
    ["an end in a month", { restore: { ...restore(3), notAfter: soon(720) } }, "more than 7 days ahead"],
  ])(
    "%s is refused at plan, and nothing is changed",
    async (_what, props, said) => {
      const f = await living(1, 0);
      f.want({ props: { restore: restore(2) } });
      await f.w.apply();
      const events = [...f.cloud.cluster.machines.events];
      f.want({ props });
      const failed = await f.w.plan([], { expectFail: true });
      expect(failed.exitCode).toBe(1);
      expect(words(failed.text)).toContain(said);
      expect(f.cloud.cluster.machines.events).toEqual(events);
    },
    60_000,
  );

  it("fewer control planes in the same apply are refused at plan", async () => {
    const f = await living(3, 0);
    f.want({ controlPlanes: 1, props: { restore: restore(1) } });
    const failed = await f.w.plan([], { expectFail: true });
    expect(words(failed.text)).toContain("A restore and fewer control planes are two applies");
  }, 60_000);
});

it("a restore that does not come up is followed by one with the next number", async () => {
  const f = await living(3, 0);
  lose(f);
  f.want({ controlPlanes: 3, props: { restore: restore(1) }, timeouts: { create: "3s", update: "3s" } });
  // a snapshot that no machine can read: none of them comes up
  f.cloud.stuck = true;
  const failed = await f.w.apply([], { expectFail: true });
  expect(words(failed.stderr + failed.stdout)).toContain("Cluster demo was not handed over");
  f.cloud.stuck = false;
  f.want({ controlPlanes: 3, props: { restore: restore(2) } });
  await f.w.apply();
  await isBack(f, 2);
}, 60_000);
