// Equality of values as core sees it: numbers by their exact decimal, sets without order.
import { BigDecimal, isUnknown, type ObjectValue, type Value } from "./value.js";

const text = (value: number | BigDecimal): string => (value instanceof BigDecimal ? value.text : String(value));

export function equalValues(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  if (isUnknown(a) || isUnknown(b)) return isUnknown(a) && isUnknown(b);
  if (typeof a === "number" || a instanceof BigDecimal) {
    return (typeof b === "number" || b instanceof BigDecimal) && text(a) === text(b);
  }
  if (typeof a !== "object" || typeof b !== "object") return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => equalValues(item as Value, b[i] as Value));
  }
  const left = a as ObjectValue;
  const right = b as ObjectValue;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && equalValues(left[key] as Value, right[key] as Value))
  );
}
