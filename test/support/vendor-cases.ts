// Random schemas of vendors, with a configuration and a prior state that have to do with each other. A seed gives the same
// cases everywhere: those that were recorded can be made again.
import type { AttributeType } from "../../provider/framework/schema.js";
import { isUnknown, type ObjectValue, unknown, type Value } from "../../provider/framework/value.js";
import { encodeValue } from "../../provider/protocol/encode-value.js";
import { jsonType } from "../../provider/protocol/wire-type.js";
import {
  type Attributes,
  type Block,
  type BlockMode,
  blockType,
  collectionType,
  type NestedBlock,
  typesOf,
  type VendorAttribute,
} from "../../provider/shim/schema.js";

export interface VendorCase {
  readonly block: Block;
  readonly prior: ObjectValue | null;
  readonly config: ObjectValue;
}

type Random = () => number;

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
const chance = (random: Random, share: number): boolean => random() < share;

const plainTypes: readonly AttributeType[] = [
  "string",
  "string",
  "number",
  "bool",
  { list: "string" },
  { set: "string" },
  { map: "number" },
  { object: { a: "string", b: { list: "number" } } },
  { set: { object: { a: "string", b: "number" } } },
];
const roles = [
  { required: true, optional: false, computed: false },
  { required: false, optional: true, computed: false },
  { required: false, optional: true, computed: true },
  { required: false, optional: false, computed: true },
] as const;
const modes: readonly BlockMode[] = ["single", "group", "list", "list", "set", "set", "map"];

function attributes(random: Random, depth: number): Attributes {
  const out: Record<string, VendorAttribute> = {};
  for (const name of ["a", "b", "c"].slice(0, 1 + Math.floor(random() * 3))) out[name] = attribute(random, depth);
  return out;
}

function attribute(random: Random, depth: number): VendorAttribute {
  const flags = { ...pick(random, roles), sensitive: false, writeOnly: false };
  if (depth === 0 || chance(random, 0.65)) return { type: pick(random, plainTypes), ...flags };
  const mode = pick(random, ["single", "list", "set", "map"] as const);
  const nested = attributes(random, depth - 1);
  return { type: collectionType(mode, { object: typesOf(nested) }), nested: { mode, attributes: nested }, ...flags };
}

function block(random: Random, depth: number): Block {
  const blocks: Record<string, NestedBlock> = {};
  const many = depth === 0 ? 0 : Math.floor(random() * 3);
  for (const name of ["x", "y"].slice(0, many))
    blocks[name] = { mode: pick(random, modes), block: block(random, depth - 1), minItems: 0, maxItems: 0 };
  return { attributes: attributes(random, depth === 0 ? 0 : 2), blocks };
}

/** How values are chosen: of a configuration with unknowns and nulls, or of a state with neither unknowns nor gaps. */
interface Side {
  readonly random: Random;
  readonly unknowns: number;
  readonly config: boolean;
}

function plain(side: Side, type: AttributeType, inSet = false): Value {
  const { random } = side;
  if (!inSet && chance(random, side.unknowns)) return unknown;
  if (type === "string") return pick(random, ["x", "y", 'q"\n', "é"]);
  if (type === "number") return pick(random, [0, 1, 2.5, -3, 1e12, 123456789012]);
  if (type === "bool") return chance(random, 0.5);
  if (type === "dynamic") return "x";
  if ("object" in type) return record(Object.entries(type.object).map(([name, inner]) => [name, plain(side, inner, inSet)]));
  const items = Array.from({ length: Math.floor(random() * 3) }, (_, i) => plain(side, itemType(type), inSet || "set" in type || i < 0));
  if ("map" in type) return record(items.map((item, i) => [pick(random, ["k", "l"]) + i, item]));
  return "set" in type ? distinct(items) : items;
}

const itemType = (type: Exclude<AttributeType, string | { readonly object: unknown }>): AttributeType =>
  "list" in type ? type.list : "set" in type ? type.set : type.map;

const record = (entries: readonly (readonly [string, Value])[]): ObjectValue =>
  Object.assign(Object.create(null), Object.fromEntries(entries));
const keyOf = (value: Value): string =>
  JSON.stringify(value, (_, v) =>
    isUnknown(v) ? "?" : v && typeof v === "object" && !Array.isArray(v) ? Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1)) : v,
  );
const distinct = (items: readonly Value[]): readonly Value[] => [...new Map(items.map((item) => [keyOf(item), item])).values()];

function attributeValue(side: Side, a: VendorAttribute, inSet: boolean): Value {
  const { random, config } = side;
  if (config && a.computed && !a.optional) return null;
  if (chance(random, a.required ? 0.05 : config ? 0.4 : 0.2)) return null;
  if (!a.nested) return plain(side, a.type, inSet);
  const { mode, attributes: inner } = a.nested;
  if (config && !inSet && chance(random, side.unknowns)) return unknown;
  return collected(side, mode, () => attributesValue(side, inner, inSet || mode === "set"));
}

const attributesValue = (side: Side, all: Attributes, inSet: boolean): ObjectValue =>
  record(Object.entries(all).map(([name, a]) => [name, attributeValue(side, a, inSet)]));

function collected(side: Side, mode: BlockMode, one: () => Value): Value {
  if (mode === "single" || mode === "group") return one();
  const items = Array.from({ length: Math.floor(side.random() * 3.5) }, one);
  if (mode === "map") return record(items.map((item, i) => [`k${i}`, item]));
  return mode === "set" ? distinct(items) : items;
}

function blockValue(side: Side, b: Block, inSet: boolean): ObjectValue {
  const nested = Object.entries(b.blocks).map(([name, { mode, block: inner }]): [string, Value] => {
    if (mode === "single" && chance(side.random, 0.3)) return [name, null];
    if (side.config && mode !== "group" && !inSet && chance(side.random, side.unknowns / 2)) return [name, unknown];
    return [name, collected(side, mode, () => blockValue(side, inner, inSet || mode === "set"))];
  });
  return Object.assign(attributesValue(side, b.attributes, inSet), record(nested));
}

/** As a vendor would have answered to it: what is computed filled in, here and there something else. */
function settled(side: Side, type: AttributeType, config: Value, computed: boolean): Value {
  const { random } = side;
  if (isUnknown(config)) return plain(side, type);
  if (config === null) return computed && chance(random, 0.8) ? plain(side, type) : null;
  if (chance(random, 0.05)) return plain(side, type);
  if (typeof type === "string") return config;
  if (Array.isArray(config)) {
    const inner = "list" in type ? type.list : "set" in type ? type.set : "dynamic";
    const items = (config as readonly Value[]).map((item) => settled(side, inner, item, true) ?? item);
    const kept = chance(random, 0.15) ? items.slice(1) : chance(random, 0.15) ? [...items].reverse() : items;
    return "set" in type ? distinct(kept) : kept;
  }
  if ("map" in type)
    return record(Object.entries(config as ObjectValue).map(([key, item]) => [key, settled(side, type.map, item, true) ?? item]));
  if (!("object" in type)) return config;
  return record(
    Object.entries(type.object).map(([name, inner]) => [name, settled(side, inner, (config as ObjectValue)[name] ?? null, true)]),
  );
}

function withBlocks(b: Block, value: ObjectValue): ObjectValue {
  const fixed = Object.entries(b.blocks).map(([name, { mode, block: inner }]): [string, Value] => {
    const given = value[name] ?? null;
    if (mode === "single") return [name, given === null ? null : withBlocks(inner, given as ObjectValue)];
    if (mode === "group") return [name, withBlocks(inner, (given ?? {}) as ObjectValue)];
    if (mode === "map")
      return [
        name,
        record(Object.entries((given ?? {}) as ObjectValue).map(([key, item]) => [key, withBlocks(inner, item as ObjectValue)])),
      ];
    return [name, ((given ?? []) as readonly ObjectValue[]).map((item) => withBlocks(inner, item))];
  });
  const own = Object.keys(b.attributes).map((name): [string, Value] => [name, value[name] ?? null]);
  return record([...own, ...fixed]);
}

export function vendorCase(seed: number): VendorCase {
  const random = seeded(seed);
  const made = block(random, 2);
  const config = blockValue({ random, unknowns: chance(random, 0.5) ? 0.08 : 0, config: true }, made, false);
  const state: Side = { random, unknowns: 0, config: false };
  const unrelated = chance(random, 0.15);
  const prior = unrelated ? blockValue(state, made, false) : (settled(state, blockType(made), config, false) as ObjectValue);
  return { block: made, config, prior: chance(random, 0.08) ? null : withBlocks(made, prior) };
}

const attributeJson = (a: VendorAttribute): unknown => ({
  ...(a.nested ? { mode: a.nested.mode, nested: mapValues(a.nested.attributes, attributeJson) } : { type: jsonType(a.type) }),
  required: a.required,
  optional: a.optional,
  computed: a.computed,
});
const mapValues = <T>(all: Readonly<Record<string, T>>, change: (value: T) => unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(all).map(([name, value]) => [name, change(value)]));

export const blockJson = (b: Block): unknown => ({
  attributes: mapValues(b.attributes, attributeJson),
  blocks: mapValues(b.blocks, ({ mode, block: inner }) => ({ mode, block: blockJson(inner) })),
});

/** A line for the oracle. */
export function question({ block: b, prior, config }: VendorCase): string {
  const base64 = (value: Value): string => encodeValue(blockType(b), value).toString("base64");
  return JSON.stringify({ block: blockJson(b), prior: base64(prior), config: base64(config) });
}
