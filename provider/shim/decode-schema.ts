// Schema messages of a plugin, decoded into shim/schema.ts.
import type { AttributeType } from "../framework/schema.js";
import { type Decoded, decode } from "../protocol/wire.js";
import { fromJsonType } from "../protocol/wire-type.js";
import { vendorSchema } from "./messages.js";
import {
  type Attributes,
  type Block,
  type BlockMode,
  blockType,
  collectionType,
  type NestedBlock,
  typesOf,
  type VendorAttribute,
  type VendorSchema,
} from "./schema.js";

const attributeModes = ["", "single", "list", "set", "map"] as const;
const blockModes: readonly (BlockMode | "")[] = ["", "single", "list", "set", "map", "group"];

function attributesOf(messages: unknown): Attributes {
  const out: Record<string, VendorAttribute> = Object.create(null);
  for (const message of (messages ?? []) as Decoded[]) out[String(message.name)] = attributeOf(message);
  return out;
}

function attributeOf(message: Decoded): VendorAttribute {
  const flags = {
    required: message.required === true,
    optional: message.optional === true,
    computed: message.computed === true,
    sensitive: message.sensitive === true,
    writeOnly: message.writeOnly === true,
  };
  const nested = message.nestedType as Decoded | undefined;
  if (!nested) return { type: fromJsonType(JSON.parse(Buffer.from(message.type as Uint8Array).toString())) as AttributeType, ...flags };
  const mode = attributeModes[Number(nested.nesting ?? 0)];
  if (!mode) throw new Error(`attribute ${message.name}: nesting ${nested.nesting} is unknown`);
  const attributes = attributesOf(nested.attributes);
  return { type: collectionType(mode, { object: typesOf(attributes) }), nested: { mode, attributes }, ...flags };
}

function blockOf(message: Decoded | undefined): Block {
  const blocks: Record<string, NestedBlock> = Object.create(null);
  for (const nested of (message?.blocks ?? []) as Decoded[]) {
    const mode = blockModes[Number(nested.nesting ?? 0)];
    if (!mode) throw new Error(`block ${nested.typeName}: nesting ${nested.nesting} is unknown`);
    blocks[String(nested.typeName)] = {
      mode,
      block: blockOf(nested.block as Decoded | undefined),
      minItems: Number(nested.minItems ?? 0),
      maxItems: Number(nested.maxItems ?? 0),
    };
  }
  return { attributes: attributesOf(message?.attributes), blocks };
}

export function decodeSchema(bytes: Uint8Array): VendorSchema {
  const message = decode(vendorSchema, bytes);
  const block = blockOf(message.block as Decoded | undefined);
  return { version: Number(message.version ?? 0), block, type: blockType(block) };
}
