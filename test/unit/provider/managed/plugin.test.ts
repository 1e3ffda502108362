import { beforeEach, describe, expect, it } from "vitest";
import { ref, text, type VendorResource } from "../../../../constructs/iaas/resource.js";
import type { LookupOf } from "../../../../provider/clouds/cloud.js";
import type { Provider } from "../../../../provider/framework/resource.js";
import { type Cranked, crank } from "../../../../provider/managed/crank.js";
import { type Inventory, Ledger } from "../../../../provider/managed/instance.js";
import { pluginVendor } from "../../../../provider/managed/plugin.js";
import { inProcessVendor } from "../../../../provider/shim/in-process.js";
import type { Found } from "../../../../provider/shim/instance-types.js";
import { forgetfulJournal, type Journal } from "../../../../provider/shim/journal.js";
import { type Vendor, VendorLost, VendorProblem } from "../../../../provider/shim/vendor.js";
import { createVendorPool } from "../../../../provider/shim/vendor-pool.js";
import { type StandIn, standIn } from "../../../support/stand-in-vendor.js";

const of = { description: "As the vendor says." };
const schema = {
  version: 0,
  ...of,
  attributes: {
    id: { type: "string", computed: true, ...of },
    name: { type: "string", required: true, ...of },
    size: { type: "number", optional: true, ...of },
    net: { type: "string", optional: true, change: "replace", ...of },
  },
} as const;

const quiet = () => undefined;
let cloud: StandIn;
let events: string[];
/** Creates of these names reach the cloud and lose their answer. */
let losing: Set<string>;
let found: (name: string) => Found;
let journal: Journal;

beforeEach(() => {
  events = [];
  losing = new Set();
  found = () => ({ kind: "none" });
  journal = forgetfulJournal();
  cloud = standIn(
    ["toy_net", "toy_machine"].map((name) => ({ name, schema })),
    {
      seen: (event, { name }) => void events.push(`${event} ${String(name).replace(/-[0-9a-f]{5}$/, "-xxxxx")}`),
    },
  );
});

const lookups: LookupOf = () => ({ lookup: { find: async (_, { name }) => found(String(name)) }, part: false });

function plugin(start?: () => Promise<Vendor>) {
  const signal = new AbortController().signal;
  const usual = async (): Promise<Vendor> => {
    const inner = inProcessVendor(cloud.provider as Provider, quiet);
    return {
      ...inner,
      async apply(type, request) {
        const answer = await inner.apply(type, request);
        if (losing.delete(String(request.planned?.name))) throw new VendorLost("it died", "panic: boom");
        return answer;
      },
    };
  };
  const vendors = createVendorPool(start ?? usual, (vendor) => vendor.configure({}));
  const pace = { settleMs: 0, pollMs: 1, readyMs: 100 };
  return pluginVendor({ vendors, journal: async () => journal, settled: quiet, lookups, log: quiet, signal, pace });
}

const net: VendorResource = { type: "toy_net", name: "network", args: { name: "demo" } };
const machine = (over: Partial<VendorResource> = {}, args = {}): VendorResource => ({
  type: "toy_machine",
  name: "machine",
  args: { name: "demo-a", net: ref("network", "id"), size: 1, ...args },
  ...over,
});

const turn = (ledger: Ledger, resources: readonly VendorResource[], vendor = plugin()): Promise<Cranked> =>
  crank({
    ...{ resources, ledger, signal: new AbortController().signal, log: quiet, moving: () => true },
    vendorsOf: () => () => vendor,
    outside: () => undefined,
    sleep: async () => undefined,
  });
/** As another run of the provider finds it. */
const later = (ledger: Ledger): Ledger => new Ledger(JSON.parse(JSON.stringify(ledger.inventory())) as Inventory);
const errorsOf = ({ diagnostics }: Cranked) => diagnostics.filter((d) => d.severity === "error").map((d) => `${d.summary}: ${d.detail}`);
const did = (cranked: Cranked) => {
  expect(errorsOf(cranked)).toEqual([]);
  return Object.fromEntries(cranked.did);
};

describe("a plugin behind the port", () => {
  it("makes, leaves alone, changes in place, replaces and takes away", async () => {
    const first = new Ledger({});
    expect(did(await turn(first, [net, machine()]))).toEqual({ network: "create", machine: "create" });
    const second = later(first);
    expect(did(await turn(second, [net, machine()]))).toEqual({});
    expect(did(await turn(second, [net, machine({}, { size: 2 })]))).toEqual({ machine: "update" });
    expect(did(await turn(later(second), [net, machine({}, { size: 2, net: "other" })]))).toEqual({ machine: "replace" });
    expect(did(await turn(second, [net, machine()]))).toMatchObject({ machine: "create" });
    expect(did(await turn(second, []))).toEqual({ network: "delete", machine: "delete" });
  });

  it("gives a successor a new word in its name, and keeps that of one that stays", async () => {
    const worded = (size: number, other: string) =>
      machine(
        { lifecycle: { ignoreChanges: ["name"], createBeforeDestroy: true } },
        { name: text("demo-", { raw: "substr(uuid(), 0, 5)" }), size, net: other },
      );
    const ledger = new Ledger({});
    did(await turn(ledger, [worded(1, "x")]));
    const name = ledger.current("machine")?.attributes.name;
    expect(name).toMatch(/^demo-[0-9a-f]{5}$/);
    expect(did(await turn(ledger, [worded(2, "x")]))).toEqual({ machine: "update" });
    expect(ledger.current("machine")?.attributes.name).toBe(name);
    expect(did(await turn(ledger, [worded(2, "y")]))).toEqual({ machine: "replace" });
    expect(ledger.current("machine")?.attributes.name).not.toBe(name);
    expect(events.slice(-2)).toEqual(["create toy_machine demo-xxxxx", "delete toy_machine demo-xxxxx"]);
  });

  it("refuses an expression that it does not know", async () => {
    const odd = machine({}, { name: text("demo-", { raw: "timestamp()" }) });
    expect(errorsOf(await turn(new Ledger({}), [net, odd]))).toEqual([expect.stringContaining("timestamp()")]);
    expect(events).toEqual([]);
  });

  it("replaces where what it is triggered by changes, although the vendor would change it in place", async () => {
    const triggered = (size: number) => [
      { ...net, args: { name: "demo", size } },
      machine({ lifecycle: { replaceTriggeredBy: [ref("network", "size")] } }),
    ];
    const ledger = new Ledger({});
    did(await turn(ledger, triggered(1)));
    expect(did(await turn(ledger, triggered(1)))).toEqual({});
    expect(did(await turn(ledger, triggered(2)))).toEqual({ network: "update", machine: "replace" });
  });

  it("adopts what was made although the answer was lost, and makes nothing twice", async () => {
    losing.add("demo");
    found = (name) => {
      const ids = [...cloud.world.objects.values()].filter(({ object }) => object.name === name).map(({ object }) => String(object.id));
      return ids.length > 0 ? { kind: "ids", ids } : { kind: "none" };
    };
    const ledger = new Ledger({});
    await turn(ledger, [net]);
    expect(events.filter((event) => event === "create toy_net demo")).toHaveLength(1);
    expect(ledger.current("network")?.attributes.id).toBe("net-0001");
  });

  it("leaves an object of the same name alone that nobody here made", async () => {
    found = () => ({ kind: "ids", ids: ["theirs"] });
    const ledger = new Ledger({});
    const cranked = await turn(ledger, [net]);
    expect(errorsOf(cranked)).toEqual([expect.stringMatching(/There is an object of this name already: network .*theirs/)]);
    expect(events).toEqual([]);
    expect(ledger.names()).toEqual([]);
  });

  it("says once why the vendor cannot be had, and loses nothing of what is known", async () => {
    const ledger = new Ledger({});
    did(await turn(ledger, [net, machine()]));
    const before = ledger.inventory();
    const problem = new VendorProblem("The provider toy is not part of this configuration", "Add this: required_providers");
    const vendor = plugin(() => Promise.reject(problem));
    expect(errorsOf(await turn(ledger, [net, machine()], vendor))).toEqual([problem.message]);
    expect(ledger.inventory()).toEqual(before);
    expect(errorsOf(await turn(new Ledger({}), [net, machine()], vendor))).toEqual([problem.message]);
  });

  it("says which argument the vendor does not know", async () => {
    const odd = { ...net, args: { name: "demo", colour: "red" } };
    expect(errorsOf(await turn(new Ledger({}), [odd]))).toEqual([expect.stringMatching(/toy_net, colour: .*no argument "colour"/)]);
  });

  it("reads data sources at plan, and says when there is nothing", async () => {
    const world = { type: "toy_net", name: "shared/world", data: true, args: { name: "world" } };
    const inside = machine({}, { net: ref("shared/world", "id") });
    const vendor = plugin();
    const told = { ...vendor, data: async () => ({ state: { id: "w-1" }, private: {}, diagnostics: [] }) };
    const ledger = new Ledger({});
    expect(did(await turn(ledger, [world, inside], told))).toEqual({ machine: "create" });
    expect(ledger.current("machine")?.attributes.net).toBe("w-1");
    expect(ledger.names()).toEqual(["machine"]);
    const silent = { ...vendor, data: async () => ({ state: null, private: {}, diagnostics: [] }) };
    expect(errorsOf(await turn(new Ledger({}), [world, inside], silent))).toEqual([expect.stringContaining("shared/world")]);
  });
});
