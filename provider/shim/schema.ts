// A vendor's schema as its plugin tells it: attributes as ours, and blocks, which our own schema language has no word for. With
// the type that follows from it.
import type { AttributeType } from "../framework/schema.js";

export interface VendorAttribute {
  /** What the value is on the wire, also of nested attributes. */
  readonly type: AttributeType;
  readonly nested?: { readonly mode: "single" | "list" | "set" | "map"; readonly attributes: Attributes };
  readonly required: boolean;
  readonly optional: boolean;
  readonly computed: boolean;
  readonly sensitive: boolean;
  readonly writeOnly: boolean;
}
export type Attributes = Readonly<Record<string, VendorAttribute>>;

/** A group is a single block that is always there, with nulls. */
export type BlockMode = "single" | "group" | "list" | "set" | "map";

export interface NestedBlock {
  readonly mode: BlockMode;
  readonly block: Block;
  readonly minItems: number;
  /** 0: no bound. */
  readonly maxItems: number;
}

export interface Block {
  readonly attributes: Attributes;
  readonly blocks: Readonly<Record<string, NestedBlock>>;
}

export interface VendorSchema {
  readonly version: number;
  readonly block: Block;
  /** Of a whole object. */
  readonly type: { readonly object: Readonly<Record<string, AttributeType>> };
}

type ObjectType = VendorSchema["type"];

/** A group has the shape of a single block. */
export function collectionType(mode: BlockMode, inner: ObjectType): AttributeType {
  if (mode === "list") return { list: inner };
  if (mode === "set") return { set: inner };
  return mode === "map" ? { map: inner } : inner;
}

export const typesOf = (attributes: Attributes): ObjectType["object"] =>
  Object.fromEntries(Object.entries(attributes).map(([name, attribute]) => [name, attribute.type]));

export function blockType(block: Block): ObjectType {
  const nested = Object.entries(block.blocks).map(([name, b]) => [name, collectionType(b.mode, blockType(b.block))] as const);
  return { object: { ...typesOf(block.attributes), ...Object.fromEntries(nested) } };
}
