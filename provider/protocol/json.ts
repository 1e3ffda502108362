// JSON without loss: JSON.parse would round big numbers, and Terraform would then see a change that never ends. Objects
// have no prototype, so that a key "__proto__" is a key like any other.
import { parseDecimal } from "../framework/decimal.js";
import type { Value } from "../framework/value.js";

export class JsonError extends Error {}

const numberText = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const words: readonly (readonly [string, Value])[] = [
  ["null", null],
  ["true", true],
  ["false", false],
];

interface Cursor {
  readonly text: string;
  at: number;
}

export function parseJson(text: string): Value {
  const cursor = { text, at: 0 };
  const value = parseValue(cursor);
  if (peek(cursor) !== "") throw unexpected(cursor);
  return value;
}

/** The next character that is not white space; "" at the end. */
function peek(cursor: Cursor): string {
  for (;;) {
    const char = cursor.text.charAt(cursor.at);
    if (char !== " " && char !== "\n" && char !== "\t" && char !== "\r") return char;
    cursor.at += 1;
  }
}

function eat(cursor: Cursor, char: string): boolean {
  if (peek(cursor) !== char) return false;
  cursor.at += 1;
  return true;
}

const unexpected = (cursor: Cursor): JsonError => new JsonError(`JSON: unexpected text at character ${cursor.at}`);

function parseValue(cursor: Cursor): Value {
  const first = peek(cursor);
  if (first === "{") return parseObject(cursor);
  if (first === "[") return parseArray(cursor);
  if (first === '"') return parseString(cursor);
  for (const [word, value] of words) {
    if (cursor.text.startsWith(word, cursor.at)) {
      cursor.at += word.length;
      return value;
    }
  }
  numberText.lastIndex = cursor.at;
  const found = numberText.exec(cursor.text);
  if (!found) throw unexpected(cursor);
  cursor.at += found[0].length;
  return parseDecimal(found[0]);
}

function parseString(cursor: Cursor): string {
  const begin = cursor.at;
  let end = begin;
  do {
    end = cursor.text.indexOf('"', end + 1);
    if (end < 0) throw unexpected(cursor);
  } while (escaped(cursor.text, end));
  cursor.at = end + 1;
  return JSON.parse(cursor.text.slice(begin, cursor.at)) as string;
}

/** An odd number of backslashes stands before it. */
function escaped(text: string, at: number): boolean {
  let before = at;
  while (text.charAt(before - 1) === "\\") before -= 1;
  return (at - before) % 2 === 1;
}

function parseArray(cursor: Cursor): Value {
  const items: Value[] = [];
  eat(cursor, "[");
  if (eat(cursor, "]")) return items;
  do items.push(parseValue(cursor));
  while (eat(cursor, ","));
  if (!eat(cursor, "]")) throw unexpected(cursor);
  return items;
}

function parseObject(cursor: Cursor): Value {
  const object: Record<string, Value> = Object.create(null);
  eat(cursor, "{");
  if (eat(cursor, "}")) return object;
  do {
    if (peek(cursor) !== '"') throw unexpected(cursor);
    const key = parseString(cursor);
    if (!eat(cursor, ":")) throw unexpected(cursor);
    object[key] = parseValue(cursor);
  } while (eat(cursor, ","));
  if (!eat(cursor, "}")) throw unexpected(cursor);
  return object;
}
