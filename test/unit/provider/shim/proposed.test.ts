// What is proposed to a vendor, by rule. The engine's own answers stand beside it in proposed-recorded.test.ts.
import { describe, expect, it } from "vitest";
import { isUnknown, type ObjectValue, unknown, type Value } from "../../../../provider/framework/value.js";
import { normalizeBlocks } from "../../../../provider/shim/normalize.js";
import { proposedNew } from "../../../../provider/shim/proposed.js";
import { type Block, type BlockMode, collectionType, typesOf, type VendorAttribute } from "../../../../provider/shim/schema.js";
import { inSetOrder, shortNumber } from "../../../../provider/shim/set-order.js";

const flags = { required: false, optional: false, computed: false, sensitive: false, writeOnly: false };
const text = (over: Partial<VendorAttribute>): VendorAttribute => ({ type: "string", ...flags, ...over });
const optional = text({ optional: true });
const computed = text({ computed: true });
const both = text({ optional: true, computed: true });
const inner: Block = { attributes: { name: optional, id: computed }, blocks: {} };
const withBlocks = (mode: BlockMode, block = inner): Block => ({
  attributes: {},
  blocks: { b: { mode, block, minItems: 0, maxItems: 0 } },
});
const propose = (block: Block, prior: ObjectValue | null, config: ObjectValue): unknown =>
  JSON.parse(JSON.stringify(proposedNew(block, prior, config)));

describe("attributes", () => {
  const block: Block = { attributes: { optional, computed, both }, blocks: {} };
  it.each<[string, ObjectValue | null, ObjectValue, ObjectValue]>([
    [
      "what is configured counts",
      { optional: "a", computed: "c", both: "b" },
      { optional: "x", computed: null, both: "y" },
      { optional: "x", computed: "c", both: "y" },
    ],
    [
      "what is left out and computed stays",
      { optional: "a", computed: "c", both: "b" },
      { optional: null, computed: null, both: null },
      { optional: null, computed: "c", both: "b" },
    ],
    [
      "a new object has nothing to keep",
      null,
      { optional: "x", computed: null, both: null },
      { optional: "x", computed: null, both: null },
    ],
  ])("%s", (_what, prior, config, wanted) => {
    expect(propose(block, prior, config)).toEqual(wanted);
  });

  it("passes unknown on", () => {
    expect(
      isUnknown(
        proposedNew(block, { optional: "a", computed: "c", both: "b" }, { optional: unknown, computed: null, both: null }).optional,
      ),
    ).toBe(true);
  });

  it("lets a nested object go that somebody configured once, and keeps one that is only computed", () => {
    const nested = (attributes: { [name: string]: VendorAttribute }): Block => ({
      attributes: {
        n: {
          type: collectionType("single", { object: typesOf(attributes) }),
          nested: { mode: "single", attributes },
          ...flags,
          optional: true,
          computed: true,
        },
      },
      blocks: {},
    });
    expect(propose(nested({ a: optional, c: computed }), { n: { a: "x", c: "y" } }, { n: null })).toEqual({ n: null });
    expect(propose(nested({ a: both, c: computed }), { n: { a: "x", c: "y" } }, { n: null })).toEqual({ n: { a: "x", c: "y" } });
  });
});

describe("blocks", () => {
  const named = (name: string | null, id: string | null): ObjectValue => ({ name, id });
  it.each<[string, BlockMode, Value, Value, Value]>([
    [
      "a list goes by place",
      "list",
      [named("a", "1"), named("b", "2")],
      [named("b", null), named("c", null), named("d", null)],
      [named("b", "1"), named("c", "2"), named("d", null)],
    ],
    [
      "a map goes by key",
      "map",
      { k: named("a", "1") },
      { k: named("x", null), l: named("y", null) },
      { k: named("x", "1"), l: named("y", null) },
    ],
    [
      "a set goes by what is configured",
      "set",
      [named("a", "1"), named("b", "2")],
      [named("b", null), named("c", null)],
      [named("b", "2"), named("c", null)],
    ],
    ["each prior element serves once", "set", [named("a", "1")], [named("a", null)], [named("a", "1")]],
    ["a single block is left out", "single", named("a", "1"), null, null],
    ["a single block keeps what is computed", "single", named("a", "1"), named("b", null), named("b", "1")],
    ["a group is always there", "group", named("a", "1"), named(null, null), named(null, "1")],
  ])("%s", (_what, mode, prior, config, wanted) => {
    expect(propose(withBlocks(mode), { b: prior }, { b: config })).toEqual({ b: wanted });
  });

  it("takes over no element whose set differs inside", () => {
    const deep: Block = { attributes: { id: computed }, blocks: { s: { mode: "set", block: inner, minItems: 0, maxItems: 0 } } };
    const prior = { b: [{ id: "1", s: [named("a", "2")] }] };
    expect(propose(withBlocks("set", deep), prior, { b: [{ id: null, s: [named("a", null)] }] })).toEqual({
      b: [{ id: null, s: [named("a", null)] }],
    });
  });

  it("keeps an unknown block unknown", () => {
    expect(isUnknown(proposedNew(withBlocks("list"), { b: [] }, { b: unknown }).b)).toBe(true);
  });
});

it("makes lists and sets of blocks empty that the old SDK leaves null, and a group whole", () => {
  const plain = (mode: BlockMode): unknown => JSON.parse(JSON.stringify(normalizeBlocks(withBlocks(mode), { b: null }))).b;
  expect([plain("list"), plain("set"), plain("single"), plain("group"), plain("map")]).toEqual([
    [],
    [],
    null,
    { name: null, id: null },
    null,
  ]);
});

describe("the engine's order of a set", () => {
  it("puts known before unknown before null, texts by bytes, numbers by size", () => {
    expect(inSetOrder("string", ["é", "z", null, "a"])).toEqual(["a", "z", "é", null]);
    expect(inSetOrder("number", [10, 9, -1])).toEqual([-1, 9, 10]);
    expect(inSetOrder({ object: { a: "string" } }, [{ a: null }, { a: "b" }, { a: 'a"' }])).toEqual([{ a: 'a"' }, { a: "b" }, { a: null }]);
  });

  it.each([
    [0, "0"],
    [2.5, "2.5"],
    [1e12, "1e+12"],
    [123456789012, "1.23456789e+11"],
    [0.00001, "1e-05"],
    [9999999999, "9999999999"],
  ])("writes %d as %s", (value, wanted) => {
    expect(shortNumber(value)).toBe(wanted);
  });
});
