// Data as an object of a schema: every attribute is there, null where nobody gave it; what the schema no longer has is not.
import type { Attribute } from "../framework/schema.js";
import { BigDecimal, isUnknown, type ObjectValue, type Value } from "../framework/value.js";

type Attributes = Readonly<Record<string, Attribute>>;

export const shaped = (attributes: Attributes, given: Readonly<Record<string, Value>>): ObjectValue =>
  Object.fromEntries(Object.entries(attributes).map(([name, attribute]) => [name, shapeOne(attribute, given[name] ?? null)]));

function shapeOne(attribute: Attribute, value: Value): Value {
  if (!attribute.nested || value === null || isUnknown(value)) return value;
  const { mode, attributes } = attribute.nested;
  const one = (item: Value): Value => (isPlain(item) ? shaped(attributes, item) : item);
  if (mode === "single") return one(value);
  if (Array.isArray(value)) return value.map((item: Value) => one(item));
  return isPlain(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, one(item)])) : value;
}

const isPlain = (value: Value): value is ObjectValue =>
  value !== null && typeof value === "object" && !Array.isArray(value) && !isUnknown(value) && !(value instanceof BigDecimal);
