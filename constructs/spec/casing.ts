// TypeScript writes the spec's tree in camelCase. Only the schema's own names are changed: labels, flags and names of
// groups are the user's.
import type { Problem } from "./problem.js";
import { clusterSchema, follow, isMap, memberOf, type SchemaNode } from "./schema.js";

const camelOf = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The same tree with the schema's names. A name that the schema does not have stays, for parse() to refuse. */
export function fromCamel(value: unknown, node: SchemaNode = clusterSchema): unknown {
  if (Array.isArray(value)) return value.map((item) => (node.items ? fromCamel(item, follow(node.items)) : item));
  if (!isObject(value)) return value;
  if (isMap(node)) return mapEntries(value, (key, item) => [key, fromCamel(item, memberOf(node, key))]);
  const names = new Map(Object.keys(node.properties ?? {}).map((name) => [camelOf(name), name]));
  return mapEntries(value, (key, item) => {
    const name = names.get(key);
    if (name !== undefined) return [name, fromCamel(item, memberOf(node, name))];
    // snake_case is no name here: two spellings of one field would hide a typo.
    return [key.includes("_") && node.properties && Object.hasOwn(node.properties, key) ? `${key} (write ${camelOf(key)})` : key, item];
  });
}

/** A problem's path as the TypeScript user wrote it. */
export function inCamel(problem: Problem): Problem {
  let node: SchemaNode | undefined = clusterSchema;
  const path = problem.path.map((part) => {
    const here: SchemaNode | undefined = node;
    node = here && memberOf(here, part);
    const own = typeof part === "string" && here !== undefined && !isMap(here) && here.properties !== undefined;
    return own && Object.hasOwn(here.properties ?? {}, part) ? camelOf(String(part)) : part;
  });
  return { ...problem, path };
}

const mapEntries = (value: Readonly<Record<string, unknown>>, change: (key: string, item: unknown) => readonly [string, unknown]) =>
  Object.fromEntries(Object.entries(value).map(([key, item]) => change(key, item)));
