// State as JSON text, the other direction of state-json.ts: numbers keep their digits, dynamic values their type.
import { decimalText } from "../framework/decimal.js";
import { BigDecimal, isUnknown, type ObjectValue, type Value } from "../framework/value.js";
import { ValueError } from "./encode-value.js";
import { jsonType, typeOfValue, type WireType } from "./wire-type.js";

export function stateJson(type: WireType, value: Value): string {
  if (value === null) return "null";
  if (isUnknown(value)) throw new ValueError("an unknown value cannot be stored");
  if (type === "dynamic") {
    const actual = typeOfValue(value);
    return `{"value":${stateJson(actual, value)},"type":${JSON.stringify(jsonType(actual))}}`;
  }
  if (typeof value === "number" || value instanceof BigDecimal) return decimalText(value);
  if (typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) {
    return `[${(value as readonly Value[]).map((item, i) => stateJson(elementType(type, i), item)).join(",")}]`;
  }
  const object = value as ObjectValue;
  const entry = (key: string): string => `${JSON.stringify(key)}:${stateJson(entryType(type, key), object[key] ?? null)}`;
  return `{${Object.keys(object).sort().map(entry).join(",")}}`;
}

function elementType(type: WireType, at: number): WireType {
  if (typeof type === "string") return "dynamic";
  if ("tuple" in type) return type.tuple[at] ?? "dynamic";
  return "list" in type ? type.list : "set" in type ? type.set : "dynamic";
}

function entryType(type: WireType, key: string): WireType {
  if (typeof type === "string") return "dynamic";
  if ("map" in type) return type.map;
  return ("object" in type && Object.hasOwn(type.object, key) && type.object[key]) || "dynamic";
}
