// Core's two laws on random schemas: a planned value equals the configuration, or the prior value, or is computed and left
// out by the configuration; and a second plan after an apply changes nothing.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { equalValues } from "../../../../provider/framework/equal.js";
import { fillDefaults, proposePlan, replacedBy } from "../../../../provider/framework/plan.js";
import type { Attribute, Schema } from "../../../../provider/framework/schema.js";
import { hasUnknown, isUnknown, type ObjectValue, unknown, type Value } from "../../../../provider/framework/value.js";

const schemaOf = (attributes: Readonly<Record<string, Attribute>>): Schema => ({ version: 0, description: "", attributes });
const string = (rest: Partial<Attribute> = {}): Attribute => ({ type: "string", description: "", ...rest }) as Attribute;

const schema = schemaOf({
  name: string({ required: true, change: "replace" }),
  size: { type: "number", default: 1, description: "" },
  note: string({ optional: true }),
  secret: string({ optional: true, writeOnly: true }),
  id: string({ computed: true }),
  rules: {
    optional: true,
    description: "",
    nested: { mode: "list", attributes: { port: { type: "number", required: true, description: "" }, rule: string({ computed: true }) } },
  },
});
const made = (config: ObjectValue): ObjectValue => settle(proposePlan(schema, config, null)) as ObjectValue;
/** What an apply makes of a plan. */
function settle(value: Value): Value {
  if (isUnknown(value)) return "made";
  if (Array.isArray(value)) return value.map((item) => settle(item as Value));
  if (value !== null && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, settle(v)]));
  return value;
}

describe("proposePlan", () => {
  it("fills defaults and leaves computed values unknown at a create", () => {
    const plan = proposePlan(schema, { name: "a" }, null);
    expect(plan).toMatchObject({ name: "a", size: 1, note: null });
    expect(isUnknown(plan.id ?? null)).toBe(true);
  });

  it("is the prior state itself when nothing changed", () => {
    const prior = made({ name: "a", rules: [{ port: 1 }] });
    expect(proposePlan(schema, { name: "a", rules: [{ port: 1 }] }, prior)).toBe(prior);
  });

  it("marks computed values unknown as soon as something changed", () => {
    const plan = proposePlan(schema, { name: "a", note: "new" }, made({ name: "a" }));
    expect(isUnknown(plan.id ?? null)).toBe(true);
  });

  it("never keeps a write-only value", () => {
    expect(proposePlan(schema, { name: "a", secret: "s" }, null).secret).toBeNull();
  });

  it("keeps an unknown of the configuration unknown", () => {
    expect(isUnknown(proposePlan(schema, { name: unknown }, null).name ?? null)).toBe(true);
  });
});

describe("replacedBy", () => {
  it("names what forces a replacement", () => {
    const prior = made({ name: "a" });
    expect(replacedBy(schema, prior, proposePlan(schema, { name: "b" }, prior))).toEqual(["name"]);
    expect(replacedBy(schema, prior, proposePlan(schema, { name: "a", note: "x" }, prior))).toEqual([]);
    expect(replacedBy(schema, prior, proposePlan(schema, { name: unknown }, prior))).toEqual(["name"]);
    expect(replacedBy(schema, null, proposePlan(schema, { name: "b" }, null))).toEqual([]);
  });
});

const leaf = fc.constantFrom<Partial<Attribute>>(
  { required: true },
  { optional: true },
  { optional: true, computed: true },
  { computed: true },
  { default: "d" },
);
const attributes = fc.dictionary(
  fc.stringMatching(/^[a-z]{1,4}$/),
  leaf.map((rest) => string(rest)),
  { maxKeys: 5 },
);
const nestedModes = fc.constantFrom("single", "list", "map", "set");
/** Objects of a set are told apart by what the configuration decides, so nothing in them may be both given and computed. */
const tellApart = (mode: string, inner: Readonly<Record<string, Attribute>>): Readonly<Record<string, Attribute>> =>
  mode === "set" ? Object.fromEntries(Object.entries(inner).filter(([, a]) => !(a.optional && a.computed))) : inner;
const schemas = fc
  .tuple(attributes, fc.dictionary(fc.stringMatching(/^n[a-z]{1,3}$/), fc.tuple(nestedModes, attributes), { maxKeys: 2 }))
  .map(([plain, nested]) =>
    schemaOf({
      ...plain,
      ...Object.fromEntries(
        Object.entries(nested).map(([name, [mode, inner]]) => [
          name,
          { optional: true, description: "", nested: { mode: mode as "single", attributes: tellApart(mode, inner) } } satisfies Attribute,
        ]),
      ),
    }),
  );

const text = fc.constantFrom("x", "y", "z");
function configOf(from: Readonly<Record<string, Attribute>>): fc.Arbitrary<ObjectValue> {
  return fc.record(
    Object.fromEntries(
      Object.entries(from).map(([name, attribute]): [string, fc.Arbitrary<Value>] => {
        if (attribute.nested) {
          const inner = configOf(attribute.nested.attributes);
          const { mode } = attribute.nested;
          const some: fc.Arbitrary<Value> =
            mode === "single" ? inner : mode === "map" ? fc.dictionary(text, inner, { maxKeys: 2 }) : fc.array(inner, { maxLength: 2 });
          return [name, fc.oneof(fc.constant(null), some)];
        }
        if (attribute.computed && !attribute.optional) return [name, fc.constant(null)];
        return [name, attribute.required ? text : fc.oneof(fc.constant<Value>(null), text)];
      }),
    ),
  );
}

/** Core's check of a plan, attribute by attribute. */
function lawful(attrs: Readonly<Record<string, Attribute>>, config: ObjectValue, prior: ObjectValue | null, planned: ObjectValue): boolean {
  return Object.entries(attrs).every(([name, attribute]) => {
    const c = config[name] ?? null;
    const p = planned[name] ?? null;
    const before = prior ? (prior[name] ?? null) : null;
    if (equalValues(p, c)) return true;
    if (before !== null && c !== null && equalValues(p, before)) return true;
    if ((attribute.computed || attribute.default !== undefined) && c === null) return true;
    if (!attribute.nested || c === null || p === null) return false;
    const inner = attribute.nested.attributes;
    if (attribute.nested.mode === "single") return lawful(inner, c as ObjectValue, null, p as ObjectValue);
    const pairs = Object.keys(c as object).map((key) => [(c as Record<string, Value>)[key], (p as Record<string, Value>)[key]] as const);
    return pairs.every(([ci, pi]) => ci !== undefined && pi !== undefined && lawful(inner, ci as ObjectValue, null, pi as ObjectValue));
  });
}

describe("core's laws", () => {
  it("hold for random schemas, configurations and prior states", () => {
    fc.assert(
      fc.property(
        schemas.chain((s) => fc.tuple(fc.constant(s), configOf(s.attributes), configOf(s.attributes))),
        ([s, first, second]) => {
          const plan = proposePlan(s, first, null);
          expect(lawful(s.attributes, first, null, plan)).toBe(true);
          const state = settle(plan) as ObjectValue;
          expect(hasUnknown(state)).toBe(false);
          // the same configuration again: nothing to do
          expect(equalValues(proposePlan(s, first, state), state)).toBe(true);
          const next = proposePlan(s, second, state);
          expect(lawful(s.attributes, second, state, next)).toBe(true);
          // core asks again in the apply walk: the same question has the same answer
          expect(equalValues(proposePlan(s, second, state), next)).toBe(true);
          const after = settle(next) as ObjectValue;
          expect(equalValues(proposePlan(s, second, after), after)).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("fills defaults at every level", () => {
    const nested = schemaOf({
      rules: { optional: true, description: "", nested: { mode: "map", attributes: { proto: string({ default: "tcp" }) } } },
    });
    expect(fillDefaults(nested.attributes, { rules: { a: { proto: null } } })).toEqual({ rules: { a: { proto: "tcp" } } });
  });
});
