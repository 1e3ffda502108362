// Numbers without loss. Core computes with 512 bits; a double stands for its shortest decimal text here, so 0.1 is 0.1, and
// what has more digits than that stays text.
import { BigDecimal } from "./value.js";

/** A double as plain decimal text: what core compares. */
export const decimalText = (value: number | BigDecimal): string => (value instanceof BigDecimal ? value.text : String(value));

/** Sign, digits and exponent without leading or trailing zeros: equal texts mean equal numbers. */
export function canonicalDecimal(text: string): string {
  const match = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!match) return text;
  const [, sign = "", whole = "", part = "", exponent = "0"] = match;
  const digits = `${whole}${part}`.replace(/^0+/, "");
  const trimmed = digits.replace(/0+$/, "");
  if (trimmed === "") return "0";
  return `${sign === "-" ? "-" : ""}${trimmed}e${Number(exponent) - part.length + (digits.length - trimmed.length)}`;
}

/** Keeps the digits of a decimal text that a double cannot hold. */
export function parseDecimal(text: string): number | BigDecimal {
  const number = Number(text);
  if (Number.isFinite(number) && canonicalDecimal(String(number)) === canonicalDecimal(text)) return number;
  return new BigDecimal(text);
}

/** A double that came as its bits: all of its digits count, also those that the shortest text leaves out. */
export function fromDouble(value: number): number | BigDecimal {
  if (Number.isSafeInteger(value)) return value;
  const exact = exactText(value);
  return canonicalDecimal(exact) === canonicalDecimal(String(value)) ? value : new BigDecimal(exact);
}

function exactText(value: number): string {
  let scaled = value;
  let halvings = 0;
  // doubling is exact, and 1/2^n = 5^n/10^n
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    halvings += 1;
  }
  const digits = (BigInt(scaled) * 5n ** BigInt(halvings)).toString();
  return halvings === 0 ? digits : `${digits}e-${halvings}`;
}
