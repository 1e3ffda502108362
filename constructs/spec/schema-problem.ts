// ajv's errors as problems of ours: stable codes, and words that say what is allowed.
import type { ErrorObject } from "ajv";
import { laterFeature } from "./later.js";
import type { Problem } from "./problem.js";
import { clusterSchema, memberOf, type SchemaNode } from "./schema.js";

type Path = readonly (string | number)[];

/** "/node_groups/a/taint/0" → ["node_groups", "a", "taint", 0]; numbers only where the schema has a list. */
export function pathOf(pointer: string): Path {
  let node: SchemaNode | undefined = clusterSchema;
  return pointer
    .split("/")
    .slice(1)
    .map((part) => {
      const text = part.replace(/~1/g, "/").replace(/~0/g, "~");
      const key: string | number = node?.type === "array" ? Number(text) : text;
      node = node && memberOf(node, key);
      return key;
    });
}

/** Letters to change to get from one to the other; for "did you mean". */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

const squeeze = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");

export function nearest(name: string, names: readonly string[]): string | undefined {
  const [best] = names.map((known) => ({ known, away: distance(squeeze(name), squeeze(known)) })).sort((a, b) => a.away - b.away);
  return best && best.away <= Math.max(1, Math.floor(best.known.length / 4)) ? best.known : undefined;
}

function unknownField(path: Path, names: readonly string[]): Problem {
  const feature = laterFeature(path);
  if (feature !== undefined)
    return { code: "field.later", path, message: `not supported by this version: ${feature}`, allowed: names.join(", ") || "nothing" };
  const meant = nearest(String(path.at(-1)), names);
  return {
    code: "field.unknown",
    path,
    message: "no such field",
    allowed: names.join(", ") || "nothing",
    ...(meant === undefined ? {} : { fix: `write ${meant}` }),
  };
}

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`;

export function problemOf(error: ErrorObject): Problem | null {
  const path = pathOf(error.instancePath);
  const node = (error.parentSchema ?? {}) as SchemaNode;
  const params = error.params as Readonly<Record<string, unknown>>;
  const got = error.data;
  const allowed = node["x-allowed"];
  switch (error.keyword) {
    case "additionalProperties":
      return unknownField([...path, String(params.additionalProperty)], Object.keys(node.properties ?? {}));
    case "required":
      return { code: "field.missing", path: [...path, String(params.missingProperty)], message: "is required" };
    case "enum":
      return {
        code: "field.value",
        path,
        message: "is not one of the allowed values",
        got,
        allowed: (node.enum ?? []).map(show).join(", "),
      };
    case "pattern":
      // For a name of a group or flag, ajv reports the name's pattern and then propertyNames: one problem, at the name.
      if (error.propertyName !== undefined)
        return {
          code: "name.invalid",
          path: [...path, error.propertyName],
          message: "is not a name",
          got: error.propertyName,
          allowed: allowed ?? "",
        };
      if (node["x-what"] !== undefined)
        return { code: "field.format", path, message: `is not ${node["x-what"]}`, got, allowed: allowed ?? "" };
      return {
        code: path.at(-1) === "name" || allowed ? "name.invalid" : "field.format",
        path,
        message: "is not a name",
        got,
        allowed: allowed ?? "",
      };
    case "propertyNames":
      return null;
    case "type":
      return { code: "field.type", path, message: `must be ${article(String(params.type))}`, got };
    case "minimum":
    case "maximum":
      return {
        code: "field.range",
        path,
        message: "is out of range",
        got,
        allowed: `${String(params.comparison)} ${String(params.limit)}`,
      };
    case "minItems":
    case "maxItems":
      return {
        code: "field.range",
        path,
        message: "has a wrong number of elements",
        allowed: `${error.keyword === "minItems" ? "at least" : "at most"} ${count(Number(params.limit), "element")}`,
      };
    case "minLength":
      return { code: "field.range", path, message: "must not be empty" };
    case "uniqueItems":
      return { code: "field.duplicate", path, message: "has an element twice", got };
    case "minProperties":
    case "maxProperties":
      return {
        code: "iaas.one",
        path,
        message: "names no cloud or more than one",
        got: Object.keys((got ?? {}) as object),
        allowed: allowed ?? "",
      };
    default:
      return { code: "field.invalid", path, message: error.message ?? "is invalid", got };
  }
}

const show = (value: unknown): string => (typeof value === "string" ? `"${value}"` : String(value));
const article = (type: string): string =>
  ({ integer: "a whole number", array: "a list", object: "an object", string: "a text", boolean: "true or false" })[type] ?? `a ${type}`;
