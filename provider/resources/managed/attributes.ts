// cluster.schema.json as attributes of a Terraform resource: one source for both faces of the kit.
import { clusterSchema, follow, isMap, memberOf, type SchemaNode } from "../../../constructs/spec/schema.js";
import type { Attribute, AttributeType, ChangeEffect } from "../../framework/schema.js";

/** What opens something: Terraform shows none of these. */
const secrets: readonly string[] = ["passphrase", "access_key_id", "secret_access_key"];

/** `but`: names that are a resource of their own, or nothing on this face. */
export function attributesOf(node: SchemaNode, but: readonly string[] = []): Readonly<Record<string, Attribute>> {
  const entries = Object.entries(node.properties ?? {}).filter(([name]) => !but.includes(name));
  return Object.fromEntries(entries.map(([name, member]) => [name, attributeOf(name, member, node.required?.includes(name) ?? false)]));
}

function attributeOf(name: string, given: SchemaNode, required: boolean): Attribute {
  const node = follow(given);
  // a default that the schema gives as a plain value is shown in the plan; what follows from other fields is not
  const fallback = isScalar(node.default) && !required ? { default: node.default } : {};
  const common = {
    description: describe(node),
    ...(required ? { required } : { optional: true }),
    ...(secrets.includes(name) ? { sensitive: true } : {}),
    change: effectOf(node),
  };
  const items = node.items && follow(node.items);
  if (node.type === "array" && items?.properties) return { ...common, nested: { mode: "list", attributes: attributesOf(items) } };
  if (node.type === "object" && isMap(node)) {
    const member = memberOf(node, "") ?? {};
    if (member.properties) return { ...common, nested: { mode: "map", attributes: attributesOf(member) } };
    return { ...common, type: { map: scalarOf(member) } };
  }
  if (node.type === "object") return { ...common, nested: { mode: "single", attributes: attributesOf(node) } };
  if (node.type === "array") return { ...common, type: { list: scalarOf(items ?? {}) } };
  return { ...common, ...fallback, type: scalarOf(node) };
}

function scalarOf(node: SchemaNode): AttributeType {
  if (node.enum) return typeof node.enum[0] === "number" ? "number" : "string";
  if (node.type === "integer") return "number";
  if (node.type === "boolean") return "bool";
  if (node.type === "string") return "string";
  throw new TypeError(`cluster.schema.json has a type that no attribute has: ${JSON.stringify(node.type)}`);
}

const isScalar = (value: unknown): value is string | number | boolean => ["string", "number", "boolean"].includes(typeof value);

/** A living cluster keeps what a stack of constructs would make anew; only the plan of honest_cluster replaces. */
const effectOf = (node: SchemaNode): ChangeEffect => (node["x-change"] === "roll" ? "roll" : "in place");

function describe(node: SchemaNode): string {
  const allowed = node["x-allowed"] ?? node.enum?.map((value) => JSON.stringify(value)).join(", ");
  return [
    node.description ?? "",
    node["x-default"] === undefined ? "" : `Default: ${node["x-default"]}.`,
    allowed === undefined ? "" : `Allowed: ${allowed}.`,
    node["x-change"] === "replace" ? "Cannot be changed while the cluster lives." : "",
  ]
    .filter(Boolean)
    .join(" ");
}

/** What honest_cluster takes: the spec without its groups, which are honest_node_group. */
export const clusterInputs = attributesOf(clusterSchema, ["node_groups"]);

export const nodeGroupSchema: SchemaNode = follow({ $ref: "#/$defs/node_group" });
export const nodeGroupInputs = attributesOf(nodeGroupSchema);
