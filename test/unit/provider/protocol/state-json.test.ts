import { describe, expect, it } from "vitest";
import { BigDecimal } from "../../../../provider/framework/value.js";
import { encodeValue } from "../../../../provider/protocol/encode-value.js";
import { decodeStateJson, plainStateJson } from "../../../../provider/protocol/state-json.js";

const bytes = (text: string): Uint8Array => Buffer.from(text);

describe("state as JSON", () => {
  it("keeps digits, also where they stand inside strings", () => {
    const type = { object: { n: "number", s: "string" } } as const;
    expect(decodeStateJson(type, bytes('{"n": 12345678901234567890.125, "s": "a 12 \\"3\\" -4"}'))).toEqual({
      n: new BigDecimal("12345678901234567890.125"),
      s: 'a 12 "3" -4',
    });
  });

  it("gives null for attributes that are new and drops those that are gone", () => {
    expect(decodeStateJson({ object: { a: "string", fresh: "bool" } }, bytes('{"a":"x","old":1}'))).toEqual({ a: "x", fresh: null });
  });

  it("keeps a map key called __proto__", () => {
    expect(Object.keys(decodeStateJson({ map: "string" }, bytes('{"__proto__":"kept"}')) as object)).toEqual(["__proto__"]);
  });

  it("reads dynamic values with their type", () => {
    expect(decodeStateJson("dynamic", bytes('{"type":["list","number"],"value":[1,2]}'))).toEqual([1, 2]);
  });

  it("gives an older version's state as plain data", () => {
    expect(plainStateJson(bytes('{"a":[1,{"b":true}],"c":null}'))).toEqual({ a: [1, { b: true }], c: null });
  });

  it("fails when the stored value does not fit", () => {
    expect(() => decodeStateJson({ object: { a: { list: "string" } } }, bytes('{"a":{"x":1}}'))).toThrow(/state.a/);
  });
});

describe("state of a dynamic attribute", () => {
  it("goes back with the type that it was stored with", () => {
    const stored = decodeStateJson("dynamic", bytes('{"type":["set","string"],"value":["a"]}'));
    expect(encodeValue("dynamic", stored).toString("latin1")).toContain('["set","string"]');
  });
});
