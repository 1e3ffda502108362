import { describe, expect, it } from "vitest";
import type { ObjectValue } from "../../../../provider/framework/value.js";
import { isUnknown, unknown } from "../../../../provider/framework/value.js";
import { honestNode } from "../../../../provider/resources/honest-node.js";
import { marksFrom } from "../../../../provider/resources/node/marks.js";
import { planNode } from "../../../../provider/resources/node/plan.js";

const prior: ObjectValue = {
  cluster: "demo",
  name: "demo-cp-a",
  role: "control-plane",
  pool: "cp",
  vm_id: "i-1",
  release: "r1",
  node_name: "demo-cp-a",
  membership: "member",
  gen: "abcd",
};
const worker: ObjectValue = { ...prior, name: "demo-w-a-0", role: "worker", node_name: "demo-w-a-0-aaaaa" };
const plan = (before: ObjectValue | null, proposed: ObjectValue | null, seen: Record<string, unknown> = {}, gone = false) =>
  planNode({ prior: before, config: proposed, proposed, private: seen }, gone);

describe("what Plan tells Delete", () => {
  it.each<[string, ReturnType<typeof plan>, ReturnType<typeof marksFrom>]>([
    [
      "a destroy leaves for good",
      plan(prior, null, { complete: true }),
      { how: "leave", plannedVmId: null, complete: true, markless: false, machineGone: false, members: null },
    ],
    [
      "a new machine replaces",
      plan(prior, { ...prior, vm_id: unknown, members: ["demo-cp-a", "demo-cp-b"] }),
      { how: "replace", plannedVmId: null, complete: false, markless: false, machineGone: false, members: ["demo-cp-a", "demo-cp-b"] },
    ],
    [
      "a raised number goes back to a snapshot",
      plan({ ...prior, etcd_number: 1 }, { ...prior, etcd_number: 2, vm_id: unknown }, { complete: true }),
      { how: "replace", plannedVmId: null, complete: true, markless: false, machineGone: false, restoring: true, members: [] },
    ],
    [
      "a raised number, also when core asks a second time",
      plan(
        null,
        { ...prior, etcd_number: 2, vm_id: unknown },
        plan({ ...prior, etcd_number: 1 }, { ...prior, etcd_number: 2, vm_id: unknown }).private,
      ),
      { how: "replace", plannedVmId: null, complete: false, markless: false, machineGone: false, restoring: true, members: [] },
    ],
    [
      "a number that stays, when core asks a second time",
      plan(
        null,
        { ...prior, etcd_number: 2, vm_id: unknown },
        plan({ ...prior, etcd_number: 2 }, { ...prior, etcd_number: 2, vm_id: unknown }).private,
      ),
      { how: "replace", plannedVmId: null, complete: false, markless: false, machineGone: false, members: [] },
    ],
    [
      "a number that stays is a roll like any other",
      plan({ ...prior, etcd_number: 2 }, { ...prior, etcd_number: 2, vm_id: unknown }, { complete: true }),
      { how: "replace", plannedVmId: null, complete: true, markless: false, machineGone: false, members: [] },
    ],
    [
      "the same machine is named",
      plan(prior, { ...prior, release: "r2" }),
      { how: "replace", plannedVmId: "i-1", complete: false, markless: false, machineGone: false, members: [] },
    ],
    [
      "core asks a second time, without a prior",
      plan(null, { ...prior, vm_id: unknown }, plan(prior, { ...prior, vm_id: unknown }, { complete: true }).private),
      { how: "replace", plannedVmId: null, complete: true, markless: false, machineGone: false, members: [] },
    ],
    [
      "its machine is gone by the cloud's word, also when core asks a second time",
      plan(null, { ...prior, vm_id: unknown }, plan(prior, { ...prior, vm_id: unknown }, {}, true).private),
      { how: "replace", plannedVmId: null, complete: false, markless: false, machineGone: true, members: [] },
    ],
    [
      "a tainted one has no prior and is no leave",
      plan(null, prior),
      { how: "replace", plannedVmId: "i-1", complete: false, markless: true, machineGone: false, members: [] },
    ],
  ])("%s", (_, response, marks) => {
    expect(marksFrom(response.private ?? {})).toEqual(marks);
  });

  it("takes nothing, and anything it does not know, for a replacement", () => {
    expect(marksFrom({}).how).toBe("replace");
    expect(marksFrom({ how: "create" }).how).toBe("replace");
    expect(marksFrom({ how: 1, vm_id: 2, complete: "yes" })).toEqual({
      how: "replace",
      plannedVmId: null,
      complete: false,
      markless: true,
      machineGone: false,
      members: null,
    });
  });
});

describe("the plan", () => {
  it("changes nothing when nothing changed", () => {
    expect(plan(prior, prior).planned).toEqual(prior);
  });

  it("mends what a destroy has left half-way", () => {
    expect(plan({ ...prior, membership: "going down" }, { ...prior, membership: "going down" }).planned).toEqual(prior);
  });

  it("lets in again whose certificate ended while it was off", () => {
    expect(plan({ ...worker, membership: "locked out" }, { ...worker, membership: "locked out" }).planned).toMatchObject({
      membership: "member",
      gen: "abcd",
    });
  });

  it("keeps the mark in place and leaves it unknown for a new membership", () => {
    expect(plan(prior, { ...prior, pool: "other", gen: unknown }).planned?.gen).toBe("abcd");
    expect(isUnknown(plan(prior, { ...prior, vm_id: "i-2" }).planned?.gen)).toBe(true);
    expect(isUnknown(plan(null, prior).planned?.gen)).toBe(true);
  });

  it("knows a control plane's name always, a worker's with its machine", () => {
    expect(plan(null, { ...prior, vm_id: unknown }).planned?.node_name).toBe("demo-cp-a");
    expect(plan(null, { ...worker, vm_id: "i-1" }).planned?.node_name).toMatch(/^demo-w-a-0-[0-9a-f]{5}$/);
    expect(isUnknown(plan(null, { ...worker, vm_id: unknown }).planned?.node_name)).toBe(true);
  });
});

describe("validate", () => {
  const context = {} as Parameters<NonNullable<typeof honestNode.validate>>[1];
  const summaries = async (change: ObjectValue) =>
    (await honestNode.validate?.({ config: { ...prior, ...change } }, context))?.map((d) => d.summary);

  it.each<[string, ObjectValue, string[]]>([
    ["nothing wrong", { taints: ["a=b:NoSchedule", "a:NoExecute"], timeouts: { create: "1h" } }, []],
    ["an unknown role", { role: unknown }, []],
    ["another role", { role: "master" }, ["Not a role"]],
    ["a taint without effect", { taints: ["a=b"] }, ["Not a taint"]],
    ["a timeout without unit", { timeouts: { create: "20" } }, ["Not a duration"]],
  ])("%s", async (_, change, expected) => {
    expect(await summaries(change)).toEqual(expected);
  });
});
