// What core checks of a provider's answers, written down once more and independently of our code: a plan against its
// configuration, a result or a second plan against the first plan. Every problem is one line.
import { equalOfType } from "../../provider/framework/equal.js";
import type { Attribute, AttributeType, Schema } from "../../provider/framework/schema.js";
import { attributeType } from "../../provider/framework/types.js";
import { hasUnknown, isUnknown, type ObjectValue, type Value } from "../../provider/framework/value.js";

type Attributes = Readonly<Record<string, Attribute>>;
const objectAt = (value: Value, key: string | number): Value =>
  value !== null && typeof value === "object" && !isUnknown(value) ? ((value as Record<string | number, Value>)[key] ?? null) : null;

/** "Provider produced invalid plan" */
export function planProblems(schema: Schema, prior: ObjectValue | null, config: ObjectValue, planned: ObjectValue): readonly string[] {
  return objectPlan(schema.attributes, prior, config, planned, "");
}

function objectPlan(attributes: Attributes, prior: Value, config: Value, planned: Value, path: string): string[] {
  return Object.entries(attributes).flatMap(([name, attribute]) =>
    attributePlan(attribute, objectAt(prior, name), objectAt(config, name), objectAt(planned, name), `${path}.${name}`),
  );
}

function attributePlan(attribute: Attribute, prior: Value, config: Value, planned: Value, path: string): string[] {
  const same = (a: Value, b: Value): boolean => equalOfType(attributeType(attribute), a, b);
  const computed = attribute.computed === true || attribute.default !== undefined;
  if (attribute.writeOnly) return planned === null ? [] : [`${path}: a write-only value is planned`];
  if (same(planned, config)) return [];
  if (prior !== null && config !== null && same(planned, prior)) return [];
  if (config === null) return computed ? [] : [`${path}: planned for existence`];
  if (!attribute.nested) return [`${path}: is neither the configuration nor the prior value`];
  if (planned === null) return [`${path}: planned for absence`];
  if (isUnknown(planned)) return [`${path}: a configured object is planned unknown`];
  const { mode, attributes } = attribute.nested;
  if (mode === "single") return objectPlan(attributes, prior, config, planned, path);
  if (isUnknown(config)) return [`${path}: known before the configuration is`];
  const keys = Object.keys(config);
  if (keys.length !== Object.keys(planned).length) return [`${path}: another number of elements`];
  if (mode === "set") {
    const elements = planned as readonly Value[];
    const match = (c: Value) => elements.some((p) => elementPlan(attributes, null, c, p, path).length === 0);
    return (config as readonly Value[]).every(match) ? [] : [`${path}: an element without counterpart`];
  }
  return keys.flatMap((key) =>
    elementPlan(attributes, objectAt(prior, key), objectAt(config, key), objectAt(planned, key), `${path}[${key}]`),
  );
}

function elementPlan(attributes: Attributes, prior: Value, config: Value, planned: Value, path: string): string[] {
  if (isUnknown(config) || config === null) return equalOfType("dynamic", config, planned) ? [] : [`${path}: not the configuration`];
  if (isUnknown(planned) || planned === null) return [`${path}: a configured element is planned unknown or absent`];
  return objectPlan(attributes, prior, config, planned, path);
}

/** "Provider produced inconsistent result after apply", and "inconsistent final plan" for the plan in the apply walk. */
export function changeProblems(schema: Schema, planned: ObjectValue, actual: ObjectValue): readonly string[] {
  return objectChange(schema.attributes, planned, actual, "");
}

function objectChange(attributes: Attributes, planned: Value, actual: Value, path: string): string[] {
  return Object.entries(attributes).flatMap(([name, attribute]) =>
    attributeChange(attribute, objectAt(planned, name), objectAt(actual, name), `${path}.${name}`),
  );
}

function attributeChange(attribute: Attribute, planned: Value, actual: Value, path: string): string[] {
  if (isUnknown(planned)) return [];
  if (planned === null || actual === null) return planned === actual ? [] : [`${path}: null in one of them`];
  if (isUnknown(actual)) return [`${path}: known, then unknown`];
  if (!attribute.nested) return valueChange(attribute.type, planned, actual) ? [] : [`${path}: another value`];
  const { mode, attributes } = attribute.nested;
  if (mode === "single") return objectChange(attributes, planned, actual, path);
  const keys = Object.keys(planned);
  if (keys.length !== Object.keys(actual).length) return [`${path}: another number of elements`];
  const fits = (p: Value, a: Value): boolean => isUnknown(p) || objectChange(attributes, p, a, path).length === 0;
  if (mode === "set") {
    const found = (planned as readonly Value[]).every((p) => (actual as readonly Value[]).some((a) => fits(p, a)));
    return found ? [] : [`${path}: an element without counterpart`];
  }
  return keys.every((key) => fits(objectAt(planned, key), objectAt(actual, key))) ? [] : [`${path}: another element`];
}

/** Equal, but for what was unknown. */
function valueChange(type: AttributeType, planned: Value, actual: Value): boolean {
  if (isUnknown(planned)) return true;
  if (!hasUnknown(planned) || planned === null || typeof planned !== "object") return equalOfType(type, planned, actual);
  const inner = (key: string): AttributeType => {
    if (typeof type === "string") return "dynamic";
    if ("object" in type) return type.object[key] ?? "dynamic";
    return "map" in type ? type.map : "list" in type ? type.list : type.set;
  };
  const keys = Object.keys(planned);
  const same = (key: string): boolean => valueChange(inner(key), objectAt(planned, key), objectAt(actual, key));
  return actual !== null && keys.length === Object.keys(actual).length && keys.every(same);
}
