// Whether an element of a set that exists can be what a configured element once became: equal to it, or with computed values
// where the configuration has none. Elements of sets have no names, so this is all there is to go by.
import { equalOfType } from "../framework/equal.js";
import { isUnknown, type ObjectValue, unknown, type Value } from "../framework/value.js";
import { type Attributes, type Block, blockType, type NestedBlock, type VendorAttribute } from "./schema.js";

type Mode = "single" | "group" | "list" | "set" | "map";
type Compare = (prior: Value, config: Value) => boolean;

export function carriedOver(block: Block, prior: Value, config: Value): boolean {
  return equalOfType(blockType(block), prior, config) || inside(blockEntries(block), prior, config);
}

type Entries = Readonly<Record<string, Compare>>;

function blockEntries(block: Block): Entries {
  const nested = Object.entries(block.blocks).map(([name, inner]): [string, Compare] => [name, nestedBlock(inner)]);
  return { ...attributeEntries(block.attributes), ...Object.fromEntries(nested) };
}

const attributeEntries = (attributes: Attributes): Entries =>
  Object.fromEntries(Object.entries(attributes).map(([name, attribute]) => [name, attributeCompare(attribute)]));

const attributeCompare =
  (attribute: VendorAttribute): Compare =>
  (prior, config) => {
    if (equalOfType(attribute.type, prior, config)) return true;
    if (typeof attribute.type === "object" && "set" in attribute.type) return false;
    if (attribute.nested) return elements(attribute.nested.mode, () => attributeEntries(attribute.nested?.attributes ?? {}), prior, config);
    return attribute.computed && config === null;
  };

const nestedBlock =
  (nested: NestedBlock): Compare =>
  (prior, config) => {
    if (nested.mode === "set") return equalOfType({ set: blockType(nested.block) }, prior, config);
    return elements(nested.mode, () => blockEntries(nested.block), prior, config);
  };

/** Every part that the prior value has must be found in the configuration; the configuration may have more. */
function elements(mode: Mode, entries: () => Entries, prior: Value, config: Value): boolean {
  if (prior === null || isUnknown(prior)) return true;
  if (mode === "single" || mode === "group") return inside(entries(), prior, config);
  const parts = Object.entries(prior as object) as [string, Value][];
  return parts.every(([key, part]) => {
    // parts of what is unknown are unknown
    if (isUnknown(config)) return inside(entries(), part, unknown);
    return config !== null && Object.hasOwn(config as object, key) && inside(entries(), part, (config as ObjectValue)[key] ?? null);
  });
}

function inside(entries: Entries, prior: Value, config: Value): boolean {
  if (prior === null || isUnknown(prior)) return true;
  return Object.entries(entries).every(([name, compare]) => {
    if (isUnknown(config)) return compare((prior as ObjectValue)[name] ?? null, unknown);
    return config !== null && compare((prior as ObjectValue)[name] ?? null, (config as ObjectValue)[name] ?? null);
  });
}
