// What core mends in what every provider reads, because the old SDK needs it: lists and sets of blocks are never null or
// unknown, a group is never missing. As core does it, no more: maps of blocks and blocks with dynamic parts stay as they are.
import type { AttributeType } from "../framework/schema.js";
import { isUnknown, type ObjectValue, unknown, type Value } from "../framework/value.js";
import { completeConfig } from "./config.js";
import { type Block, blockType, type NestedBlock } from "./schema.js";

export function normalizeBlocks(block: Block, value: ObjectValue): ObjectValue {
  const out: Record<string, Value> = Object.create(null);
  for (const name of Object.keys(block.attributes)) out[name] = value[name] ?? null;
  for (const [name, nested] of Object.entries(block.blocks)) out[name] = normalizeNested(nested, value[name] ?? null);
  return out;
}

function normalizeNested({ mode, block }: NestedBlock, value: Value): Value {
  if (mode === "map" || hasDynamic(blockType(block))) return value;
  const one = (item: Value): Value => (item === null || isUnknown(item) ? item : normalizeBlocks(block, item as ObjectValue));
  if (mode === "list" || mode === "set") {
    if (isUnknown(value)) return [unknownBlock(block)];
    return value === null ? [] : (value as readonly Value[]).map(one);
  }
  if (isUnknown(value)) return unknownBlock(block);
  return value === null && mode === "group" ? completeConfig(block, {}).config : one(value);
}

/** A block cannot be unknown, its attributes can. */
function unknownBlock(block: Block): ObjectValue {
  const out: Record<string, Value> = Object.create(null);
  for (const name of Object.keys(block.attributes)) out[name] = unknown;
  for (const [name, nested] of Object.entries(block.blocks)) {
    const single = nested.mode === "single" || nested.mode === "group";
    out[name] = nested.mode === "map" ? Object.create(null) : single ? unknownBlock(nested.block) : [unknownBlock(nested.block)];
  }
  return out;
}

function hasDynamic(type: AttributeType): boolean {
  if (typeof type === "string") return type === "dynamic";
  if ("object" in type) return Object.values(type.object).some(hasDynamic);
  return hasDynamic("list" in type ? type.list : "set" in type ? type.set : type.map);
}
