import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ref, type VendorResource } from "../../../../constructs/iaas/resource.js";
import { type Cranked, crank } from "../../../../provider/managed/crank.js";
import { blocksOf, forecast } from "../../../../provider/managed/forecast.js";
import { Ledger } from "../../../../provider/managed/instance.js";
import { type FakeVendor, fakeVendor } from "../../../support/fake-vendor.js";

interface Thing {
  readonly value?: string;
  readonly fixed?: string;
  readonly needs?: readonly string[];
  readonly first?: boolean;
}
const resources = (things: Readonly<Record<string, Thing>>): readonly VendorResource[] =>
  Object.entries(things).map(([name, { value = "v", fixed = "f", needs = [], first = false }]) => ({
    type: "thing",
    name,
    args: { name, value, fixed, needs: needs.map((other) => ref(other, "id")) },
    lifecycle: { createBeforeDestroy: first },
  }));

const signal = new AbortController().signal;
const turn = (cloud: FakeVendor, ledger: Ledger, wanted: readonly VendorResource[]): Promise<Cranked> =>
  crank({
    ...{ resources: wanted, ledger, signal, log: () => undefined, moving: () => true },
    vendorsOf: () => () => cloud,
    outside: () => undefined,
    sleep: async () => undefined,
  });
const listed = async (cloud: FakeVendor, ledger: Ledger, wanted: readonly VendorResource[]) => {
  const plan = await forecast({ resources: wanted, inventory: ledger.inventory(), vendorOf: () => cloud, outside: () => undefined });
  return Object.fromEntries(blocksOf(plan.changes).map(({ name, action }) => [name, action]));
};
const errorsOf = ({ diagnostics }: Cranked) => diagnostics.filter((d) => d.severity === "error").map((d) => d.detail);

async function made(things: Readonly<Record<string, Thing>>) {
  const cloud = fakeVendor();
  const ledger = new Ledger({});
  const first = await turn(cloud, ledger, resources(things));
  expect(errorsOf(first)).toEqual([]);
  cloud.calls.length = 0;
  return { cloud, ledger };
}

describe("a crank", () => {
  it("makes each object after what it needs, and takes them away the other way round", async () => {
    const { cloud, ledger } = await made({ net: {}, disk: {}, machine: { needs: ["net", "disk"] }, member: { needs: ["machine"] } });
    const gone = await turn(cloud, ledger, []);
    expect(errorsOf(gone)).toEqual([]);
    expect(cloud.calls.indexOf("delete member")).toBeLessThan(cloud.calls.indexOf("delete machine"));
    expect(cloud.objects.size).toBe(0);
    expect(ledger.names()).toEqual([]);
  });

  it("replaces a machine and its membership, the membership going first and coming last; the disk stays", async () => {
    const { cloud, ledger } = await made({ disk: {}, machine: { needs: ["disk"] }, member: { needs: ["machine"] } });
    const did = await turn(
      cloud,
      ledger,
      resources({ disk: {}, machine: { needs: ["disk"], fixed: "new" }, member: { needs: ["machine"] } }),
    );
    expect(errorsOf(did)).toEqual([]);
    expect(cloud.calls).toEqual(["delete member", "delete machine", "create machine", "create member"]);
  });

  it("makes a successor first where that is asked for, with all that it needs", async () => {
    const { cloud, ledger } = await made({ boot: {}, machine: { needs: ["boot"] }, member: { needs: ["machine"], first: true } });
    const did = await turn(
      cloud,
      ledger,
      resources({ boot: { fixed: "new" }, machine: { needs: ["boot"] }, member: { needs: ["machine"], first: true } }),
    );
    expect(errorsOf(did)).toEqual([]);
    expect(cloud.calls).toEqual(["create boot", "create machine", "create member", "delete member", "delete machine", "delete boot"]);
  });

  it("does nothing the second time", async () => {
    const { cloud, ledger } = await made({ net: {}, machine: { needs: ["net"] } });
    const again = await turn(cloud, ledger, resources({ net: {}, machine: { needs: ["net"] } }));
    expect([...again.did], "did").toEqual([]);
    expect(cloud.calls).toEqual([]);
  });

  it("mends what was deleted behind its back", async () => {
    const { cloud, ledger } = await made({ net: {}, machine: { needs: ["net"] } });
    for (const [id, { name }] of cloud.objects) if (name === "machine") cloud.objects.delete(id);
    const again = await turn(cloud, ledger, resources({ net: {}, machine: { needs: ["net"] } }));
    expect(Object.fromEntries(again.did)).toEqual({ machine: "create" });
  });

  it("holds up only what comes after a failure, and goes on where it ended", async () => {
    const cloud = fakeVendor();
    const ledger = new Ledger({});
    const wanted = resources({ net: {}, machine: { needs: ["net"] }, disk: {}, member: { needs: ["machine"] } });
    cloud.failing.add("create machine");
    const first = await turn(cloud, ledger, wanted);
    expect(errorsOf(first)).toEqual(["create machine"]);
    expect(ledger.names()).toEqual(["disk", "net"]);
    cloud.failing.clear();
    cloud.calls.length = 0;
    const second = await turn(cloud, ledger, wanted);
    expect(errorsOf(second)).toEqual([]);
    expect(cloud.calls).toEqual(["create machine", "create member"]);
  });

  it("makes anew what was half made", async () => {
    const cloud = fakeVendor();
    const ledger = new Ledger({});
    const wanted = resources({ machine: {} });
    cloud.failing.add("half create machine");
    await turn(cloud, ledger, wanted);
    expect(cloud.objects.size).toBe(1);
    cloud.failing.clear();
    expect(await listed(cloud, ledger, wanted)).toEqual({ machine: "replace" });
    await turn(cloud, ledger, wanted);
    expect(cloud.objects.size).toBe(1);
    expect(cloud.calls).toEqual(["create machine", "delete machine", "create machine"]);
  });

  it("remembers a predecessor that could not be deleted, and deletes it the next time", async () => {
    const { cloud, ledger } = await made({ machine: { first: true } });
    const wanted = resources({ machine: { first: true, fixed: "new" } });
    cloud.failing.add("delete machine");
    const first = await turn(cloud, ledger, wanted);
    expect(errorsOf(first)).toEqual(["delete machine"]);
    expect(cloud.objects.size).toBe(2);
    cloud.failing.clear();
    expect(await listed(cloud, ledger, wanted)).toEqual({ machine: "no-op", "machine (replaced before)": "delete" });
    expect(errorsOf(await turn(cloud, ledger, wanted))).toEqual([]);
    expect([...cloud.objects.values()].map(({ fixed }) => fixed)).toEqual(["new"]);
    expect(await listed(cloud, ledger, wanted)).toEqual({ machine: "no-op" });
  });

  it("ends with an error when the same change comes back for ever", async () => {
    const cloud = fakeVendor();
    const forgetful = { ...cloud, read: async () => ({ state: null, private: {}, diagnostics: [] }) };
    const ended = await turn(forgetful, new Ledger({}), resources({ machine: {} }));
    expect(errorsOf(ended)).toEqual([expect.stringContaining("create machine")]);
  });

  it("begins nothing after a stop", async () => {
    const stop = new AbortController();
    stop.abort();
    const cloud = fakeVendor();
    const ended = await crank({
      ...{ resources: resources({ machine: {} }), ledger: new Ledger({}), signal: stop.signal, log: () => undefined, moving: () => true },
      vendorsOf: () => () => cloud,
      outside: () => undefined,
      sleep: async () => undefined,
    });
    expect(cloud.calls).toEqual([]);
    expect(errorsOf(ended)).toEqual([expect.stringContaining("create machine")]);
  });
});

describe("what the plan listed", () => {
  const names = ["a", "b", "c", "d", "e", "f"];
  /** Each may need those whose letter comes before its own. */
  const things = fc
    .tuple(
      ...names.map((_, n) =>
        fc.option(
          fc.record({
            value: fc.constantFrom("v", "w"),
            fixed: fc.constantFrom("f", "g"),
            needs: fc.subarray(names.slice(0, n)),
            first: fc.boolean(),
          }),
          { nil: undefined, freq: 4 },
        ),
      ),
    )
    .map((list) => {
      const there = new Set(names.filter((_, n) => list[n] !== undefined));
      return Object.fromEntries(
        list.flatMap((thing, n) => (thing ? [[names[n] ?? "", { ...thing, needs: thing.needs.filter((other) => there.has(other)) }]] : [])),
      );
    });

  it("is what the apply did, for any two configurations; the cloud then has exactly what is wanted", async () => {
    await fc.assert(
      fc.asyncProperty(things, things, async (before, after) => {
        const { cloud, ledger } = await made(before);
        const wanted = resources(after);
        const plan = await listed(cloud, ledger, wanted);
        const done = await turn(cloud, ledger, wanted);
        expect(errorsOf(done)).toEqual([]);
        expect(Object.fromEntries(Object.entries(plan).filter(([, action]) => action !== "no-op"))).toEqual(Object.fromEntries(done.did));
        expect([...cloud.objects.values()].map(({ name }) => name).sort()).toEqual(Object.keys(after).sort());
        expect(ledger.names()).toEqual(Object.keys(after).sort());
        expect((await turn(cloud, ledger, wanted)).did.size).toBe(0);
      }),
      { numRuns: 150 },
    );
  });
});
