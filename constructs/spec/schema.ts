// cluster.schema.json as data for the code that walks it: casing, defaults, suggestions.
import json from "./cluster.schema.json" with { type: "json" };

export interface SchemaNode {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: boolean | SchemaNode;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
  readonly default?: unknown;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, SchemaNode>>;
  readonly "x-allowed"?: string;
  /** What a text with a pattern is, where it is no name: "a duration". */
  readonly "x-what"?: string;
  readonly "x-default"?: string;
  readonly "x-change"?: string;
}

export const clusterSchema: SchemaNode = json as SchemaNode;

export function follow(node: SchemaNode): SchemaNode {
  if (node.$ref === undefined) return node;
  const found = clusterSchema.$defs?.[node.$ref.replace("#/$defs/", "")];
  if (!found) throw new Error(`cluster.schema.json has no ${node.$ref}`);
  return found;
}

/** Schema of a member: a property, an element of a list (number) or a value of a map; undefined when there is none. */
export function memberOf(node: SchemaNode, key: string | number): SchemaNode | undefined {
  const own =
    typeof key === "number" ? node.items : node.properties && Object.hasOwn(node.properties, key) ? node.properties[key] : undefined;
  if (own) return follow(own);
  return typeof node.additionalProperties === "object" ? follow(node.additionalProperties) : undefined;
}

/** True when the keys of the object are the user's own (labels, names of groups), not the schema's. */
export const isMap = (node: SchemaNode): boolean => typeof node.additionalProperties === "object";
