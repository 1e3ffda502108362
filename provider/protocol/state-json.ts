// State as Terraform stores it: JSON, made to fit the schema of today.
import { decimalText, parseDecimal } from "../framework/decimal.js";
import { BigDecimal, type ObjectValue, type Value } from "../framework/value.js";
import { ValueError } from "./encode-value.js";
import { parseJson } from "./json.js";
import { fromJsonType, remember, type WireType } from "./wire-type.js";

const text = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");

export const decodeStateJson = (type: WireType, bytes: Uint8Array): Value => conform(type, parseJson(text(bytes)), "state");

/** State of an older schema version as plain data for the resource's own `upgrade`. */
export const plainStateJson = (bytes: Uint8Array): ObjectValue => parseJson(text(bytes)) as ObjectValue;

function conform(type: WireType, data: Value, path: string): Value {
  if (data === null) return null;
  const number = typeof data === "number" || data instanceof BigDecimal;
  const misfit = new ValueError(`${path}: the stored value does not fit the schema`);
  if (type === "dynamic") {
    // stored as { "type": …, "value": … }
    const pair = data as ObjectValue;
    if (typeof data !== "object" || !("type" in pair) || !("value" in pair)) throw misfit;
    const came = fromJsonType(pair.type);
    return remember(came, conform(came, pair.value ?? null, path));
  }
  // a string attribute that once was a number, and the other way round, are conversions that core itself makes
  if (type === "string") {
    if (typeof data === "string") return data;
    if (number) return decimalText(data);
    if (typeof data === "boolean") return String(data);
    throw misfit;
  }
  if (type === "number") {
    if (number) return data;
    if (typeof data === "string" && data !== "" && Number.isFinite(Number(data))) return parseDecimal(data);
    throw misfit;
  }
  if (type === "bool") {
    if (typeof data === "boolean") return data;
    if (data === "true" || data === "false") return data === "true";
    throw misfit;
  }
  if (Array.isArray(data)) {
    if ("tuple" in type) return data.map((item, i) => conform(type.tuple[i] ?? "dynamic", item as Value, `${path}[${i}]`));
    const inner = "list" in type ? type.list : "set" in type ? type.set : undefined;
    if (inner === undefined) throw misfit;
    return data.map((item, i) => conform(inner, item as Value, `${path}[${i}]`));
  }
  if (typeof data !== "object" || number || !("map" in type || "object" in type)) throw misfit;
  const stored = data as ObjectValue;
  const out: Record<string, Value> = Object.create(null);
  if ("map" in type) for (const key of Object.keys(stored)) out[key] = conform(type.map, stored[key] ?? null, `${path}.${key}`);
  // attributes that are new to this version of the schema are null; those it no longer has are dropped
  else for (const [name, inner] of Object.entries(type.object)) out[name] = conform(inner, stored[name] ?? null, `${path}.${name}`);
  return out;
}
