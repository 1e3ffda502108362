import { describe, expect, it } from "vitest";
import { equalOfType, equalValues } from "../../../../provider/framework/equal.js";
import type { AttributeType } from "../../../../provider/framework/schema.js";
import { BigDecimal, unknown, type Value } from "../../../../provider/framework/value.js";

describe("equality as core sees it", () => {
  it.each<[AttributeType, Value, Value, boolean]>([
    ["number", new BigDecimal("1.50"), 1.5, true],
    ["number", new BigDecimal("12345678901234567890.1250"), new BigDecimal("12345678901234567890.125"), true],
    ["number", 0.1, new BigDecimal("0.1000000000000000055511151231257827"), false],
    ["string", "1", 1, false],
    ["string", null, "", false],
    ["string", unknown, unknown, true],
    ["string", unknown, null, false],
    [{ list: "string" }, ["a", "b"], ["b", "a"], false],
    [{ set: "string" }, ["a", "b"], ["b", "a"], true],
    [{ set: "string" }, ["a", "a"], ["a", "b"], false],
    [{ map: { set: "number" } }, { k: [1, 2] }, { k: [2, 1] }, true],
    [{ object: { s: { set: { object: { n: "number" } } } } }, { s: [{ n: 1 }, { n: 2 }] }, { s: [{ n: 2 }, { n: 1 }] }, true],
    [{ map: "string" }, { a: "x" }, { b: "x" }, false],
    ["dynamic", [1], { 0: 1 }, false],
  ])("%j: %j and %j: %s", (type, a, b, same) => {
    expect(equalOfType(type, a, b)).toBe(same);
    expect(equalOfType(type, b, a)).toBe(same);
  });

  it("does not take an inherited name for a key", () => {
    expect(equalValues({ toString: null }, { other: null })).toBe(false);
  });
});
