// What rolls machines and what does not, on whole stacks: each cause is planned for one control plane, and everything that
// may change in place changes no machine.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ClusterProps } from "../../../constructs/index.js";
import type { NodeGroupProps } from "../../../constructs/spec/gen/spec.js";
import { changes, flat } from "../boot/fixture.js";
import { type Fixture, fixture, type Json, mostDown, type Wanted } from "../membership/fixture.js";

let f: Fixture;
beforeAll(async () => {
  f = await fixture();
  await f.w.init();
});
afterAll(() => f.close());

type Props = Partial<ClusterProps> & { readonly controlPlane?: object; readonly upgradePolicy?: object };
const want = (props: Props = {}, more: Omit<Wanted, "props"> = {}): void =>
  f.want({
    controlPlanes: 3,
    workers: 3,
    ...more,
    props: { ...props, controlPlane: { replicas: more.controlPlanes ?? 3, ...props.controlPlane } } as never,
  });
const plan = async () => {
  const { exitCode, text, json } = await f.w.plan();
  const rolled = Object.entries(changes(json)).filter(
    ([address, action]) => /^honest_local_machine/.test(address) && /delete/.test(action),
  );
  return { exitCode, text: flat(text), machines: rolled.map(([address, action]) => `${/_(cp_\w|w_a_\d)_/.exec(address)?.[1]} ${action}`) };
};
const stops = (): readonly string[] => f.cloud.cluster.machines.events.filter((one) => one.startsWith("stop ")).map((one) => one.slice(5));
const clear = (): void => {
  f.cloud.cluster.machines.events.length = 0;
};

describe("three control planes and three workers", () => {
  beforeAll(async () => {
    want();
    await f.w.apply();
    await f.w.expectEmptyPlan();
  });

  it.each<[string, Props]>([
    ["flags of a kubelet", { controlPlane: { componentFlags: { "kubelet.max-pods": "60" } } }],
    ["flags of the API server", { controlPlane: { componentFlags: { "kube-apiserver.event-ttl": "2h" } } }],
    ["the machine type", { controlPlane: { instanceType: "local.cpu2.mem4096" } }],
    ["the image", { controlPlane: { image: "somebody/machine:1" } }],
    ["the version", { version: "1.37.2" }],
    ["a name in certificates", { access: { certNames: ["api.example.com"] } }],
  ])("%s: the plan replaces one of them, names it, and says who waits and why", async (_, change) => {
    want(change);
    const first = await plan();
    expect(first.machines.filter((row) => row.startsWith("cp_"))).toEqual(["cp_a delete+create"]);
    expect(first.text).toMatch(/pool cp: demo-cp-a takes its new release now; demo-cp-b, demo-cp-c wait for their turn/);
    expect(first.text).toMatch(/\+ pending = "release r[0-9a-f]{12} waits for its turn"/);
    // planned is not done: the next row asks for something else, and nobody has moved
    expect(stops()).toEqual([]);
  });

  it("from the last of many edits, applied: one after the other, the workers last", async () => {
    clear();
    want({ version: "1.37.2", controlPlane: { componentFlags: { "kubelet.max-pods": "70" } } });
    for (let n = 0; n < 7 && (await plan()).exitCode !== 0; n += 1) await f.w.apply();
    await f.w.expectEmptyPlan();
    expect(stops().slice(0, 3)).toEqual(["demo-cp-a", "demo-cp-b", "demo-cp-c"]);
    expect(
      stops()
        .slice(3)
        .every((name) => name.startsWith("demo-w-a-")),
    ).toBe(true);
    expect(mostDown(f)).toBe(1);
  });

  const steady: Props = { version: "1.37.2", controlPlane: { componentFlags: { "kubelet.max-pods": "70" } } };

  it("workers go by as many as may stand beside each other", async () => {
    clear();
    want(steady, { group: { instanceTypes: ["local.cpu2.mem4096"], updateConfig: { maxSurge: 2 } } });
    const first = await plan();
    expect(first.machines).toEqual(["w_a_0 create+delete", "w_a_1 create+delete"]);
    expect(first.text).toMatch(/pool w: demo-w-a-0, demo-w-a-1 take their new release now; demo-w-a-2 waits for its turn/);
    await f.w.apply();
    expect(stops()).toHaveLength(2);
    await f.w.apply();
    await f.w.expectEmptyPlan();
    expect(stops()).toHaveLength(3);
  });

  it("outside the window nobody is released, and the plan says when it opens, in its own time zone too", async () => {
    clear();
    const group: Partial<NodeGroupProps> = { instanceTypes: ["local.cpu2.mem4096"], updateConfig: { maxSurge: 2 } };
    const hour = (new Date().getUTCHours() + 6) % 24;
    const window = { upgradePolicy: { maintenanceWindow: { hour, durationHours: 1, timezone: "UTC" } } };
    want({ ...steady, ...window }, { group });
    await f.w.apply();
    await f.w.expectEmptyPlan();
    want({ ...steady, ...window, controlPlane: { componentFlags: { "kubelet.max-pods": "80" } } }, { group });
    await f.w.apply();
    const closed = await plan();
    expect(closed.exitCode).toBe(0);
    const at = String(hour).padStart(2, "0");
    expect(closed.text).toMatch(
      new RegExp(`nobody takes a new release now: the maintenance window is closed; it opens at \\S+T${at}:00Z \\(\\w+day ${at}:00 UTC\\)`),
    );
    expect(stops()).toEqual([]);

    // another window at the same time as a release is judged by the next plan
    const open = { upgradePolicy: { maintenanceWindow: { hour: 0, durationHours: 24, timezone: "Europe/Berlin" } } };
    want({ ...steady, ...open, controlPlane: { componentFlags: { "kubelet.max-pods": "80" } } }, { group });
    expect((await plan()).text).toMatch(/the maintenance window is new; this apply records it, and the next plan judges it/);
    await f.w.apply();
    expect(stops()).toEqual([]);
    for (let n = 0; n < 3; n += 1) await f.w.apply();
    await f.w.expectEmptyPlan();
    expect(stops()).toEqual(["demo-cp-a", "demo-cp-b", "demo-cp-c"]);
  });
});

describe("no machine changes", () => {
  const group: Partial<NodeGroupProps> = { instanceTypes: ["local.cpu2.mem4096"], updateConfig: { maxSurge: 2 } };
  const names = { certNames: ["b.example.com", "a.example.com"] };
  const base: Props = {
    version: "1.37.2",
    access: names,
    controlPlane: { componentFlags: { "kubelet.max-pods": "80", "kube-apiserver.event-ttl": "2h" } },
  };
  const tags = (json: Json): void => {
    for (const machine of Object.values(json.resource?.honest_local_machine ?? {})) machine.tags = { owner: "us" };
  };

  beforeAll(async () => {
    want(base, { group });
    for (let n = 0; n < 6 && (await plan()).exitCode !== 0; n += 1) await f.w.apply();
    await f.w.expectEmptyPlan();
    clear();
  }, 120_000);

  it.each<[string, Props, Omit<Wanted, "props">]>([
    [
      "for inputs in another order",
      {
        access: { certNames: ["a.example.com", "b.example.com"] },
        controlPlane: { componentFlags: { "kube-apiserver.event-ttl": "2h", "kubelet.max-pods": "80" } },
      },
      { group },
    ],
    [
      "for a label and a taint of a group",
      {},
      { group: { ...group, labels: { tier: "web" }, taint: [{ key: "only", effect: "NO_SCHEDULE" }] } },
    ],
    ["for tags", {}, { group, edit: tags }],
    ["for another worker", {}, { group, workers: 4 }],
    [
      "for another pace and window",
      { upgradePolicy: { roll: "in_one_apply", maintenanceWindow: { hour: 3, durationHours: 2 } } },
      { group },
    ],
    ["for another life of certificates", { certificates: { lifetime: "720h", renewBefore: "240h" } } as Props, { group }],
    ["for a longer drain", {}, { group: { ...group, drainTimeoutSec: 900 } as never }],
    ["for two control planes fewer", {}, { group, controlPlanes: 1 }],
    ["for two control planes more", {}, { group, controlPlanes: 3 }],
  ])("%s", async (_, change, more) => {
    const before = new Set(f.cloud.cluster.machines.living.keys());
    want({ ...base, ...change }, more);
    expect((await plan()).machines.filter((row) => row.endsWith("create"))).toEqual([]);
    await f.w.apply();
    await f.w.expectEmptyPlan();
    const fresh = [...f.cloud.cluster.machines.living.keys()].filter((id) => !before.has(id));
    const left = [...before].filter((id) => !f.cloud.cluster.machines.living.has(id));
    expect(Math.min(fresh.length, left.length)).toBe(0);
  });
});
