// The plan of one resource: defaults, unknowns for what is computed, replacements. Core's laws (a planned value equals the
// configuration, or the prior value, or is computed and left out by the configuration) are kept here once for all.
import { equalValues } from "./equal.js";
import type { Attribute, Schema } from "./schema.js";
import { isComputed } from "./types.js";
import { isUnknown, type ObjectValue, unknown, type Value } from "./value.js";

type Attributes = Readonly<Record<string, Attribute>>;

const asObject = (value: Value | undefined): ObjectValue | null =>
  value !== null && value !== undefined && typeof value === "object" && !Array.isArray(value) && !isUnknown(value)
    ? (value as ObjectValue)
    : null;

/** Configuration with defaults filled in and write-only values taken out, at every level. */
export function fillDefaults(attributes: Attributes, config: ObjectValue): ObjectValue {
  const out: Record<string, Value> = Object.create(null);
  for (const [name, attribute] of Object.entries(attributes)) {
    let value = config[name] ?? null;
    if (value === null && attribute.default !== undefined) value = attribute.default;
    if (attribute.writeOnly) value = null;
    out[name] = attribute.nested
      ? mapNested(attribute, value, (object) => fillDefaults(attribute.nested?.attributes ?? {}, object))
      : value;
  }
  return out;
}

function mapNested(attribute: Attribute, value: Value, change: (object: ObjectValue, key: string | number | null) => ObjectValue): Value {
  if (value === null || isUnknown(value) || !attribute.nested) return value;
  if (attribute.nested.mode === "single") return change(value as ObjectValue, null);
  if (Array.isArray(value)) return value.map((item, i) => (asObject(item as Value) ? change(item as ObjectValue, i) : (item as Value)));
  const out: Record<string, Value> = Object.create(null);
  for (const [key, item] of Object.entries(value as ObjectValue)) out[key] = asObject(item) ? change(item as ObjectValue, key) : item;
  return out;
}

/**
 * The prior value of a nested object's counterpart: same key of a map, same place of a list. A set has neither: there it
 * is the one that agrees in everything the configuration decides.
 */
function priorOf(attribute: Attribute, prior: Value | undefined, key: string | number | null, filled: ObjectValue): ObjectValue | null {
  if (key === null) return asObject(prior);
  if (prior === null || prior === undefined || typeof prior !== "object" || !attribute.nested) return null;
  if (attribute.nested.mode !== "set") return asObject((prior as Record<string | number, Value>)[key]);
  const decided = Object.entries(attribute.nested.attributes)
    .filter(([name, inner]) => !inner.computed || (filled[name] ?? null) !== null)
    .map(([name]) => name);
  const same = (prior as readonly Value[]).find((item) => {
    const object = asObject(item);
    return object !== null && decided.every((name) => equalValues(object[name] ?? null, filled[name] ?? null));
  });
  return asObject(same);
}

/**
 * Fills computed attributes that the configuration leaves out: the prior value while nothing changed, unknown once
 * something did.
 */
function fillComputed(
  attributes: Attributes,
  config: ObjectValue,
  filled: ObjectValue,
  prior: ObjectValue | null,
  changed: boolean,
): ObjectValue {
  const out: Record<string, Value> = Object.create(null);
  for (const [name, attribute] of Object.entries(attributes)) {
    const value = filled[name] ?? null;
    const before = prior ? (prior[name] ?? null) : null;
    if (attribute.computed && !attribute.nested && (config[name] ?? null) === null && attribute.default === undefined) {
      out[name] = prior !== null && !changed ? before : unknown;
    } else if (attribute.nested) {
      if (value === null && attribute.computed && (config[name] ?? null) === null)
        out[name] = prior !== null && !changed ? before : unknown;
      else {
        const given = config[name] ?? null;
        out[name] = mapNested(attribute, value, (object, key) => {
          const source = key === null ? asObject(given) : asObject((given as Record<string | number, Value>)[key] ?? null);
          return fillComputed(
            attribute.nested?.attributes ?? {},
            source ?? object,
            object,
            priorOf(attribute, before, key, object),
            changed,
          );
        });
      }
    } else out[name] = value;
  }
  return out;
}

export function proposePlan(schema: Schema, config: ObjectValue, prior: ObjectValue | null): ObjectValue {
  const filled = fillDefaults(schema.attributes, config);
  if (prior !== null) {
    const unchanged = fillComputed(schema.attributes, config, filled, prior, false);
    if (equalValues(unchanged, prior)) return prior;
  }
  return fillComputed(schema.attributes, config, filled, prior, true);
}

/** Top-level attributes whose planned value differs from the prior and whose schema says that this replaces. */
export function replacedBy(schema: Schema, prior: ObjectValue | null, planned: ObjectValue): readonly string[] {
  if (prior === null) return [];
  return Object.entries(schema.attributes)
    .filter(([name, attribute]) => {
      if (attribute.change !== "replace") return false;
      const value = planned[name] ?? null;
      // a computed value that is unknown only because something else changed is no reason to replace
      if (isUnknown(value) && isComputed(attribute)) return false;
      return !equalValues(prior[name] ?? null, value);
    })
    .map(([name]) => name);
}
