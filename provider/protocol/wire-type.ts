// Types as they travel with a dynamic value.
import type { AttributeType } from "../framework/schema.js";
import { BigDecimal, isUnknown, type ObjectValue, type Value } from "../framework/value.js";

/** Inside a dynamic value core also sends tuples, which no attribute can be declared as. */
export type WireType =
  | AttributeType
  | { readonly list: WireType }
  | { readonly set: WireType }
  | { readonly map: WireType }
  | { readonly tuple: readonly WireType[] }
  | { readonly object: Readonly<Record<string, WireType>> };

export function jsonType(type: WireType): unknown {
  if (typeof type === "string") return type;
  if ("list" in type) return ["list", jsonType(type.list)];
  if ("set" in type) return ["set", jsonType(type.set)];
  if ("map" in type) return ["map", jsonType(type.map)];
  if ("tuple" in type) return ["tuple", type.tuple.map(jsonType)];
  return ["object", Object.fromEntries(Object.entries(type.object).map(([name, t]) => [name, jsonType(t)]))];
}

export function fromJsonType(json: unknown): WireType {
  if (typeof json === "string") return json as WireType;
  const [kind, inner] = json as [string, unknown];
  if (kind === "object") {
    return { object: Object.fromEntries(Object.entries(inner as object).map(([name, t]) => [name, fromJsonType(t)])) };
  }
  if (kind === "tuple") return { tuple: (inner as unknown[]).map(fromJsonType) };
  return { [kind]: fromJsonType(inner) } as WireType;
}

// A list, a set and a tuple are the same data, but not the same value to core: a dynamic attribute has to go back with the
// type that it came with. Data that a resource makes has none, and gets the narrowest that fits.
const cameAs = Symbol("type");

export function remember<T extends Value>(type: WireType, value: T): T {
  if (value !== null && typeof value === "object") Object.defineProperty(value, cameAs, { value: type });
  return value;
}

/** The type that a value of a dynamic attribute is sent with. */
export function typeOfValue(value: Value): WireType {
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number" || value instanceof BigDecimal) return "number";
  if (value === null) return "dynamic";
  const known = (value as { readonly [cameAs]?: WireType })[cameAs];
  if (known !== undefined) return known;
  if (isUnknown(value)) return "dynamic";
  if (Array.isArray(value)) return { tuple: value.map((item) => typeOfValue(item as Value)) };
  return { object: Object.fromEntries(Object.entries(value as ObjectValue).map(([name, v]) => [name, typeOfValue(v)])) };
}
