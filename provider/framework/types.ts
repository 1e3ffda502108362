// The type of an attribute, of an object of attributes, and what follows from it.
import type { Attribute, AttributeType, Schema } from "./schema.js";

export function attributeType(attribute: Attribute): AttributeType {
  if (attribute.type !== undefined) return attribute.type;
  const object: AttributeType = { object: attributesType(attribute.nested.attributes) };
  switch (attribute.nested.mode) {
    case "single":
      return object;
    case "list":
      return { list: object };
    case "set":
      return { set: object };
    case "map":
      return { map: object };
  }
}

export function attributesType(attributes: Readonly<Record<string, Attribute>>): Readonly<Record<string, AttributeType>> {
  return Object.fromEntries(Object.entries(attributes).map(([name, attribute]) => [name, attributeType(attribute)]));
}

export const schemaType = (schema: Schema): { readonly object: Readonly<Record<string, AttributeType>> } => ({
  object: attributesType(schema.attributes),
});

/** A default makes an optional attribute computed for core: the plan may then differ from a null configuration. */
export const isComputed = (attribute: Attribute): boolean => attribute.computed === true || attribute.default !== undefined;
