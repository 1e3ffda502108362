// Writes the reference pages of the provider from its schemas, in the layout of the Terraform registry:
// docs/index.md, docs/resources/*.md, docs/ephemeral-resources/*.md. Examples come from examples/resources/NAME/.
// With --check nothing is written; the exit code says whether the pages are up to date.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Attribute, AttributeType, Schema } from "../provider/framework/schema.js";
import { loadProvider } from "../provider/provider.js";

const root = resolve(import.meta.dirname, "..");
const docs = join(root, "docs");

function typeName(type: AttributeType): string {
  if (typeof type === "string") return type;
  if ("list" in type) return `list(${typeName(type.list)})`;
  if ("set" in type) return `set(${typeName(type.set)})`;
  if ("map" in type) return `map(${typeName(type.map)})`;
  const fields = Object.entries(type.object).map(([name, of]) => `${name} = ${typeName(of)}`);
  return `object({${fields.join(", ")}})`;
}

const kindOf = (attribute: Attribute): string =>
  attribute.type !== undefined
    ? typeName(attribute.type)
    : attribute.nested.mode === "single"
      ? "object"
      : `${attribute.nested.mode} of objects`;

function line(name: string, attribute: Attribute, path: string): string {
  const marks = [
    kindOf(attribute),
    ...(attribute.sensitive ? ["sensitive"] : []),
    ...(attribute.writeOnly ? ["write-only"] : []),
    ...(attribute.deprecated ? ["deprecated"] : []),
  ];
  const fallback = attribute.default === undefined ? "" : ` Default: \`${JSON.stringify(attribute.default)}\`.`;
  const configurable = attribute.required || attribute.optional;
  const effect =
    !configurable || attribute.change === undefined || attribute.change === "in place" ? "" : ` **A change means: ${attribute.change}.**`;
  const nested = attribute.nested ? ` See [below](#${anchor(path)}).` : "";
  return `- \`${name}\` (${marks.join(", ")}) ${attribute.description.trim()}${fallback}${effect}${nested}`;
}

const anchor = (path: string): string => `nested--${path.replaceAll(".", "--")}`;

function attributes(of: Readonly<Record<string, Attribute>>, path: string): string[] {
  const rows = Object.entries(of).sort(([a], [b]) => (a < b ? -1 : 1));
  const groups: readonly (readonly [string, (attribute: Attribute) => boolean])[] = [
    ["Required", (a) => a.required === true],
    ["Optional", (a) => a.required !== true && a.optional === true],
    ["Read-only", (a) => a.required !== true && a.optional !== true],
  ];
  const parts: string[] = [];
  for (const [title, belongs] of groups) {
    const lines = rows.filter(([, a]) => belongs(a)).map(([name, a]) => line(name, a, path ? `${path}.${name}` : name));
    if (lines.length) parts.push(`${path ? "" : "### "}${title}${path ? ":" : ""}\n\n${lines.join("\n")}`);
  }
  for (const [name, attribute] of rows) {
    if (!attribute.nested) continue;
    const below = path ? `${path}.${name}` : name;
    parts.push(
      `<a id="${anchor(below)}"></a>\n\n### Nested: \`${below}\`\n\n${attributes(attribute.nested.attributes, below).join("\n\n")}`,
    );
  }
  return parts;
}

function example(kind: string, name: string, file: string): string {
  const path = join(root, "examples", kind, name, file);
  if (!existsSync(path)) throw new Error(`${path} is missing: every page has an example`);
  return `## Example\n\n\`\`\`terraform\n${readFileSync(path, "utf8").trim()}\n\`\`\``;
}

function page(title: string, schema: Schema, parts: readonly string[]): string {
  const heading = `---\npage_title: "${title}"\n---\n\n<!-- Written by scripts/generate-docs.ts from the schema; edit that. -->\n\n# ${title}`;
  const reference = ["## Schema", ...attributes(schema.attributes, "")].join("\n\n");
  return `${[heading, schema.description.trim(), ...parts, reference].join("\n\n")}\n`;
}

export async function pages(): Promise<ReadonlyMap<string, string>> {
  const provider = await loadProvider();
  const made = new Map<string, string>();
  made.set("index.md", page("honest provider", provider.schema, [example("provider", "", "provider.tf")]));
  for (const resource of provider.resources) {
    const notes = [example("resources", resource.name, "resource.tf")];
    const imports = join(root, "examples/resources", resource.name, "import.sh");
    if (resource.importState && existsSync(imports))
      notes.push(`## Import\n\n\`\`\`shell\n${readFileSync(imports, "utf8").trim()}\n\`\`\``);
    else if (!resource.importState) notes.push(`## Import\n\nNot possible. ${resource.importRefused ?? ""}`.trim());
    made.set(`resources/${resource.name.replace(/^honest_/, "")}.md`, page(resource.name, resource.schema, notes));
  }
  for (const { name, schema } of provider.ephemeralResources)
    made.set(
      `ephemeral-resources/${name.replace(/^honest_/, "")}.md`,
      page(name, schema, [example("ephemeral-resources", name, "ephemeral-resource.tf")]),
    );
  return made;
}

const check = process.argv.includes("--check");
const wanted = await pages();
const stale: string[] = [];
for (const [path, text] of wanted) {
  const file = join(docs, path);
  if (existsSync(file) && readFileSync(file, "utf8") === text) continue;
  stale.push(path);
  if (check) continue;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
for (const folder of ["resources", "ephemeral-resources"])
  for (const name of existsSync(join(docs, folder)) ? readdirSync(join(docs, folder)) : []) {
    if (wanted.has(`${folder}/${name}`)) continue;
    stale.push(`${folder}/${name}`);
    if (!check) rmSync(join(docs, folder, name));
  }
if (stale.length) console.log(`docs: ${check ? "not up to date" : "written"}: ${stale.join(", ")}`);
if (check && stale.length) process.exit(1);
