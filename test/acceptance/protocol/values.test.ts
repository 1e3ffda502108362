// Values that general libraries lose on their way, through a real terraform and back, each followed by an empty plan.
import { describe, expect, it } from "vitest";
import { isUnknown } from "../../../provider/framework/value.js";
import { toyWorkspaces } from "../../support/toy-workspace.js";

const start = toyWorkspaces();

describe("values", () => {
  it.each([
    ["an integer beyond 64 bits", "size = 12345678901234567890"],
    ["a double whose shortest text is not all of it", "size = 18446744073709551616"],
    // Not here: a fraction of two with more than 17 digits, as 1 / 1024 / 1024 / 1024. Core 1.11 keeps such a plan as a double
    // and then finds every provider inconsistent, because it compares shortest texts of different precision.
    ["a fraction without end", "size = 1 / 3"],
    ["a large power of ten", "size = 1e300"],
    ["a negative number", "size = -0.1"],
    ["a set where anything goes", 'any = toset(["b", "a"])'],
    ["a typed map where anything goes", "any = tomap({ a = 1, b = 2 })"],
    ["a list of sets where anything goes", "any = { deep = [toset([1, 2])], none = null }"],
    ["text that is not in normal form", 'note = "e\\u0301"'],
    ["text that looks like a number", 'any = ["1e3", "0x10", "true"]'],
    ["an empty list, map and text", 'rules = []\ntags = {}\nnote = ""'],
  ])("carries %s", async (_, attributes) => {
    const { w, thing } = await start();
    thing(`name = "n"\n${attributes}`);
    await w.apply();
    await w.expectEmptyPlan();
    // and out of the state, which is JSON
    await w.run(["apply", "-refresh-only", "-auto-approve", "-no-color"]);
    await w.expectEmptyPlan();
  });

  it("keeps what core knows of values that are not there yet", async () => {
    let later = "";
    const { w, write } = await start({
      async validate({ config }) {
        if (config.name !== "one" && isUnknown(config.note ?? null)) later = "seen";
        return [];
      },
    });
    write(`
resource "toy_thing" "a" { name = "one" }
resource "toy_thing" "b" {
  name = "two"
  note = "prefix-\${toy_thing.a.id}"
  tags = { k = "prefix-\${toy_thing.a.id}", "prefix" = toy_thing.a.id }
  any  = { set = toset([toy_thing.a.id]), text = "prefix-\${toy_thing.a.id}", id = toy_thing.a.id }
}
resource "toy_thing" "c" {
  name = toy_thing.b.note
  any  = toy_thing.a.id
}
output "known" { value = startswith(toy_thing.b.note, "prefix-") }
`);
    const plan = await w.plan();
    expect(later).toBe("seen");
    expect(plan.text).toMatch(/known\s+= true/);
    await w.apply();
    await w.expectEmptyPlan();
  });

  it("never stores a write-only value, and gives it to create", async () => {
    let got: unknown;
    const { w, thing } = await start({
      async create({ planned, config }) {
        got = config.pass;
        return { state: { ...planned, id: "t-1", serial: 1 } };
      },
      read: async ({ state }) => ({ state }),
    });
    thing('name = "n"\npass = "s3cret-canary"');
    await w.apply();
    expect(got).toBe("s3cret-canary");
    await w.expectEmptyPlan();
    expect((await w.run(["state", "pull"])).stdout).not.toContain("s3cret-canary");
  });
});

describe("state of another version of the schema", () => {
  it("is upgraded, also when the version is the same and an attribute is new", async () => {
    const { w, toy } = await start();
    await w.apply();
    const [thing] = toy.provider.resources;
    if (!thing) throw new Error("no thing");
    const { schema } = thing;
    const fresh = { type: "string", optional: true, description: "New." } as const;
    Object.assign(thing, { schema: { ...schema, attributes: { ...schema.attributes, fresh } } });
    await w.expectEmptyPlan();

    Object.assign(thing, {
      schema: {
        ...schema,
        version: 2,
        attributes: { ...schema.attributes, length: { type: "number", default: 1, description: "Length." } },
      },
      upgrade: ({ size, ...state }: Record<string, unknown>, version: number) => ({ ...state, size, length: Number(size) * version }),
    });
    expect((await w.plan()).text).toMatch(/length\s+= 1/);
  });

  it("is refused when it is newer", async () => {
    const { w, toy } = await start();
    await w.apply();
    const [thing] = toy.provider.resources;
    Object.assign(thing as object, { schema: { ...thing?.schema, version: 0 } });
    const { text } = await w.plan([], { expectFail: true });
    expect(text.replace(/\s+/g, " ")).toMatch(/managed by newer|State of a newer provider|newer provider version/);
  });
});
