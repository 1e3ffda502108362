// A configuration as a plugin wants it: every attribute of the schema is there, null when it was left out; blocks that were
// left out are empty. Primitives are converted as core converts them; what does not fit is a diagnostic with its path.
import { decimalText, parseDecimal } from "../framework/decimal.js";
import { type Diagnostic, error } from "../framework/diagnostic.js";
import type { AttributeType } from "../framework/schema.js";
import { BigDecimal, isUnknown, type ObjectValue, unknown, type Value } from "../framework/value.js";
import type { Attributes, Block, NestedBlock, VendorSchema } from "./schema.js";
import type { AttributePath } from "./vendor.js";

export interface Config {
  /** Complete also when there are diagnostics: what did not fit is null. */
  readonly config: ObjectValue;
  readonly diagnostics: readonly Diagnostic[];
}

type Report = (problem: Diagnostic) => void;
type Maker = (given: Value, path: AttributePath) => Value;

/** From the arguments of a resource, in which references are already values (`unknown` when not known yet). */
export const configOf = (schema: VendorSchema, args: ObjectValue): Config => completeConfig(schema.block, args);

export function completeConfig(block: Block, given: ObjectValue): Config {
  const diagnostics: Diagnostic[] = [];
  const config = completeBlock(block, given, [], (problem) => diagnostics.push(problem));
  return { config, diagnostics };
}

const isObject = (value: Value): value is ObjectValue =>
  value !== null && typeof value === "object" && !Array.isArray(value) && !(value instanceof BigDecimal) && !isUnknown(value);

function misfit(report: Report, path: AttributePath, wanted: string, value: Value): null {
  const got = Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `the ${typeof value} ${JSON.stringify(value)}`;
  report(error("An argument does not fit the vendor's schema", `${wanted} is expected here, got ${got}.`, path));
  return null;
}

function refuseOthers(known: readonly string[], given: ObjectValue, path: AttributePath, report: Report): void {
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const detail = `The vendor's schema has no argument "${name}" here. It has: ${[...known].sort().join(", ")}.`;
    report(error("The vendor does not know an argument", detail, [...path, name]));
  }
}

function completeBlock(block: Block, given: ObjectValue, path: AttributePath, report: Report): ObjectValue {
  refuseOthers([...Object.keys(block.attributes), ...Object.keys(block.blocks)], given, path, report);
  const out: Record<string, Value> = Object.create(null);
  completeAttributes(block.attributes, given, path, report, out);
  for (const [name, nested] of Object.entries(block.blocks))
    out[name] = completeNested(nested, given[name] ?? null, [...path, name], report);
  return out;
}

function completeNested(nested: NestedBlock, given: Value, path: AttributePath, report: Report): Value {
  const one: Maker = (value, at) =>
    isUnknown(value) ? value : isObject(value) ? completeBlock(nested.block, value, at, report) : misfit(report, at, "A block", value);
  if (nested.mode === "single") return given === null ? null : one(given, path);
  if (nested.mode === "group") return one(given ?? {}, path);
  if (given === null) return nested.mode === "map" ? Object.create(null) : [];
  return collection(nested.mode, given, path, report, one);
}

function completeAttributes(
  attributes: Attributes,
  given: ObjectValue,
  path: AttributePath,
  report: Report,
  out: Record<string, Value>,
): void {
  for (const [name, attribute] of Object.entries(attributes)) {
    const value = given[name] ?? null;
    const at = [...path, name];
    if (!attribute.nested) {
      out[name] = convert(attribute.type, value, at, report);
      continue;
    }
    const { mode, attributes: inner } = attribute.nested;
    const one: Maker = (item, here) => {
      if (item === null || isUnknown(item)) return item;
      if (!isObject(item)) return misfit(report, here, "An object", item);
      refuseOthers(Object.keys(inner), item, here, report);
      const object: Record<string, Value> = Object.create(null);
      completeAttributes(inner, item, here, report, object);
      return object;
    };
    out[name] = value === null || isUnknown(value) ? value : mode === "single" ? one(value, at) : collection(mode, value, at, report, one);
  }
}

function collection(mode: "list" | "set" | "map", given: Value, path: AttributePath, report: Report, one: Maker): Value {
  if (isUnknown(given)) return unknown;
  if (mode === "map") {
    if (!isObject(given)) return misfit(report, path, "A map", given);
    const out: Record<string, Value> = Object.create(null);
    for (const [key, item] of Object.entries(given)) out[key] = one(item, [...path, { key }]);
    return out;
  }
  if (!Array.isArray(given)) return misfit(report, path, "A list", given);
  return (given as readonly Value[]).map((item, i) => one(item, mode === "set" ? path : [...path, i]));
}

function convert(type: AttributeType, value: Value, path: AttributePath, report: Report): Value {
  if (value === null || isUnknown(value) || type === "dynamic") return value;
  const inner =
    (of: AttributeType): Maker =>
    (item, at) =>
      convert(of, item, at, report);
  if (typeof type === "object") {
    if ("list" in type) return collection("list", value, path, report, inner(type.list));
    if ("set" in type) return collection("set", value, path, report, inner(type.set));
    if ("map" in type) return collection("map", value, path, report, inner(type.map));
    if (!isObject(value)) return misfit(report, path, "An object", value);
    refuseOthers(Object.keys(type.object), value, path, report);
    const out: Record<string, Value> = Object.create(null);
    for (const [name, of] of Object.entries(type.object)) out[name] = convert(of, value[name] ?? null, [...path, name], report);
    return out;
  }
  return primitive(type, value) ?? misfit(report, path, `A ${type}`, value);
}

function primitive(type: "string" | "number" | "bool", value: Value): Value {
  const number = typeof value === "number" || value instanceof BigDecimal;
  if (type === "string") {
    if (typeof value === "string") return value;
    return number ? decimalText(value) : typeof value === "boolean" ? String(value) : null;
  }
  if (type === "number") {
    if (number) return value;
    return typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value)) ? parseDecimal(value) : null;
  }
  if (typeof value === "boolean") return value;
  return value === "true" ? true : value === "false" ? false : null;
}
