import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDecimal } from "../../../../provider/framework/decimal.js";
import type { AttributeType } from "../../../../provider/framework/schema.js";
import { BigDecimal, isUnknown, unknown, type Value } from "../../../../provider/framework/value.js";
import { decodeValue } from "../../../../provider/protocol/decode-value.js";
import { encodeValue, ValueError } from "../../../../provider/protocol/encode-value.js";

const again = (type: AttributeType, value: Value): Value => decodeValue(type, encodeValue(type, value));

describe("values on the wire", () => {
  it.each<[AttributeType, Value]>([
    ["string", "text"],
    ["string", ""],
    ["string", "x".repeat(70_000)],
    ["bool", true],
    ["number", 0],
    ["number", -1],
    ["number", -33],
    ["number", 2 ** 53 - 1],
    ["number", 0.1],
    ["number", 1e300],
    [{ list: "string" }, ["a", "b"]],
    [{ set: "number" }, Array.from({ length: 20 }, (_, i) => i)],
    [{ map: "bool" }, { a: true, b: false }],
    [{ object: { a: "string", b: { list: "number" } } }, { a: null, b: [1] }],
    ["string", null],
  ])("%j carries %j", (type, value) => {
    expect(again(type, value)).toEqual(value);
  });

  it("sends an unknown as extension 0, and a refined one as it came", () => {
    expect([...encodeValue("string", unknown)]).toEqual([0xd4, 0, 0]);
    // extension 12: a map of refinements, here "not null"
    const refined = Buffer.from([0xc7, 3, 12, 0x81, 0x01, 0xc2]);
    const value = decodeValue("string", refined);
    expect(isUnknown(value)).toBe(true);
    expect([...encodeValue("string", value)]).toEqual([...refined]);
    const inside = Buffer.concat([Buffer.from([0x92]), refined, Buffer.from([0xd4, 0, 0])]);
    expect(encodeValue({ list: "string" }, decodeValue({ list: "string" }, inside))).toEqual(inside);
  });

  it.each<[string, readonly number[]]>([
    ['["set","string"]', [0x91, 0xa1, 0x61]],
    ['["map","number"]', [0x81, 0xa1, 0x61, 1]],
    ['["list","dynamic"]', [0x90]],
    ['"string"', [0xd4, 0, 0]],
  ])("gives a dynamic value of type %s back with its type", (type, bytes) => {
    const sent = Buffer.concat([Buffer.from([0x92, 0xc4, type.length]), Buffer.from(type), Buffer.from(bytes)]);
    expect(encodeValue("dynamic", decodeValue("dynamic", sent))).toEqual(sent);
  });

  it("knows an inherited name from an attribute", () => {
    expect(() => decodeValue({ object: {} }, Buffer.from([0x81, 0xab, ...Buffer.from("constructor"), 0xc0]))).toThrow(/no such attribute/);
  });

  it("sends whole numbers as integers and others as decimal text", () => {
    expect([...encodeValue("number", 5)]).toEqual([5]);
    expect(encodeValue("number", 0.1).toString("latin1")).toContain("0.1");
  });

  it("keeps the digits that a double has not", () => {
    expect(again("number", new BigDecimal("12345678901234567890.125"))).toEqual(new BigDecimal("12345678901234567890.125"));
    expect(decodeValue("number", Buffer.from([0xcf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]))).toEqual(
      new BigDecimal("18446744073709551615"),
    );
    expect(parseDecimal("0.10")).toBe(0.1);
    expect(parseDecimal("1e3")).toBe(1000);
    expect(parseDecimal("0.30000000000000000001")).toEqual(new BigDecimal("0.30000000000000000001"));
  });

  it("keeps a map key called __proto__", () => {
    const map: Record<string, Value> = Object.create(null);
    map.__proto__ = "kept";
    expect(Object.keys(again({ map: "string" }, map) as object)).toEqual(["__proto__"]);
  });

  it("sends exactly the declared attributes", () => {
    expect(again({ object: { a: "string", b: "string" } }, { a: "x" })).toEqual({ a: "x", b: null });
    expect(() => encodeValue({ object: { a: "string" } }, { a: "x", c: "y" })).toThrow(/c: no such attribute/);
  });

  it("writes strings in NFC", () => {
    expect(again("string", "e\u0301")).toBe("\u00e9");
  });

  it("carries any value of a dynamic attribute with its type", () => {
    const value = { list: ["x", 1, { deep: true }], n: 0.5 };
    expect(again("dynamic", value)).toEqual(value);
  });

  it.each<[AttributeType, Value, RegExp]>([
    ["string", 1, /a string expected, got a number/],
    [{ list: "string" }, ["a", 1], /\[1\]: a string expected/],
    [{ object: { a: { map: "bool" } } }, { a: { k: "no" } }, /a\["k"\]: a bool expected/],
    ["number", Number.NaN, /a number expected/],
  ])("fails when %j gets %j", (type, value, message) => {
    expect(() => encodeValue(type, value)).toThrow(message);
  });

  it("fails when the bytes end too early", () => {
    expect(() => decodeValue("string", Buffer.from([0xa5, 1]))).toThrow(ValueError);
  });

  it("carries whatever it is given", () => {
    const key = fc.string();
    fc.assert(
      fc.property(fc.dictionary(key, fc.array(fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })))), (map) => {
        const keys = Object.keys(map);
        const back = again({ map: { list: "number" } }, map) as Record<string, Value>;
        const normal = new Set(keys.map((k) => k.normalize("NFC")));
        expect(new Set(Object.keys(back))).toEqual(normal);
        if (normal.size === keys.length) {
          for (const k of keys) expect(back[k.normalize("NFC")]).toEqual((map[k] ?? []).map((n) => (Object.is(n, -0) ? 0 : n)));
        }
      }),
    );
  });
});
