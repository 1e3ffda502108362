import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BigDecimal } from "../../../../provider/framework/value.js";
import { JsonError, parseJson } from "../../../../provider/protocol/json.js";

describe("parseJson", () => {
  it("reads what JSON.parse reads", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const sound = JSON.parse(text, (_, v) => (Object.is(v, -0) ? 0 : v));
        expect(JSON.stringify(parseJson(text))).toBe(JSON.stringify(sound));
      }),
    );
  });

  it("keeps digits and the key __proto__", () => {
    expect(parseJson(" [ 12345678901234567890.125 , 1e2 ] ")).toEqual([new BigDecimal("12345678901234567890.125"), 100]);
    expect(Object.keys(parseJson('{"__proto__": 1, "a\\\\": {"x": []}}') as object)).toEqual(["__proto__", "a\\"]);
  });

  it("reads megabytes of escapes", () => {
    const text = '\\\n"'.repeat(2_000_000);
    expect(parseJson(JSON.stringify({ text }))).toEqual({ text });
  });

  it.each(["", "{", "[1,]", '{"a" 1}', "{1:2}", '"open', "nul", "1 2", "[1}"])("fails on %j", (text) => {
    expect(() => parseJson(text)).toThrow(JsonError);
  });
});
