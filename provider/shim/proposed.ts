// The proposed new state that goes into a plan: the configuration, and what it leaves out and the vendor computes taken from
// the prior state. Vendors rely on getting exactly what core would send, so the rules are core's, one for one; the test
// compares them with core's own implementation (test/oracle).
import { equalOfType } from "../framework/equal.js";
import type { AttributeType } from "../framework/schema.js";
import { isUnknown, type ObjectValue, type Value } from "../framework/value.js";
import { carriedOver } from "./carried-over.js";
import { completeConfig } from "./config.js";
import { type Attributes, type Block, blockType, type NestedBlock, typesOf, type VendorAttribute } from "./schema.js";
import { inSetOrder } from "./set-order.js";

type Mode = "single" | "list" | "set" | "map";

/** What repeats: how one element comes to be, and how a prior element is recognised in a set. */
interface Element {
  readonly type: AttributeType;
  readonly propose: (prior: Value, config: Value) => Value;
  readonly carriedOver: (prior: Value, config: Value) => boolean;
}

export function proposedNew(block: Block, prior: ObjectValue | null, config: ObjectValue): ObjectValue {
  // without a prior: as if an empty configuration had been applied
  return proposeBlock(block, prior ?? completeConfig(block, {}).config, config);
}

function proposeBlock(block: Block, prior: ObjectValue, config: ObjectValue): ObjectValue {
  const out = proposeAttributes(block.attributes, prior, config);
  for (const [name, nested] of Object.entries(block.blocks)) out[name] = proposeNested(nested, prior[name] ?? null, config[name] ?? null);
  return out;
}

function proposeNested({ mode, block }: NestedBlock, prior: Value, config: Value): Value {
  if (isUnknown(config)) return config;
  const element: Element = {
    type: blockType(block),
    propose: (before, given) => {
      if (given === null && before === null) return null;
      const known = before ?? completeConfig(block, {}).config;
      return given === null || isUnknown(given)
        ? known
        : proposeBlock(block, isUnknown(known) ? {} : (known as ObjectValue), given as ObjectValue);
    },
    carriedOver: (before, given) => carriedOver(block, before, given),
  };
  if (mode === "single") return config === null ? null : element.propose(prior, config);
  if (mode === "group") return element.propose(prior, config);
  return proposeCollection(mode, element, prior, config);
}

function proposeAttributes(attributes: Attributes, prior: ObjectValue | null, config: ObjectValue): Record<string, Value> {
  const out: Record<string, Value> = Object.create(null);
  for (const [name, attribute] of Object.entries(attributes)) {
    out[name] = proposeAttribute(attribute, prior?.[name] ?? null, config[name] ?? null);
  }
  return out;
}

function proposeAttribute(attribute: VendorAttribute, prior: Value, config: Value): Value {
  // what somebody configured once and nobody does now is gone, even if parts of it are computed
  if (attribute.computed && config === null) return attribute.optional && wasConfigured(attribute, prior) ? null : prior;
  if (!attribute.nested || config === null || isUnknown(config)) return config;
  const { mode, attributes } = attribute.nested;
  const element: Element = {
    type: { object: typesOf(attributes) },
    propose: (before, given) =>
      given === null || isUnknown(given)
        ? given
        : proposeAttributes(attributes, before === null || isUnknown(before) ? null : (before as ObjectValue), given as ObjectValue),
    carriedOver: (before, given) => carriedOver({ attributes, blocks: {} }, before, given),
  };
  if (mode === "single") return element.propose(prior, config);
  return proposeCollection(mode, element, prior, config);
}

function proposeCollection(mode: Exclude<Mode, "single">, element: Element, prior: Value, config: Value): Value {
  if (config === null) return null;
  const before = isUnknown(prior) ? null : prior;
  if (mode === "list") {
    const old = (before ?? []) as readonly Value[];
    return (config as readonly Value[]).map((item, i) => (i < old.length ? element.propose(old[i] ?? null, item) : item));
  }
  if (mode === "map") {
    const old = (before ?? {}) as ObjectValue;
    const out: Record<string, Value> = Object.create(null);
    for (const [key, item] of Object.entries(config as ObjectValue)) {
      out[key] = Object.hasOwn(old, key) ? element.propose(old[key] ?? null, item) : item;
    }
    return out;
  }
  const left = [...inSetOrder(element.type, (before ?? []) as readonly Value[])];
  const proposed = inSetOrder(element.type, config as readonly Value[]).map((item) => {
    const at = left.findIndex((candidate) => element.carriedOver(candidate, item));
    return element.propose(at < 0 ? null : (left.splice(at, 1)[0] ?? null), item);
  });
  return unique(element.type, proposed);
}

/** A set holds nothing twice. */
function unique(type: AttributeType, items: readonly Value[]): readonly Value[] {
  return items.filter((item, i) => items.findIndex((other) => equalOfType(type, other, item)) === i);
}

/** Something in it is set that only a configuration can have set. */
function wasConfigured(attribute: VendorAttribute, prior: Value): boolean {
  if (!attribute.nested || prior === null || isUnknown(prior)) return false;
  const { mode, attributes } = attribute.nested;
  const objects = mode === "single" ? [prior] : (Object.values(prior as object) as Value[]);
  return objects.some((object) => {
    if (object === null || isUnknown(object)) return false;
    return Object.entries(attributes).some(([name, inner]) => {
      const value = (object as ObjectValue)[name] ?? null;
      return value !== null && (!inner.computed || wasConfiguredInside(inner, value));
    });
  });
}

// a computed attribute with a value says nothing by itself, what it holds may
const wasConfiguredInside = (attribute: VendorAttribute, value: Value): boolean =>
  attribute.nested !== undefined && wasConfigured(attribute, value);
