// The order in which core walks a set. It decides which of several equally good prior elements a configured one takes over,
// and with it which computed values it keeps: to plan as core does, the order has to be core's.
import { canonicalDecimal, decimalText } from "../framework/decimal.js";
import type { AttributeType } from "../framework/schema.js";
import { BigDecimal, isUnknown, type ObjectValue, type Value } from "../framework/value.js";

/** Bytes of two texts in UTF-8, compared as Go does. */
const compareText = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Ten significant digits, with an exponent below 1e-4 and from 1e10 on. */
export function shortNumber(value: number | BigDecimal): string {
  const number = Number(decimalText(value));
  if (number === 0) return "0";
  const [digits = "", power = "0"] = number.toExponential(9).split("e");
  const mantissa = digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 10) return String(Number(number.toPrecision(10)));
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

const escapes: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  '"': '\\"',
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};
const quoted = (text: string): string => `"${[...text].map(quotedCharacter).join("")}"`;

function quotedCharacter(char: string): string {
  const escaped = escapes[char];
  if (escaped !== undefined) return escaped;
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (!/[\p{Z}\p{C}]/u.test(char) || char === " ") return char;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}

/** A text that stands for the value: the order of compound elements is the order of these. */
export function orderKey(type: AttributeType, value: Value): string {
  if (isUnknown(value)) return "?";
  if (value === null) return "~";
  if (typeof value === "string") return quoted(value);
  if (typeof value === "boolean") return value ? "T" : "F";
  if (typeof value === "number" || value instanceof BigDecimal) return shortNumber(value);
  if (Array.isArray(value)) {
    const inner = typeof type === "string" ? "dynamic" : "list" in type ? type.list : "set" in type ? type.set : "dynamic";
    const items = typeof type === "object" && "set" in type ? inSetOrder(inner, value) : (value as readonly Value[]);
    return `[${items.map((item) => `${orderKey(inner, item)};`).join("")}]`;
  }
  const object = value as ObjectValue;
  if (typeof type === "object" && "map" in type) {
    const keys = Object.keys(object).sort(compareText);
    return `{${keys.map((key) => `${quoted(key)}:${orderKey(type.map, object[key] ?? null)};`).join("")}}`;
  }
  const types = typeof type === "object" && "object" in type ? type.object : {};
  const names = Object.keys(object).sort(compareText);
  return `<${names.map((name) => `${orderKey(types[name] ?? "dynamic", object[name] ?? null)};`).join("")}>`;
}

/** Known before unknown, unknown before null. */
const rank = (value: Value): number => (value === null ? 2 : isUnknown(value) ? 1 : 0);

export function inSetOrder(type: AttributeType, elements: readonly Value[]): readonly Value[] {
  const keyed = elements.map((value) => ({ value, key: typeof value === "string" ? value : orderKey(type, value) }));
  return keyed.sort((a, b) => rank(a.value) - rank(b.value) || compareElements(a, b)).map(({ value }) => value);
}

interface Keyed {
  readonly value: Value;
  readonly key: string;
}

function compareElements(a: Keyed, b: Keyed): number {
  const numbers = [a.value, b.value].every((value) => typeof value === "number" || value instanceof BigDecimal);
  if (!numbers) return compareText(a.key, b.key);
  const [x, y] = [decimalText(a.value as number), decimalText(b.value as number)];
  return canonicalDecimal(x) === canonicalDecimal(y) ? 0 : Number(x) - Number(y);
}
