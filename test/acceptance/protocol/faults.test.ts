// What fails in a resource, and what terraform makes of it: nothing that exists is forgotten.
import { describe, expect, it } from "vitest";
import { error } from "../../../provider/framework/diagnostic.js";
import type { ApplyRequest, Resource } from "../../../provider/framework/resource.js";
import { unknown } from "../../../provider/framework/value.js";
import { toyWorkspaces } from "../../support/toy-workspace.js";

const start = toyWorkspaces();
const broken = [error("Broken", "It is broken.")];
const fails = { expectFail: true };

describe("a throw inside a resource", () => {
  it.each<[keyof Resource, (w: Awaited<ReturnType<typeof start>>) => Promise<{ stderr: string }>]>([
    ["validate", ({ w }) => w.apply([], fails)],
    ["plan", ({ w }) => w.apply([], fails)],
    ["create", ({ w }) => w.apply([], fails)],
    ["importState", ({ w }) => w.run(["import", "-no-color", "toy_thing.a", "x"], fails)],
  ])("in %s is a provider bug with the cause in the log", async (method, run) => {
    const it = await start({
      [method]: async () => {
        throw new Error("kaputt");
      },
    });
    const { stderr } = await run(it);
    expect(stderr).toContain("The provider has a bug");
    expect(it.w.log()).toMatch(/kaputt\\n\s+at /);
    expect(await it.w.resources()).toEqual([]);
  });

  it.each<keyof Resource>(["read", "update", "delete"])("in %s keeps the object in the state", async (method) => {
    let armed = false;
    const overrides = {
      get [method]() {
        return armed
          ? async () => {
              throw new Error("kaputt");
            }
          : undefined;
      },
    };
    const { w, thing, toy } = await start();
    await w.apply();
    const [resource] = toy.provider.resources;
    const whole = resource?.[method];
    armed = true;
    Object.assign(resource as object, { [method]: overrides[method] });
    if (method === "update") thing('name = "n"\nsize = 2');
    const failed = method === "delete" ? await w.destroy([], fails) : await w.apply([], fails);
    expect(failed.stderr).toContain("The provider has a bug");
    Object.assign(resource as object, { [method]: whole });
    thing('name = "n"');
    await w.expectEmptyPlan();
    expect(await w.resources()).toHaveLength(1);
  });
});

describe("a create that fails", () => {
  it("leaves nothing when it gave back nothing", async () => {
    const { w } = await start({ create: async () => ({ state: null, diagnostics: broken }) });
    expect((await w.apply([], fails)).stderr).toContain("It is broken.");
    expect(await w.resources()).toEqual([]);
  });

  it("leaves a tainted object when it gave back one, also one with unknowns", async () => {
    const { w } = await start({ create: async ({ planned }) => ({ state: { ...planned, id: "half" }, diagnostics: broken }) });
    await w.apply([], fails);
    expect(await w.resources()).toMatchObject([{ tainted: true, values: { id: "half", serial: null } }]);
  });

  it("that forgets a value is a bug, and the object is not lost", async () => {
    const { w } = await start({ create: async ({ planned }) => ({ state: { ...planned, id: "full", serial: unknown } }) });
    const { stderr } = await w.apply([], fails);
    expect(stderr).toContain("an attribute is still unknown after apply");
    expect(await w.resources()).toMatchObject([{ tainted: true, values: { id: "full" } }]);
  });

  it("that gives back nothing and no reason is a bug", async () => {
    const { w } = await start({ create: async () => ({ state: null }) });
    expect((await w.apply([], fails)).stderr.replace(/\s+/g, " ")).toContain("no object came back, and no reason");
  });
});

describe("an update or a delete that fails without an object", () => {
  it.each(["update", "delete"])("%s: the object stays known", async (method) => {
    const { w, thing } = await start({ [method]: async () => ({ state: null, diagnostics: broken }) });
    await w.apply();
    if (method === "update") thing('name = "n"\nsize = 2');
    const failed = method === "delete" ? await w.destroy([], fails) : await w.apply([], fails);
    expect(failed.stderr).toContain("It is broken.");
    expect(await w.resources()).toMatchObject([{ values: { size: 1 } }]);
    thing('name = "n"');
    await w.expectEmptyPlan();
  });
});

describe("a diagnostic", () => {
  it("points at its place", async () => {
    const { w, thing } = await start({ validate: async () => [error("Wrong port", "Not this one.", ["rules"])] });
    thing('name = "n"\nrules = [\n{ port = 80 },\n{ port = 81 }\n]');
    const { stderr } = await w.run(["validate", "-no-color"], fails);
    expect(stderr).toMatch(/on main.tf line \d+, in resource "toy_thing" "a":\s+\d+: rules = \[/);
    const json = await w.run(["validate", "-json"], fails);
    expect(JSON.parse(json.stdout)).toMatchObject({ diagnostics: [{ summary: "Wrong port", range: { start: { line: 8 } } }] });
  });
});

describe("an update of what cannot be changed", () => {
  it("is a bug of the provider and changes nothing", async () => {
    const { w, thing } = await start({ update: undefined } as never);
    await w.apply();
    thing('name = "n"\nsize = 2');
    expect((await w.apply([], fails)).stderr).toContain("cannot be changed in place");
    expect(await w.resources()).toMatchObject([{ values: { size: 1 } }]);
  });
});

describe("the second plan of an apply", () => {
  it("is the same as the first, whatever the first left in private data", async () => {
    const seen: string[] = [];
    const { w, thing } = await start({
      async plan({ prior, proposed, private: held }) {
        seen.push(JSON.stringify(held));
        return {
          planned: prior && proposed !== prior && proposed ? { ...proposed, id: prior.id ?? null } : proposed,
          private: { ...held, mark: 1 },
        };
      },
      async create({ planned, private: held }: ApplyRequest) {
        return { state: { ...planned, id: "t-1", serial: Number(held.mark) }, private: { made: true } };
      },
      read: async ({ state, private: held }) => ({ state: held.made ? state : null }),
    });
    await w.apply();
    thing('name = "n"\nnote = "x"');
    await w.plan();
    expect(seen).toEqual(["{}", "{}", '{"made":true}']);
    expect(await w.resources()).toMatchObject([{ values: { serial: 1 } }]);
  });
});
