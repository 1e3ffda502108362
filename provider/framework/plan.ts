// The plan of one resource: defaults, unknowns for what is computed, replacements. Core's laws (a planned value equals the
// configuration, or the prior value, or is computed and left out by the configuration) are kept here once for all.
import { equalOfType } from "./equal.js";
import type { Attribute, Schema } from "./schema.js";
import { attributesType, isComputed, schemaType } from "./types.js";
import { hasUnknown, isUnknown, type ObjectValue, unknown, type Value } from "./value.js";

type Attributes = Readonly<Record<string, Attribute>>;
type Key = string | number | null;

const asObject = (value: Value | undefined): ObjectValue | null =>
  value !== null && value !== undefined && typeof value === "object" && !Array.isArray(value) && !isUnknown(value)
    ? (value as ObjectValue)
    : null;

/** Configuration with defaults filled in and write-only values taken out, at every level. */
export function fillDefaults(attributes: Attributes, config: ObjectValue): ObjectValue {
  const out: Record<string, Value> = Object.create(null);
  for (const [name, attribute] of Object.entries(attributes)) {
    const given = config[name] ?? null;
    const value = attribute.writeOnly ? null : given === null && attribute.default !== undefined ? attribute.default : given;
    out[name] = mapNested(attribute, value, (object) => fillDefaults(attribute.nested?.attributes ?? {}, object));
  }
  return out;
}

function mapNested(attribute: Attribute, value: Value, change: (object: ObjectValue, key: Key) => ObjectValue): Value {
  if (value === null || isUnknown(value) || !attribute.nested) return value;
  if (attribute.nested.mode === "single") return change(value as ObjectValue, null);
  if (Array.isArray(value)) return value.map((item, i) => (asObject(item as Value) ? change(item as ObjectValue, i) : (item as Value)));
  const out: Record<string, Value> = Object.create(null);
  for (const [key, item] of Object.entries(value as ObjectValue)) out[key] = asObject(item) ? change(item as ObjectValue, key) : item;
  return out;
}

/** The object at a key of a nested value; null when there is none. */
function partAt(value: Value, key: Key): ObjectValue | null {
  if (key === null) return asObject(value);
  if (value === null || typeof value !== "object" || isUnknown(value) || !Object.hasOwn(value, key)) return null;
  return asObject((value as Record<string | number, Value>)[key]);
}

interface Level {
  readonly config: ObjectValue;
  /** The configuration with its defaults. */
  readonly filled: ObjectValue;
  readonly prior: ObjectValue | null;
}

/**
 * Finds the prior value of a nested object: same key of a map, same place of a list. A set has neither: there it is one
 * that the configuration would leave as it is, and that no other object has taken.
 */
function counterparts(attribute: Attribute, prior: Value): (level: Omit<Level, "prior">, key: Key) => ObjectValue | null {
  if (attribute.nested?.mode !== "set") return (_, key) => partAt(prior, key);
  const inner = attribute.nested.attributes;
  const type = { object: attributesType(inner) };
  const left = Array.isArray(prior) ? prior.map((item) => asObject(item as Value)) : [];
  return (level) => {
    const at = left.findIndex(
      (candidate) => candidate !== null && equalOfType(type, fillComputed(inner, { ...level, prior: candidate }, false), candidate),
    );
    return at < 0 ? null : (left.splice(at, 1)[0] ?? null);
  };
}

/** Fills computed attributes that the configuration leaves out: the prior value while nothing changed, else unknown. */
function fillComputed(attributes: Attributes, { config, filled, prior }: Level, changed: boolean): ObjectValue {
  const out: Record<string, Value> = Object.create(null);
  for (const [name, attribute] of Object.entries(attributes)) {
    const given = config[name] ?? null;
    const value = filled[name] ?? null;
    const before = prior?.[name] ?? null;
    if (attribute.computed && value === null) out[name] = prior !== null && !changed ? before : unknown;
    else {
      const counterpart = counterparts(attribute, before);
      out[name] = mapNested(attribute, value, (object, key) => {
        // a nested object that is a default has no configuration of its own: it is all there is
        const level = { config: partAt(given, key) ?? object, filled: object };
        return fillComputed(attribute.nested?.attributes ?? {}, { ...level, prior: counterpart(level, key) }, changed);
      });
    }
  }
  return out;
}

export function proposePlan(schema: Schema, config: ObjectValue, prior: ObjectValue | null): ObjectValue {
  const filled = fillDefaults(schema.attributes, config);
  if (prior !== null) {
    const unchanged = fillComputed(schema.attributes, { config, filled, prior }, false);
    if (equalOfType(schemaType(schema), unchanged, prior)) return prior;
  }
  return fillComputed(schema.attributes, { config, filled, prior }, true);
}

/** Without a configuration: what is unknown and computed is taken for left out. */
function likelyConfig(attributes: Attributes, planned: ObjectValue): ObjectValue {
  const given = ([name, value]: [string, Value]): [string, Value] => {
    const attribute = attributes[name];
    return [name, isUnknown(value) && attribute && isComputed(attribute) ? null : value];
  };
  return Object.fromEntries(Object.entries(planned).map(given));
}

/** Top-level attributes whose planned value differs from the prior and whose schema says that this replaces. */
export function replacedBy(
  schema: Schema,
  prior: ObjectValue | null,
  planned: ObjectValue,
  config: ObjectValue = likelyConfig(schema.attributes, planned),
): readonly string[] {
  if (prior === null) return [];
  const filled = fillDefaults(schema.attributes, config);
  const unchanged = fillComputed(schema.attributes, { config, filled, prior }, false);
  const types = attributesType(schema.attributes);
  const differs = (name: string): boolean => {
    const value = planned[name] ?? null;
    // What is unknown because the configuration is counts as another value: core does not forgive an update that becomes a
    // replacement once it is known. What is unknown only because something else changed is no reason.
    const decided = hasUnknown(value) ? (unchanged[name] ?? null) : value;
    return !equalOfType(types[name] ?? "dynamic", prior[name] ?? null, decided);
  };
  return Object.keys(schema.attributes).filter((name) => schema.attributes[name]?.change === "replace" && differs(name));
}
