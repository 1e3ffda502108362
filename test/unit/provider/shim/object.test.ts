// One object's life through the client, against resources of our own without a process.
import { describe, expect, it } from "vitest";
import type { Resource } from "../../../../provider/framework/resource.js";
import { isUnknown, type ObjectValue, unknown } from "../../../../provider/framework/value.js";
import { configOf } from "../../../../provider/shim/config.js";
import { inProcessVendor } from "../../../../provider/shim/in-process.js";
import type { ObjectPlan, ObjectState } from "../../../../provider/shim/instance-types.js";
import { adoptObject, applyObject, createAlone, planDestroy, planObject, readObject } from "../../../../provider/shim/object.js";
import { loadObject, storeObject } from "../../../../provider/shim/stored.js";
import type { Vendor } from "../../../../provider/shim/vendor.js";
import { toyProvider } from "../../../support/toy-provider.js";

const type = "toy_thing";
const silent = (): undefined => undefined;
const refusing = (detail: string): Partial<Resource> => ({
  create: async () => ({ state: null, diagnostics: [{ severity: "error", summary: "Error creating toy_thing", detail }] }),
});

function toy(overrides: Partial<Resource> = {}): { vendor: Vendor; objects: Map<string, ObjectValue> } {
  const { provider, objects } = toyProvider(overrides);
  return { vendor: inProcessVendor(provider, silent), objects };
}

async function plan(vendor: Vendor, args: ObjectValue, prior: ObjectState | null, ignoreChanges: string[] = []): Promise<ObjectPlan> {
  const { config, diagnostics } = configOf(await vendor.schema(type), args);
  expect(diagnostics).toEqual([]);
  const planned = await planObject(vendor, type, config, prior, { ignoreChanges });
  expect(planned.diagnostics).toEqual([]);
  if (planned.plan === null) throw new Error("no plan");
  return planned.plan;
}

async function created(vendor: Vendor, args: ObjectValue): Promise<ObjectState> {
  const done = await applyObject(vendor, await plan(vendor, args, null));
  expect(done).toMatchObject({ outcome: "done", diagnostics: [] });
  if (done.state === null) throw new Error("nothing was created");
  return done.state;
}

describe("plan", () => {
  it("creates with unknown ids", async () => {
    const made = await plan(toy().vendor, { name: "a" }, null);
    expect(made).toMatchObject({ action: "create", changed: [], replacedBy: [], prior: null });
    expect(isUnknown(made.planned?.id)).toBe(true);
    expect(made.planned).toMatchObject({ name: "a", size: 1 });
  });

  it("is empty after apply and names what differs", async () => {
    const { vendor } = toy();
    const state = await created(vendor, { name: "a", tags: { x: "1" } });
    expect(await plan(vendor, { name: "a", tags: { x: "1" } }, state)).toMatchObject({ action: "no-op", changed: [] });
    expect(await plan(vendor, { name: "a", size: 2 }, state)).toMatchObject({ action: "update", changed: ["serial", "size", "tags"] });
  });

  it("replaces only for what differs, and plans the new object from nothing", async () => {
    const { vendor } = toy(replacingAlways);
    const state = await created(vendor, { name: "a", note: "n" });
    expect(await plan(vendor, { name: "a", note: "m" }, state)).toMatchObject({ action: "replace", replacedBy: [["note"]] });
    const replace = await plan(vendor, { name: "b", note: "n" }, state);
    expect(replace).toMatchObject({ action: "replace", replacedBy: [["name"]] });
    expect(isUnknown(replace.planned?.id)).toBe(true);
  });

  it("leaves alone what is to be ignored once it exists", async () => {
    const { vendor } = toy();
    const state = await created(vendor, { name: "a" });
    expect(await plan(vendor, { name: "b" }, state, ["name"])).toMatchObject({ action: "no-op" });
  });

  it("takes what is not known yet for unknown", async () => {
    const made = await plan(toy().vendor, { name: "a", note: unknown }, null);
    expect(isUnknown(made.planned?.note)).toBe(true);
    expect(await applyObject(toy().vendor, made)).toMatchObject({ outcome: "failed", state: null });
  });
});

const replacingAlways: Partial<Resource> = {
  async plan({ proposed, prior }) {
    return { planned: prior && proposed ? { ...proposed, id: prior.id ?? null } : proposed, replace: ["note", "name"] };
  },
};

describe("apply", () => {
  it("replaces: destroys, then creates", async () => {
    const { vendor, objects } = toy();
    const state = await created(vendor, { name: "a" });
    const done = await applyObject(vendor, await plan(vendor, { name: "b" }, state));
    expect(done).toMatchObject({ outcome: "done", state: { value: { name: "b", id: "t-2" } } });
    expect([...objects.keys()]).toEqual(["t-2"]);
  });

  it("can do the create of a replacement alone", async () => {
    const { vendor, objects } = toy();
    const state = await created(vendor, { name: "a" });
    const done = await applyObject(vendor, createAlone(await plan(vendor, { name: "b" }, state)));
    expect(done.outcome).toBe("done");
    expect([...objects.keys()]).toEqual(["t-1", "t-2"]);
  });

  it("does not create when the destroy of a replacement fails", async () => {
    const { vendor, objects } = toy({
      delete: async ({ prior }) => ({ state: prior, diagnostics: [{ severity: "error", summary: "in use", detail: "" }] }),
    });
    const state = await created(vendor, { name: "a" });
    const done = await applyObject(vendor, await plan(vendor, { name: "b" }, state));
    expect(done).toMatchObject({ outcome: "failed", state: { value: { id: "t-1" } } });
    expect(objects.size).toBe(1);
  });

  it("passes the vendor's own data on, byte for byte, and keeps it through a store", async () => {
    const seen: unknown[] = [];
    const { vendor } = toy({
      async update({ planned, private: held }) {
        seen.push(held);
        return { state: { ...planned, serial: 2 }, private: held };
      },
    });
    const state = await created(vendor, { name: "a" });
    const stored = await storeObject(vendor, type, state);
    expect(stored).toMatchObject({ type, schema_version: 1 });
    const loaded = await loadObject(vendor, JSON.parse(JSON.stringify(stored)));
    expect(loaded.state?.value).toEqual(state.value);
    await applyObject(vendor, await plan(vendor, { name: "a", size: 9 }, loaded.state));
    expect(seen).toEqual([{ made: "t-1" }]);
  });

  it("refuses what a newer provider stored", async () => {
    const { vendor } = toy();
    const stored = await storeObject(vendor, type, await created(vendor, { name: "a" }));
    const { state, diagnostics } = await loadObject(vendor, { ...stored, schema_version: 2 });
    expect(state).toBeNull();
    expect(diagnostics[0]?.detail).toContain("toy_thing is stored in schema version 2");
  });

  it.each([
    ["Expected HTTP response code [201 202] when accessing [POST http://x/servers], but got 403 instead: quota", "failed"],
    ["Bad request with: [POST http://x/v2.0/networks], error message: {}: 400 Bad Request", "failed"],
    ["api error InvalidParameter: operation error EC2: RunInstances, https response error StatusCode: 400, RequestID: x", "failed"],
    ["StatusCode: 429, slow down", "unknown"],
    ["Post http://x/servers: EOF", "unknown"],
    ["context canceled after 400 ms", "unknown"],
    ["StatusCode: 503", "unknown"],
  ])("after an error without an object, %s: %s", async (detail, outcome) => {
    const { vendor } = toy(refusing(detail));
    expect(await applyObject(vendor, await plan(vendor, { name: "a" }, null))).toMatchObject({ outcome, state: null });
  });

  it("keeps what an error brings with it", async () => {
    const { vendor } = toy({
      create: async ({ planned }) => ({
        state: { ...planned, id: "t-9", serial: 1 },
        diagnostics: [{ severity: "error", summary: "never became ready", detail: "" }],
      }),
    });
    const done = await applyObject(vendor, await plan(vendor, { name: "a" }, null));
    expect(done).toMatchObject({ outcome: "failed", state: { value: { id: "t-9" } } });
  });
});

describe("read, destroy, adopt", () => {
  it("tells gone from unknown", async () => {
    const { vendor, objects } = toy();
    const state = await created(vendor, { name: "a" });
    expect(await readObject(vendor, type, state)).toMatchObject({ outcome: "present" });
    objects.clear();
    expect(await readObject(vendor, type, state)).toMatchObject({ outcome: "gone", state: null });
    const deaf = toy({
      read: async ({ state: s }) => ({ state: s, diagnostics: [{ severity: "error", summary: "no route", detail: "" }] }),
    });
    expect(await readObject(deaf.vendor, type, state)).toMatchObject({ outcome: "unknown", state });
  });

  it("destroys", async () => {
    const { vendor, objects } = toy();
    const state = await created(vendor, { name: "a" });
    expect(await applyObject(vendor, planDestroy(type, state))).toEqual({ outcome: "done", state: null, diagnostics: [] });
    expect(objects.size).toBe(0);
  });

  it("adopts an object whose answer was lost, and the next plan is empty", async () => {
    const { vendor } = toy();
    const lost = await plan(vendor, { name: "a", note: "n" }, null);
    await applyObject(vendor, lost);
    const seen = await adoptObject(vendor, lost, "t-1");
    expect(seen).toMatchObject({ outcome: "present", state: { value: { id: "t-1", note: "n" } } });
    expect(await plan(vendor, { name: "a", note: "n" }, seen.state)).toMatchObject({ action: "no-op" });
    expect(await adoptObject(vendor, lost, "t-404")).toMatchObject({ outcome: "gone" });
  });
});
