// Equality of values as core sees it: numbers by their exact decimal, sets without order.
import { canonicalDecimal, decimalText } from "./decimal.js";
import type { AttributeType } from "./schema.js";
import { BigDecimal, isUnknown, type ObjectValue, type Value } from "./value.js";

const isNumber = (value: Value): value is number | BigDecimal => typeof value === "number" || value instanceof BigDecimal;
const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

/** Without a type a set is a list: two sets are equal when their order is. */
export const equalValues = (a: Value, b: Value): boolean => equalOfType("dynamic", a, b);

export function equalOfType(type: AttributeType, a: Value, b: Value): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  if (isUnknown(a) || isUnknown(b)) return isUnknown(a) && isUnknown(b);
  if (isNumber(a)) return isNumber(b) && canonicalDecimal(decimalText(a)) === canonicalDecimal(decimalText(b));
  if (isNumber(b) || typeof a !== "object" || typeof b !== "object") return false;
  if (isList(a) || isList(b)) {
    if (!isList(a) || !isList(b) || a.length !== b.length) return false;
    const inner = elementType(type);
    const inOrder = a.every((item, i) => equalOfType(inner, item, b[i] ?? null));
    return inOrder || (typeof type === "object" && "set" in type && sameElements(inner, a, b));
  }
  return sameEntries(type, a as ObjectValue, b as ObjectValue);
}

function elementType(type: AttributeType): AttributeType {
  if (typeof type === "string") return "dynamic";
  if ("list" in type) return type.list;
  return "set" in type ? type.set : "dynamic";
}

function sameElements(inner: AttributeType, a: readonly Value[], b: readonly Value[]): boolean {
  const left = [...b];
  return a.every((item) => {
    const at = left.findIndex((other) => equalOfType(inner, item, other));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

function sameEntries(type: AttributeType, a: ObjectValue, b: ObjectValue): boolean {
  const valueType = (key: string): AttributeType => {
    if (typeof type === "string") return "dynamic";
    if ("map" in type) return type.map;
    return ("object" in type && Object.hasOwn(type.object, key) && type.object[key]) || "dynamic";
  };
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equalOfType(valueType(key), a[key] ?? null, b[key] ?? null))
  );
}
