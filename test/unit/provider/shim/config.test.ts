import { describe, expect, it } from "vitest";
import { isUnknown, type ObjectValue, unknown } from "../../../../provider/framework/value.js";
import { configOf } from "../../../../provider/shim/config.js";
import { dataLookup } from "../../../../provider/shim/data-lookup.js";
import { differsAt } from "../../../../provider/shim/differs.js";
import { preflight } from "../../../../provider/shim/preflight.js";
import { type Block, blockType, type VendorAttribute, type VendorSchema } from "../../../../provider/shim/schema.js";
import { type Vendor, VendorLost } from "../../../../provider/shim/vendor.js";

const attribute = (type: VendorAttribute["type"], computed = false): VendorAttribute => ({
  type,
  required: false,
  optional: true,
  computed,
  sensitive: false,
  writeOnly: false,
});
const inner: Block = { attributes: { port: attribute("string") }, blocks: {} };
const nested = (mode: "single" | "group" | "list" | "set" | "map") => ({ mode, block: inner, minItems: 0, maxItems: 0 });
const block: Block = {
  attributes: {
    name: attribute("string"),
    size: attribute("number"),
    on: attribute("bool"),
    tags: attribute({ set: "string" }),
    id: attribute("string", true),
  },
  blocks: { network: nested("list"), rule: nested("set"), timeouts: nested("single"), group: nested("group"), by: nested("map") },
};
const schema: VendorSchema = { version: 0, block, type: blockType(block) };
const plain = (args: ObjectValue): unknown => JSON.parse(JSON.stringify(configOf(schema, args).config));

describe("configOf", () => {
  it("completes what was left out", () => {
    const empty = {
      name: null,
      size: null,
      on: null,
      tags: null,
      id: null,
      network: [],
      rule: [],
      timeouts: null,
      group: { port: null },
      by: {},
    };
    expect(plain({})).toEqual(empty);
    expect(plain({ network: [{}], timeouts: { port: "1" } })).toEqual({ ...empty, network: [{ port: null }], timeouts: { port: "1" } });
  });

  it("converts as core converts, and passes unknown on", () => {
    expect(plain({ name: 5, size: "10", on: "true", network: [{ port: 80 }] })).toMatchObject({
      name: "5",
      size: 10,
      on: true,
      network: [{ port: "80" }],
    });
    expect(isUnknown(configOf(schema, { name: unknown }).config.name)).toBe(true);
  });

  it.each<[ObjectValue, string, unknown]>([
    [{ nme: "x" }, 'The vendor\'s schema has no argument "nme" here. It has: by, group, id, name,', ["nme"]],
    [{ size: "big" }, 'A number is expected here, got the string "big".', ["size"]],
    [{ network: [{ prt: 1 }] }, "It has: port.", ["network", 0, "prt"]],
    [{ network: { port: "1" } }, "A list is expected here, got an object.", ["network"]],
    [{ tags: "x" }, "A list is expected here", ["tags"]],
    [{ by: { a: { prt: 1 } } }, "It has: port.", ["by", { key: "a" }, "prt"]],
  ])("says where %j does not fit", (args, detail, path) => {
    const { diagnostics } = configOf(schema, args);
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]?.detail).toContain(detail);
    expect(diagnostics[0]?.path).toEqual(path);
  });
});

describe("differsAt", () => {
  const base = { name: "a", tags: ["x", "y"], network: [{ port: "1" }] };
  it.each<[string, (string | number)[], ObjectValue, boolean]>([
    ["the same", ["name"], base, false],
    ["another", ["name"], { ...base, name: "b" }, true],
    ["unknown", ["name"], { ...base, name: unknown }, true],
    ["a set in another order", ["tags"], { ...base, tags: ["y", "x"] }, false],
    ["inside a list", ["network", 0, "port"], { ...base, network: [{ port: "2" }] }, true],
    ["elsewhere", ["network", 0, "port"], { ...base, name: "b" }, false],
    ["an element that is gone", ["network", 0, "port"], { ...base, network: [] }, true],
  ])("%s", (_what, path, planned, differs) => {
    expect(differsAt(schema, path, base, planned)).toBe(differs);
  });
});

const answering = (readData: Vendor["readData"]): Vendor => ({ name: "cloud", readData }) as unknown as Vendor;
const failing = (summary: string): Vendor =>
  answering(async () => ({ state: null, private: new Uint8Array(), diagnostics: [{ severity: "error", summary, detail: "" }] }));
const holding = (state: ObjectValue): Vendor => answering(async () => ({ state, private: new Uint8Array(), diagnostics: [] }));

describe("dataLookup", () => {
  const lookup = dataLookup({
    dataSource: "net",
    config: ({ name }) => (typeof name === "string" ? { name } : null),
    none: /no results/,
    ours: (found) => found.owner !== "other",
  });
  it("tells none from not known", async () => {
    expect(await lookup.find(failing("Your query returned no results"), { name: "a" })).toEqual({ kind: "none" });
    expect(await lookup.find(failing("connection refused"), { name: "a" })).toMatchObject({ kind: "unknown" });
    expect(await lookup.find(holding({}), { name: unknown })).toMatchObject({ kind: "unknown" });
  });
  it("gives ids of what is ours", async () => {
    expect(await lookup.find(holding({ id: "1" }), { name: "a" })).toEqual({ kind: "ids", ids: ["1"] });
    expect(await lookup.find(holding({ id: "1", owner: "other" }), { name: "a" })).toEqual({ kind: "none" });
    expect(await lookup.find(holding({ id: "" }), { name: "a" })).toEqual({ kind: "none" });
  });
});

describe("preflight", () => {
  const check = { dataSource: "me", config: {}, account: "account" };
  it("compares the account with the one of the state", async () => {
    expect(await preflight(holding({ account: "a" }), check, "a")).toEqual({ account: "a", diagnostics: [] });
    expect((await preflight(holding({ account: "b" }), check, "a")).diagnostics[0]?.summary).toBe(
      "The credentials belong to another account",
    );
  });
  it("does not throw when the vendor is gone", async () => {
    const lost = answering(async () => {
      throw new VendorLost("cloud gave no answer to ReadDataSource: its process was ended by SIGKILL", "panic: x");
    });
    expect((await preflight(lost, check, null)).diagnostics[0]?.detail).toContain("panic: x");
  });
});
