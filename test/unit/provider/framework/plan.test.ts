// Single cases. Core's laws on random schemas are in ../protocol/laws.test.ts.
import { describe, expect, it } from "vitest";
import { fillDefaults, proposePlan, replacedBy } from "../../../../provider/framework/plan.js";
import type { Attribute, Schema } from "../../../../provider/framework/schema.js";
import { isUnknown, type ObjectValue, unknown, type Value } from "../../../../provider/framework/value.js";

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
    const by = (config: ObjectValue) => replacedBy(schema, prior, proposePlan(schema, config, prior), config);
    expect(by({ name: "b" })).toEqual(["name"]);
    expect(by({ name: "a", note: "x" })).toEqual([]);
    expect(by({ name: unknown })).toEqual(["name"]);
  });
});

describe("nested objects", () => {
  const rules = (mode: "list" | "set" | "map", rest: Partial<Attribute> = {}): Schema =>
    schemaOf({
      note: string({ optional: true }),
      rules: {
        optional: true,
        description: "",
        nested: {
          mode,
          attributes: {
            port: { type: "number", required: true, description: "" },
            proto: string({ default: "tcp" }),
            id: string({ computed: true }),
          },
        },
        ...rest,
      } as Attribute,
    });

  it("of a set keep what was computed, whatever the order", () => {
    const prior: ObjectValue = {
      note: null,
      rules: [
        { port: 2, proto: "tcp", id: "b" },
        { port: 1, proto: "udp", id: "a" },
      ],
    };
    expect(proposePlan(rules("set"), { rules: [{ port: 1, proto: "udp" }, { port: 2 }] }, prior)).toBe(prior);
    const changed = proposePlan(rules("set"), { rules: [{ port: 1 }, { port: 2 }] }, prior).rules as readonly ObjectValue[];
    expect(changed.map((rule) => isUnknown(rule.id ?? null))).toEqual([true, true]);
  });

  it("of a default are taken as they are", () => {
    const schema = rules("list", { default: [{ port: 1, proto: "udp" }] });
    const plan = proposePlan(schema, { rules: null }, null);
    expect(plan.rules).toMatchObject([{ port: 1, proto: "udp" }]);
    expect(proposePlan(schema, { rules: null }, settle(plan) as ObjectValue)).toEqual(settle(plan));
  });

  it("replace when the configuration changes them, not when only something computed in them will", () => {
    const schema = rules("map", { change: "replace" });
    const prior: ObjectValue = { note: null, rules: { a: { port: 1, proto: "tcp", id: "r" } } };
    const by = (config: ObjectValue) => replacedBy(schema, prior, proposePlan(schema, config, prior), config);
    expect(by({ note: "new", rules: { a: { port: 1 } } })).toEqual([]);
    expect(by({ note: "new", rules: { a: { port: 2 } } })).toEqual(["rules"]);
    expect(by({ note: null, rules: { a: { port: unknown } } })).toEqual(["rules"]);
  });
});

describe("a replacement that is not certain yet", () => {
  it("is asked for at once, because core forgives no update that becomes one", () => {
    const schema = schemaOf({ zone: string({ default: "a", change: "replace" }), id: string({ computed: true, change: "replace" }) });
    const prior = { zone: "a", id: "1" };
    const config = { zone: unknown };
    expect(replacedBy(schema, prior, proposePlan(schema, config, prior), config)).toEqual(["zone"]);
  });
});

describe("fillDefaults", () => {
  it("fills defaults at every level", () => {
    const nested = schemaOf({
      rules: { optional: true, description: "", nested: { mode: "map", attributes: { proto: string({ default: "tcp" }) } } },
    });
    expect(fillDefaults(nested.attributes, { rules: { a: { proto: null } } })).toEqual({ rules: { a: { proto: "tcp" } } });
  });
});
