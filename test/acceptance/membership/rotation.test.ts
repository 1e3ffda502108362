// The authorities of a whole stack are rotated under a real terraform: three applies and a roll, each followed by an empty
// plan; what may not follow is refused at plan; an apply that was cut off is gone on with.
import { afterEach, describe, expect, it } from "vitest";
import { type Fixture, fixture } from "./fixture.js";

let open: Fixture | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

const timeouts = { update: "8s" };
const step = (f: Fixture, state?: string, number = 1) =>
  f.want({
    controlPlanes: 3,
    workers: 1,
    timeouts,
    props: state === undefined ? {} : { certificates: { rotation: { number, state: state as "create" } } },
  });

async function born(): Promise<Fixture> {
  const f = await fixture();
  open = f;
  step(f);
  await f.w.init();
  await f.w.apply();
  await f.w.expectEmptyPlan();
  f.cloud.cluster.machines.events.length = 0;
  return f;
}
const machines = (f: Fixture) => [...f.cloud.cluster.machines.living.keys()].sort();
const pki = async (f: Fixture) => (await f.w.resources()).find((r) => r.type === "honest_pki")?.values ?? {};
/** Words of a message as they were before terraform broke its lines. */
const whole = (text: string) => text.replaceAll(/\s*\n[│╷╵]?\s*/g, " ");
const refused = async (f: Fixture): Promise<string> => {
  const plan = await f.w.plan([], { expectFail: true });
  expect(plan.exitCode, plan.text).toBe(1);
  return whole(plan.text);
};
/** Applies until there is nothing to do; how many it took. */
async function converge(f: Fixture): Promise<number> {
  for (let applies = 0; applies < 12; applies += 1) {
    if ((await f.w.plan()).exitCode === 0) return applies;
    await f.w.apply();
  }
  throw new Error("no end");
}

describe("a rotation", () => {
  it("goes through its three states, rolls machines one at a time in between, and leaves nothing to do", async () => {
    const f = await born();
    const before = machines(f);
    expect(await refusedTo(f, "promote")).toContain('set { number = 1, state = "create" }');

    step(f, "create");
    await f.w.apply();
    await f.w.expectEmptyPlan();
    expect(await refusedTo(f, "retire")).toContain('set { number = 1, state = "promote" }');

    step(f, "promote");
    await f.w.apply();
    // none of it has touched a machine
    expect([machines(f), f.cloud.cluster.machines.events]).toEqual([before, []]);
    expect(await refusedTo(f, "retire")).toMatch(/boot documents do not carry the new authorities yet/);
    step(f, "promote");
    await f.w.apply();
    expect(await refusedTo(f, "retire")).toMatch(/would not come back: demo-cp-a, demo-cp-b, demo-cp-c, demo-w-a-0-/);
    step(f, "promote");
    await converge(f);
    await f.w.expectEmptyPlan();
    expect(machines(f).some((id) => before.includes(id))).toBe(false);
    const after = machines(f);

    step(f, "retire");
    await f.w.apply();
    await f.w.expectEmptyPlan();
    expect(machines(f)).toEqual(after);
    expect(await pki(f)).toMatchObject({ generation: 1, next: null });
    expect(await refusedTo(f)).toContain('set { number = 1, state = "retire" }');
    // the next one begins from there
    step(f, "create", 2);
    await f.w.apply();
    await f.w.expectEmptyPlan();
    expect(machines(f)).toEqual(after);
    step(f, "promote", 2);
    await f.w.destroy();
  });

  it("waits for every node, says who is missing, and goes on with the next apply", async () => {
    const f = await born();
    f.cloud.cluster.machines.behind.add("demo-cp-b");
    step(f, "create");
    const cut = await f.w.apply([], { expectFail: true });
    expect(whole(cut.stderr)).toMatch(/demo-cp-b: etcd to be started anew/);
    expect(await refusedTo(f, "promote")).toMatch(/demo-cp-b: etcd to be started anew/);
    f.cloud.cluster.machines.behind.clear();
    step(f, "create");
    await f.w.apply();
    await f.w.expectEmptyPlan();
    f.cloud.cluster.machines.behind.add("demo-cp-c");
    step(f, "promote");
    await f.w.apply([], { expectFail: true });
    f.cloud.cluster.machines.behind.clear();
    await converge(f);
    step(f, "retire");
    await f.w.apply();
    await f.w.expectEmptyPlan();
  });

  it("lets a machine that was lost in the middle come back, whatever its document carries", async () => {
    const f = await born();
    step(f, "create");
    await f.w.apply();
    step(f, "promote");
    await f.w.apply();
    const { living } = f.cloud.cluster.machines;
    const lost = [...living.values()].filter(({ name }) => name === "demo-cp-b" || name === "demo-w-a-0");
    expect(lost).toHaveLength(2);
    for (const { id } of lost) f.cloud.cluster.stop(id);
    await converge(f);
    expect([...living.values()].filter((machine) => machine.name === "demo-cp-b")).toHaveLength(1);
    step(f, "retire");
    await f.w.apply();
    await f.w.expectEmptyPlan();
  });
});

const refusedTo = (f: Fixture, state?: string): Promise<string> => {
  step(f, state);
  return refused(f);
};
