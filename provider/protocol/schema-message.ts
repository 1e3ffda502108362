// Our schema language in the words of the protocol.
import type { Attribute, Schema } from "../framework/schema.js";
import { isComputed } from "../framework/types.js";
import type { Decoded } from "./wire.js";
import { jsonType } from "./wire-type.js";

const nesting = { single: 1, list: 2, set: 3, map: 4 } as const;
const plainText = 0;

function attributeMessage(name: string, attribute: Attribute): Decoded {
  const optional = attribute.optional === true || attribute.default !== undefined;
  return {
    name,
    ...(attribute.nested
      ? { nestedType: { attributes: attributeMessages(attribute.nested.attributes), nesting: nesting[attribute.nested.mode] } }
      : { type: Buffer.from(JSON.stringify(jsonType(attribute.type))) }),
    description: attribute.description,
    descriptionKind: plainText,
    required: attribute.required ?? false,
    optional,
    computed: isComputed(attribute),
    sensitive: attribute.sensitive ?? false,
    deprecated: attribute.deprecated ?? false,
    writeOnly: attribute.writeOnly ?? false,
  };
}

const attributeMessages = (attributes: Readonly<Record<string, Attribute>>): Decoded[] =>
  Object.keys(attributes)
    .sort()
    .map((name) => attributeMessage(name, attributes[name] as Attribute));

export function schemaMessage(schema: Schema): Decoded {
  return {
    version: schema.version,
    block: {
      version: schema.version,
      attributes: attributeMessages(schema.attributes),
      description: schema.description,
      descriptionKind: plainText,
    },
  };
}
