import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalDecimal, decimalText, fromDouble, parseDecimal } from "../../../../provider/framework/decimal.js";
import { BigDecimal } from "../../../../provider/framework/value.js";

describe("numbers without loss", () => {
  it.each<[string, number | BigDecimal]>([
    ["0", 0],
    ["-0", 0],
    ["0.10", 0.1],
    ["1e3", 1000],
    ["9007199254740993", new BigDecimal("9007199254740993")],
    ["0.30000000000000000001", new BigDecimal("0.30000000000000000001")],
    ["1e400", new BigDecimal("1e400")],
    ["1e-400", new BigDecimal("1e-400")],
  ])("reads %s", (text, value) => {
    const read = parseDecimal(text);
    expect(read instanceof BigDecimal ? read : read + 0).toEqual(value);
  });

  it.each<[number, number | BigDecimal]>([
    [0.5, 0.5],
    [2 ** 53 - 1, 2 ** 53 - 1],
    // shortest texts that leave digits out: 18446744073709552000 and 8.673617379884035e-19
    [2 ** 64, new BigDecimal("18446744073709551616")],
    [2 ** -60, new BigDecimal("867361737988403547205962240695953369140625e-60")],
    [0.1, new BigDecimal("1000000000000000055511151231257827021181583404541015625e-55")],
  ])("takes the double %d for all of its digits", (double, value) => {
    expect(fromDouble(double)).toEqual(value);
  });

  it("names the same number the same way", () => {
    expect(new Set(["1500", "1.5e3", "+1500.0", "01500", "15e2"].map(canonicalDecimal)).size).toBe(1);
    expect(canonicalDecimal("-0.00")).toBe(canonicalDecimal("0"));
    expect(canonicalDecimal("-1")).not.toBe(canonicalDecimal("1"));
  });

  it("gives back every double, as text and as bits", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (double) => {
        expect(Number(decimalText(parseDecimal(decimalText(double))))).toBe(double + 0);
        expect(Number(decimalText(fromDouble(double)))).toBe(double + 0);
      }),
      { examples: [[5e-324], [Number.MAX_VALUE], [2 ** 1000 + 2 ** 960]] },
    );
  });
});
