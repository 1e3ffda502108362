// Random schemas, and configurations that fit them, with unknowns that become known later.
import fc from "fast-check";
import type { Attribute, AttributeType, Schema } from "../../provider/framework/schema.js";
import { BigDecimal, type ObjectValue, unknown, type Value } from "../../provider/framework/value.js";

const roles = fc.constantFrom<Partial<Attribute>>(
  { required: true },
  { required: true, change: "replace" },
  { optional: true },
  { optional: true, change: "replace" },
  { optional: true, change: "replace" },
  { optional: true, sensitive: true },
  { optional: true, writeOnly: true },
  { optional: true, computed: true },
  { computed: true },
);
const types = fc.constantFrom<AttributeType>(
  "string",
  "number",
  "bool",
  { list: "string" },
  { set: "string" },
  { map: "number" },
  { object: { a: "string", b: { list: "bool" } } },
);
const defaults: Readonly<Record<string, Value>> = { string: "d", number: 7, bool: true };

const leaf: fc.Arbitrary<Attribute> = fc.tuple(types, roles, fc.boolean()).map(([type, role, filled]) => {
  const given = typeof type === "string" && filled && role.optional && !role.computed && !role.writeOnly ? { default: defaults[type] } : {};
  return { type, description: "", ...role, ...given } as Attribute;
});
const names = fc.constantFrom("a", "b", "c", "d", "e", "__proto__x", "id");

const nestedOf = (inner: fc.Arbitrary<Attribute>, depth: number): fc.Arbitrary<Attribute> =>
  fc
    .tuple(
      fc.constantFrom<"single" | "list" | "set" | "map">("single", "list", "set", "map"),
      fc.dictionary(
        names,
        depth > 0 ? fc.oneof({ weight: 3, arbitrary: inner }, { weight: 1, arbitrary: nestedOf(inner, depth - 1) }) : inner,
        {
          minKeys: 1,
          maxKeys: 3,
        },
      ),
      fc.constantFrom<Partial<Attribute>>(
        { required: true },
        { optional: true },
        { optional: true, computed: true },
        { optional: true, change: "replace" },
      ),
    )
    .map(
      ([mode, attributes, role]) =>
        ({ description: "", nested: { mode, attributes: plainInSets(mode, attributes) }, ...role }) as Attribute,
    );

/** Core refuses a schema with write-only attributes inside a set. */
function plainInSets(mode: string, attributes: Readonly<Record<string, Attribute>>): Readonly<Record<string, Attribute>> {
  const clean = (attribute: Attribute): Attribute => {
    const { writeOnly, ...rest } = attribute;
    if (!rest.nested) return rest as Attribute;
    return { ...rest, nested: { ...rest.nested, attributes: plainInSets("set", rest.nested.attributes) } } as Attribute;
  };
  return mode === "set" ? Object.fromEntries(Object.entries(attributes).map(([name, attribute]) => [name, clean(attribute)])) : attributes;
}

export const arbitrarySchema: fc.Arbitrary<Schema> = fc
  .dictionary(names, fc.oneof({ weight: 3, arbitrary: leaf }, { weight: 2, arbitrary: nestedOf(leaf, 1) }), { maxKeys: 6 })
  .map((attributes) => ({ version: 0, description: "", attributes }));

/** A configuration as core sends it at plan, and as it turns out at apply. */
export interface Config {
  readonly first: Value;
  readonly final: Value;
}

const texts = fc.constantFrom("x", "y", "é", "");
const numbers = fc.constantFrom<Value>(0, -1, 0.1, 2 ** 40, new BigDecimal("12345678901234567890.125"));

function configured(type: AttributeType): fc.Arbitrary<Config> {
  const known = (arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Config> => arbitrary.map((final) => ({ first: final, final }));
  const late = (arbitrary: fc.Arbitrary<Config>): fc.Arbitrary<Config> =>
    fc.oneof({ weight: 6, arbitrary }, { weight: 1, arbitrary: arbitrary.map(({ final }) => ({ first: unknown, final })) });
  if (type === "number") return late(known(numbers));
  if (type === "bool") return late(known(fc.boolean()));
  if (typeof type === "string") return late(known(texts));
  if ("list" in type) return late(fc.array(configured(type.list), { maxLength: 2 }).map(list));
  // an unknown inside makes core send the whole set as unknown
  if ("set" in type)
    return late(
      fc
        .uniqueArray(
          configured(type.set).map((v) => v.final),
          { maxLength: 2, comparator: "SameValue" },
        )
        .map((v) => ({ first: v, final: v })),
    );
  if ("map" in type) return late(fc.dictionary(texts, configured(type.map), { maxKeys: 2 }).map(record));
  return late(fc.record(Object.fromEntries(Object.entries(type.object).map(([name, inner]) => [name, configured(inner)]))).map(record));
}

const list = (items: readonly Config[]): Config => ({ first: items.map((i) => i.first), final: items.map((i) => i.final) });
const record = (items: Readonly<Record<string, Config>>): Config => {
  const pick = (side: keyof Config): ObjectValue => Object.fromEntries(Object.entries(items).map(([key, item]) => [key, item[side]]));
  return { first: pick("first"), final: pick("final") };
};
const absent: Config = { first: null, final: null };

export function arbitraryConfig(attributes: Readonly<Record<string, Attribute>>): fc.Arbitrary<Config> {
  return fc.record(Object.fromEntries(Object.entries(attributes).map(([name, a]) => [name, attributeConfig(a)]))).map(record);
}

function attributeConfig(attribute: Attribute): fc.Arbitrary<Config> {
  if (attribute.computed && !attribute.optional) return fc.constant(absent);
  const given = attribute.nested ? nestedConfig(attribute.nested) : configured(attribute.type);
  return attribute.required ? given : fc.oneof(fc.constant(absent), given);
}

function nestedConfig({ mode, attributes }: NonNullable<Attribute["nested"]>): fc.Arbitrary<Config> {
  const object = arbitraryConfig(attributes);
  if (mode === "single") return object;
  if (mode === "map") return fc.dictionary(texts, object, { maxKeys: 2 }).map(record);
  if (mode === "list") return fc.array(object, { maxLength: 2 }).map(list);
  // elements of a set are told apart by their value, and one that is partly unknown makes no promise to be another
  const different = (a: Config, b: Config): boolean => JSON.stringify(a.final) === JSON.stringify(b.final);
  return fc
    .uniqueArray(
      object.map(({ final }) => ({ first: final, final })),
      { maxLength: 2, comparator: different },
    )
    .map(list);
}

/** Mostly what was configured before: the same, the same in another order where there is none, not known yet, or other. */
export function arbitraryChange(attributes: Readonly<Record<string, Attribute>>, before: ObjectValue): fc.Arbitrary<Config> {
  const change = ([name, attribute]: [string, Attribute]): [string, fc.Arbitrary<Config>] => {
    const value = before[name] ?? null;
    const kept = unordered(attribute) && Array.isArray(value) ? [...value].reverse() : value;
    const late = value !== null && !attribute.nested ? unknown : kept;
    const choices: fc.WeightedArbitrary<Config>[] = [
      { weight: 5, arbitrary: fc.constant({ first: kept, final: kept }) },
      { weight: 1, arbitrary: fc.constant({ first: late, final: kept }) },
      { weight: 2, arbitrary: attributeConfig(attribute) },
    ];
    return [name, fc.oneof(...choices)];
  };
  return fc.record(Object.fromEntries(Object.entries(attributes).map(change))).map(record);
}

function unordered(attribute: Attribute): boolean {
  if (attribute.nested) return attribute.nested.mode === "set";
  return typeof attribute.type === "object" && "set" in attribute.type;
}
