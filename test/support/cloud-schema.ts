// The vendors' resource schemas (names and types only), in one form: extracts come from provider binaries and, for AWS, from
// published bindings. more.json holds what an extract lost and what the provider's documentation has beyond it, with the reason.
import { readFileSync } from "node:fs";
import { type Arg, isRef, isText, type VendorResource } from "../../constructs/iaas/resource.js";

export type CloudName = "aws" | "k2" | "hcloud" | "openstack";
export type SchemaType = string | readonly [string, SchemaType] | readonly ["object", Readonly<Record<string, SchemaType>>];

export interface CloudAttribute {
  /** null: the extract does not say. */
  readonly type: SchemaType | null;
  readonly required: boolean;
  readonly optional: boolean;
  readonly computed: boolean;
}

export interface NestedBlock {
  readonly nesting: string;
  readonly required: boolean;
  readonly max: number | null;
  readonly block: CloudBlock;
}

export interface CloudBlock {
  readonly attributes: Readonly<Record<string, CloudAttribute>>;
  readonly blocks: Readonly<Record<string, NestedBlock>>;
}

export interface CloudSchema {
  /** "hashicorp/aws" */
  readonly source: string;
  readonly resources: Readonly<Record<string, CloudBlock>>;
}

type Json = Readonly<Record<string, unknown>>;
type Table = Readonly<Record<string, Json>>;

const file = (name: string): Json => JSON.parse(readFileSync(new URL(`./schemas/${name}.json`, import.meta.url), "utf8")) as Json;

function attribute(of: Json): CloudAttribute {
  const flag = (name: string): boolean => of[name] === true;
  return {
    type: (of.type as SchemaType | undefined) ?? null,
    required: flag("required"),
    optional: flag("optional"),
    computed: flag("computed"),
  };
}

function block(of: Json): CloudBlock {
  const attributes = Object.entries((of.attributes ?? {}) as Table).map(([name, a]) => [name, attribute(a)] as const);
  const onlyComputed = ((of.computed ?? []) as readonly string[]).map(
    (name) => [name, { type: null, required: false, optional: false, computed: true }] as const,
  );
  const blocks = Object.entries((of.block_types ?? of.blocks ?? {}) as Table).map(([name, b]) => [name, nested(b)] as const);
  return { attributes: Object.fromEntries([...onlyComputed, ...attributes]), blocks: Object.fromEntries(blocks) };
}

function nested(of: Json): NestedBlock {
  const nesting = String(of.nesting_mode ?? of.nesting);
  return {
    nesting,
    required: of.required === true || Number(of.min_items ?? 0) > 0,
    max: nesting === "single" ? 1 : ((of.max_items as number | undefined) ?? null),
    block: block(of.block as Json),
  };
}

function merge(known: CloudBlock | undefined, more: CloudBlock): CloudBlock {
  if (known === undefined) return more;
  const blocks = Object.entries(more.blocks).map(([name, add]) => {
    const had = known.blocks[name];
    return [name, had ? { ...had, block: merge(had.block, add.block) } : add] as const;
  });
  return { attributes: { ...known.attributes, ...more.attributes }, blocks: { ...known.blocks, ...Object.fromEntries(blocks) } };
}

export function cloudSchema(cloud: CloudName): CloudSchema {
  const read = file(cloud);
  const more = ((file("more")[cloud] as Json | undefined)?.resources ?? {}) as Table;
  const resources = Object.fromEntries(
    Object.entries(read.resources as Table).map(([type, of]) => [type, block((of.block ?? of) as Json)]),
  );
  const added = Object.entries(more).map(([type, of]) => [type, merge(resources[type], block(of))] as const);
  return { source: String(read.provider).split("/").slice(1).join("/"), resources: { ...resources, ...Object.fromEntries(added) } };
}

/** What the schema has against a resource's arguments, a sentence each: unknown names, missing ones, wrong types. */
export function argumentProblems({ resources }: CloudSchema, resource: VendorResource): readonly string[] {
  const of = resources[resource.type];
  if (of === undefined) return [`${resource.type}: no such resource`];
  return blockProblems(of, resource.args, resource.type);
}

function blockProblems(of: CloudBlock, args: Readonly<Record<string, Arg>>, at: string): readonly string[] {
  const missing = [
    ...Object.entries(of.attributes).flatMap(([name, a]) => (a.required && (args[name] ?? null) === null ? [name] : [])),
    ...Object.entries(of.blocks).flatMap(([name, b]) => (b.required && args[name] === undefined ? [name] : [])),
  ];
  return [
    ...missing.map((name) => `${at}: lacks ${name}`),
    ...Object.entries(args).flatMap(([name, value]) => {
      const where = `${at}.${name}`;
      const known = of.attributes[name];
      if (known) return known.required || known.optional ? valueProblems(known.type, value, where) : [`${where}: is the vendor's to set`];
      const inner = of.blocks[name];
      if (inner) return nestedProblems(inner, value, where);
      return [`${where}: no such argument`];
    }),
  ];
}

function nestedProblems(of: NestedBlock, value: Arg, at: string): readonly string[] {
  if (!Array.isArray(value)) return [`${at}: a block is written as a list`];
  const items = value as readonly Readonly<Record<string, Arg>>[];
  return [
    ...(of.max !== null && items.length > of.max ? [`${at}: ${items.length} of at most ${of.max}`] : []),
    ...items.flatMap((item, n) => blockProblems(of.block, item, `${at}[${n}]`)),
  ];
}

function valueProblems(type: SchemaType | null, value: Arg, at: string): readonly string[] {
  // A reference to a single value; which type its target has is what the plan against the stand-in shows.
  if (type === null || value === null) return [];
  if (isText(value)) return type === "string" ? [] : [`${at}: a text where ${JSON.stringify(type)} is due`];
  if (isRef(value)) return typeof type === "string" ? [] : [`${at}: one reference where ${JSON.stringify(type)} is due`];
  const wrong = [`${at}: ${JSON.stringify(value)} is no ${JSON.stringify(type)}`];
  if (type === "string") return typeof value === "string" ? [] : wrong;
  if (type === "number") return typeof value === "number" ? [] : wrong;
  if (type === "bool") return typeof value === "boolean" ? [] : wrong;
  const [kind, of] = type as readonly [string, SchemaType];
  if (kind === "map") {
    if (typeof value !== "object" || Array.isArray(value)) return wrong;
    return Object.entries(value as Readonly<Record<string, Arg>>).flatMap(([key, item]) => valueProblems(of, item, `${at}.${key}`));
  }
  if (kind === "object") return typeof value === "object" && !Array.isArray(value) ? [] : wrong;
  return Array.isArray(value) ? (value as readonly Arg[]).flatMap((item, n) => valueProblems(of, item, `${at}[${n}]`)) : wrong;
}
