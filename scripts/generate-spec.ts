// Writes constructs/spec/gen/spec.ts from constructs/spec/cluster.schema.json: three trees of types from one schema.
//   …Input  what a user may write, snake_case (HCL, JSON)      …Props  the same in camelCase (TypeScript)
//   …Spec   what parse() returns: every default filled in, what may be left out and has no default is null
// With --check nothing is written; the exit code says whether the file is up to date.
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

const folder = resolve(import.meta.dirname, "../constructs/spec");
const target = resolve(folder, "gen/spec.ts");

interface Schema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly default?: unknown;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly "x-default"?: string;
  readonly "x-change"?: string;
}
type Flavour = "Input" | "Props" | "Spec";

const root = JSON.parse(readFileSync(resolve(folder, "cluster.schema.json"), "utf8")) as Schema;
const pascal = (name: string): string => name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

function follow(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const found = root.$defs?.[schema.$ref.replace("#/$defs/", "")];
  if (!found) throw new Error(`no ${schema.$ref}`);
  return found;
}

function docs(schema: Schema, indent: string): string {
  const lines = schema.description ? [schema.description] : [];
  if (schema["x-default"] !== undefined) lines.push(`@default - ${schema["x-default"]}`);
  else if (schema.default !== undefined && !isEmpty(schema.default)) lines.push(`@default ${JSON.stringify(schema.default)}`);
  if (schema["x-change"] !== undefined) lines.push(`Effect of a change: ${schema["x-change"]}.`);
  if (lines.length === 0) return "";
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join("")}${indent} */\n`;
}

const isEmpty = (value: unknown): boolean => typeof value === "object" && value !== null && Object.keys(value).length === 0;

/** The type's text; interfaces that it needs are added to `made`. */
function typeOf(given: Schema, name: string, flavour: Flavour, made: Map<string, string>): string {
  const schema = follow(given);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  switch (schema.type) {
    case "string":
      return "string";
    case "integer":
      return "number";
    case "boolean":
      return "boolean";
    case "array": {
      const item = typeOf(schema.items ?? {}, name, flavour, made);
      return item.includes(" | ") ? `readonly (${item})[]` : `readonly ${item}[]`;
    }
    case "object":
      if (typeof schema.additionalProperties === "object")
        return `Readonly<Record<string, ${typeOf(schema.additionalProperties, name, flavour, made)}>>`;
      if (!schema.properties || isEmpty(schema.properties)) return "Readonly<Record<string, never>>";
      return interfaceOf(schema, schema.title ?? pascal(name), flavour, made);
    default:
      throw new Error(`${name}: a type that the generator does not know`);
  }
}

function interfaceOf(schema: Schema, base: string, flavour: Flavour, made: Map<string, string>): string {
  const name = `${base}${flavour}`;
  if (made.has(name)) return name;
  made.set(name, "");
  const members = Object.entries(schema.properties ?? {}).map(([key, member]) => {
    const full = follow(member);
    const type = typeOf(member, key, flavour, made);
    const must = schema.required?.includes(key) ?? false;
    const filled = must || full.default !== undefined || full["x-default"] !== undefined;
    const text = docs(full, "  ");
    // A cluster's name is the construct's id where none is given.
    const optional = !must || (flavour === "Props" && base === "Cluster" && key === "name");
    if (flavour === "Spec") return `${text}  readonly ${key}: ${filled ? type : `${type} | null`};`;
    return `${text}  readonly ${flavour === "Props" ? camel(key) : key}${optional ? "?" : ""}: ${type}${optional ? " | undefined" : ""};`;
  });
  made.set(name, `${docs(schema, "")}export interface ${name} {\n${members.join("\n")}\n}\n`);
  return name;
}

function generate(): string {
  const parts = (["Props", "Input", "Spec"] as const).flatMap((flavour) => {
    const made = new Map<string, string>();
    interfaceOf(root, root.title ?? "Cluster", flavour, made);
    return [...made.values()];
  });
  return `// Generated from cluster.schema.json by scripts/generate-spec.ts. Do not edit.\n\n${parts.join("\n")}`;
}

const text = generate();
if (!process.argv.includes("--check")) writeFileSync(target, text);
else if (readFileSync(target, "utf8") !== text) {
  console.error("constructs/spec/gen/spec.ts is not up to date. Run: npx tsx scripts/generate-spec.ts");
  process.exitCode = 1;
}
