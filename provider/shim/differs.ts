// Whether two objects differ at a path of a vendor's plan.
import { equalOfType } from "../framework/equal.js";
import type { AttributeType } from "../framework/schema.js";
import { BigDecimal, isUnknown, type ObjectValue, type Value } from "../framework/value.js";
import type { VendorSchema } from "./schema.js";
import type { AttributePath } from "./vendor.js";

interface At {
  readonly type: AttributeType;
  readonly value: Value;
}

function step({ type, value }: At, key: AttributePath[number]): At | null {
  if (value === null || isUnknown(value) || typeof value !== "object" || value instanceof BigDecimal) return null;
  const name = typeof key === "object" ? key.key : key;
  if (!Object.hasOwn(value, name)) return null;
  const next = (value as Record<string | number, Value>)[name] ?? null;
  if (typeof type === "string") return { type: "dynamic", value: next };
  if ("list" in type) return { type: type.list, value: next };
  // what stands in a set has no place of its own
  if ("set" in type) return null;
  if ("map" in type) return { type: type.map, value: next };
  return { type: type.object[name] ?? "dynamic", value: next };
}

/** Where the path leads nowhere on a side (a new element, a set), what is above it is compared. */
export function differsAt(schema: VendorSchema, path: AttributePath, prior: ObjectValue, planned: ObjectValue): boolean {
  let a: At = { type: schema.type, value: prior };
  let b: At = { type: schema.type, value: planned };
  for (const key of path) {
    const [nextA, nextB] = [step(a, key), step(b, key)];
    if (nextA === null || nextB === null) break;
    [a, b] = [nextA, nextB];
  }
  return !equalOfType(a.type, a.value, b.value);
}
