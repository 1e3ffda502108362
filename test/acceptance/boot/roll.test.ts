import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { releaseOf } from "../../../constructs/blueprint/machine-spec.js";
import { healthy } from "../../support/facts.js";
import { bootStates, changes, type Fixture, fixture, flat, stack, three } from "./fixture.js";

const kit = vi.hoisted(() => ({ later: false }));
vi.mock("../../../provider/boot/gen/cloud-init-sources.js", async (original) => {
  const real = await original<typeof import("../../../provider/boot/gen/cloud-init-sources.js")>();
  return {
    ...real,
    get bootSources() {
      return kit.later ? { ...real.bootSources, "honest/later.py": "LATER = True\n" } : real.bootSources;
    },
  };
});

const names = ["demo-cp-a", "demo-cp-b", "demo-cp-c"];
let f: Fixture;

/** What agents would report when the machines of the state run. */
async function report(over: Parameters<typeof healthy>[0] = {}): Promise<void> {
  const states = await bootStates(f.w);
  const nodes = Object.fromEntries(
    Object.values(states).map((state) => [(state.spec as { name: string }).name, { release: state.release as string }]),
  );
  f.cluster.facts = healthy({ ...over, nodes: { ...nodes, ...over.nodes } }, names);
}
const releases = async (): Promise<readonly unknown[]> => Object.values(await bootStates(f.w)).map((state) => state.release);
const planned = async () => {
  const plan = await f.w.plan();
  return { ...plan, text: flat(plan.text), changes: changes(plan.json) };
};

beforeAll(async () => {
  f = await fixture(null);
  await f.w.init();
});
afterAll(() => f.w.close());

const flags = (value: string) => ({ component_flags: { "kubelet.max-pods": value } });
const wantedOf = (over: object): readonly string[] => Object.values(three(over)).map(releaseOf);

describe("three control planes", () => {
  it("are created and planned again: nothing", async () => {
    f.w.write({ "main.tf.json": stack(three()) });
    const made = await f.w.apply();
    await report();
    await f.w.expectEmptyPlan();
    expect(await releases()).toEqual(wantedOf({}));
    // outputs that could be known were known at plan
    expect(made.stdout).toMatch(/release += "r[0-9a-f]{12}"/);
  });

  it("shows no key in plans, applies or the log", async () => {
    const { text } = await planned();
    const bundle = (await f.w.resources()).find((r) => r.type === "honest_pki")?.values.bundle as string;
    const keys = Object.entries(JSON.parse(bundle) as Record<string, string>).filter(([name]) => /key|seed/.test(name));
    expect(keys.length).toBeGreaterThanOrEqual(6);
    f.w.write({ "main.tf.json": stack(three(flags("60"))) });
    const texts = [text, (await planned()).text, f.w.log()].join("\n");
    for (const [name, key] of keys) {
      const canary = key.split("\n")[1] ?? key;
      expect(texts.includes(canary === "" ? key : canary), name).toBe(false);
    }
    expect(texts).not.toMatch(/PRIVATE KEY/);
  });

  it("keep the bytes they have when the kit is another", async () => {
    f.w.write({ "main.tf.json": stack(three()) });
    kit.later = true;
    await f.w.expectEmptyPlan();
    kit.later = false;
  });

  it("take a release one an apply, and say who is next", async () => {
    f.w.write({ "main.tf.json": stack(three(flags("60"))) });
    const [a, b, c] = wantedOf(flags("60"));
    const before = await releases();
    const first = await planned();
    expect(first.text).toMatch(/demo-cp-a takes its new release now; demo-cp-b, demo-cp-c wait for their turn/);
    expect(first.text.match(/Machines wait for their new release/g)).toHaveLength(1);
    expect(first.text).toMatch(/\+ pending += "release r[0-9a-f]+ waits for its turn"/);
    expect(first.changes).toMatchObject({ "terraform_data.a": "delete+create", "honest_boot.a": "update", "honest_boot.b": "update" });
    expect(first.changes).not.toHaveProperty("terraform_data.b");

    await f.w.apply();
    expect(await releases()).toEqual([a, before[1], before[2]]);
    await report();
    const second = await planned();
    expect(second.changes).toEqual({ "honest_boot.b": "update", "terraform_data.b": "delete+create" });
    await f.w.apply();
    await report();
    await f.w.apply();
    expect(await releases()).toEqual([a, b, c]);
    await report();
    await f.w.expectEmptyPlan();
  });

  it("give an empty plan with a warning while nobody may take it", async () => {
    f.w.write({ "main.tf.json": stack(three(flags("70"))) });
    await report({ lease: { holder: "demo-cp-b", drained: true, ageSec: 3 } });
    await f.w.apply();
    const blocked = await planned();
    expect(blocked.text).toMatch(/nobody takes a new release now: demo-cp-b is on its way/);
    expect(blocked.exitCode).toBe(0);
    // the reason moves, the plan stays empty
    await report({ etcd: { "demo-cp-c": "learner" }, lease: { holder: "demo-cp-c", drained: false, ageSec: 3 } });
    const other = await planned();
    expect(other.text).toMatch(/nobody takes a new release now: etcd member demo-cp-c does not answer/);
    expect(other.exitCode).toBe(0);

    await report();
    await f.w.apply();
    await report({ nodes: { "demo-cp-a": { release: wantedOf(flags("70"))[0] ?? "", ready: false } } });
    const sick = await planned();
    expect(sick.text).toMatch(/nobody takes a new release now: demo-cp-a has the new release and is not Ready/);
    expect(sick.exitCode).toBe(0);
  });

  it("keep old facts and say so when the API is silent; nothing is taken", async () => {
    f.cluster.facts = null;
    const { text, exitCode } = await planned();
    expect(text).toMatch(/Cluster demo could not be read/);
    expect(text).toMatch(/nobody takes a new release now: the Kubernetes API does not answer: connection refused/);
    expect(exitCode).toBe(0);
  });

  it("read the cluster once a run, for all of them", async () => {
    await report();
    f.reads.count = 0;
    await f.w.plan();
    expect(f.reads.count).toBe(1);
  });

  it("apply a saved plan as it was made, whatever the cluster does in between", async () => {
    await report();
    f.w.write({ "main.tf.json": stack(three(flags("80"))) });
    await f.w.run(["plan", "-no-color", "-input=false", "-out=saved"]);
    await report({ etcd: { "demo-cp-b": "dead" } });
    await f.w.run(["apply", "-no-color", "-input=false", "saved"]);
    expect((await releases())[0]).toBe(wantedOf(flags("80"))[0]);
  });
});

describe("a cluster that was just made", () => {
  it("releases nobody without a refresh", async () => {
    const g = await fixture(healthy({}, names));
    try {
      await g.w.init();
      g.w.write({ "main.tf.json": stack(three()) });
      await g.w.apply();
      g.w.write({ "main.tf.json": stack(three(flags("60"))) });
      const plan = await g.w.plan(["-refresh=false"]);
      expect(flat(plan.text)).toMatch(/has not been read yet/);
      expect(Object.keys(changes(plan.json)).filter((address) => address.startsWith("terraform_data"))).toEqual([]);
      await g.w.apply(["-refresh=false"]);
      await g.w.expectEmptyPlan(["-refresh=false"]);
    } finally {
      await g.w.close();
    }
  });

  it("takes a correction on all machines at once before it was handed over", async () => {
    const g = await fixture(null);
    try {
      await g.w.init();
      g.w.write({ "main.tf.json": stack(three()) });
      await g.w.apply();
      g.w.write({ "main.tf.json": stack(three(flags("60"))) });
      expect(Object.keys(changes((await g.w.plan()).json)).filter((address) => address.startsWith("terraform_data"))).toHaveLength(3);
      await g.w.apply();
      await g.w.expectEmptyPlan();
    } finally {
      await g.w.close();
    }
  });
});
