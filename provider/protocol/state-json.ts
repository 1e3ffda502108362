// State as Terraform stores it: JSON. JSON.parse would lose the digits of big numbers and give a permanent diff, so number
// literals are first turned into marked strings.
import type { AttributeType } from "../framework/schema.js";
import type { ObjectValue, Value } from "../framework/value.js";
import { parseDecimal, ValueError } from "./msgpack.js";

const mark = "\u0000n:";

/** JSON text to data in which a number is mark + its text. Strings are skipped over, so that digits in them stay. */
function markNumbers(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) =>
    token.startsWith('"') ? token : `"\\u0000n:${token}"`,
  );
}

function coerce(type: AttributeType, data: unknown, path: string): Value {
  if (data === null || data === undefined) return null;
  const number = typeof data === "string" && data.startsWith(mark) ? data.slice(mark.length) : undefined;
  if (type === "dynamic") {
    const pair = data as { type?: unknown; value?: unknown };
    return typeof data === "object" && data !== null && "value" in pair ? plain(pair.value) : plain(data);
  }
  // a string attribute that once was a number, and the other way round, are conversions that core itself makes
  if (type === "string") return number ?? (typeof data === "boolean" ? String(data) : (data as string));
  if (type === "number") {
    if (number !== undefined) return parseDecimal(number);
    if (typeof data === "string") return parseDecimal(data);
  }
  if (type === "bool") {
    if (typeof data === "boolean") return data;
    if (data === "true" || data === "false") return data === "true";
  }
  if (typeof type === "object" && ("list" in type || "set" in type) && Array.isArray(data)) {
    const inner = "list" in type ? type.list : type.set;
    return data.map((item, i) => coerce(inner, item, `${path}[${i}]`));
  }
  if (typeof type === "object" && typeof data === "object" && !Array.isArray(data)) {
    const out: Record<string, Value> = Object.create(null);
    if ("map" in type) {
      for (const [key, item] of Object.entries(data)) out[key] = coerce(type.map, item, `${path}.${key}`);
      return out;
    }
    if ("object" in type) {
      // attributes that are new to this version of the schema are null; those it no longer has are dropped
      for (const [name, inner] of Object.entries(type.object))
        out[name] = coerce(inner, (data as Record<string, unknown>)[name], `${path}.${name}`);
      return out;
    }
  }
  throw new ValueError(`${path}: the stored value does not fit the schema`);
}

function plain(data: unknown): Value {
  if (typeof data === "string" && data.startsWith(mark)) return parseDecimal(data.slice(mark.length));
  if (Array.isArray(data)) return data.map(plain);
  if (data !== null && typeof data === "object") {
    const out: Record<string, Value> = Object.create(null);
    for (const [key, item] of Object.entries(data)) out[key] = plain(item);
    return out;
  }
  return data as Value;
}

// __proto__ has to survive: JSON.parse makes it an own property, which Object.entries sees
export const parseMarked = (bytes: Uint8Array): unknown => JSON.parse(markNumbers(Buffer.from(bytes).toString("utf8")));

export function decodeStateJson(type: AttributeType, bytes: Uint8Array): Value {
  return coerce(type, parseMarked(bytes), "state");
}

/** State of an older schema version as plain data for the resource's own `upgrade`. */
export const plainStateJson = (bytes: Uint8Array): ObjectValue => plain(parseMarked(bytes)) as ObjectValue;
