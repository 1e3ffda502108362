// What core mends in the answers of every provider, because the old SDK needs it: collections of blocks are never null. A
// null or unknown list, set or map of blocks becomes an empty one, a missing group a group of nulls.
import { isUnknown, type ObjectValue, type Value } from "../framework/value.js";
import type { Block, NestedBlock } from "./schema.js";

const missing = (value: Value | undefined): boolean => value === null || value === undefined || isUnknown(value);

export function normalizeBlocks(block: Block, value: ObjectValue): ObjectValue {
  const out: Record<string, Value> = Object.create(null);
  for (const name of Object.keys(block.attributes)) out[name] = value[name] ?? null;
  for (const [name, nested] of Object.entries(block.blocks)) out[name] = normalizeNested(nested, value[name] ?? null);
  return out;
}

function normalizeNested({ mode, block }: NestedBlock, value: Value): Value {
  const one = (item: Value): Value => (missing(item) ? item : normalizeBlocks(block, item as ObjectValue));
  if (mode === "single") return one(value);
  if (mode === "group") return missing(value) ? normalizeBlocks(block, {}) : one(value);
  if (mode !== "map") return missing(value) ? [] : (value as readonly Value[]).map(one);
  const out: Record<string, Value> = Object.create(null);
  if (!missing(value)) for (const [key, item] of Object.entries(value as ObjectValue)) out[key] = one(item);
  return out;
}
