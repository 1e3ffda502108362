// A whole life of a resource with a real terraform: each step is followed by an empty plan.
import { afterEach, describe, expect, it } from "vitest";
import type { Workspace } from "../../support/terraform.js";
import { workspace } from "../../support/terraform.js";
import { toyProvider } from "../../support/toy-provider.js";

const source = "honest-paas/toy";
const head = `terraform {\n required_providers {\n  toy = { source = "${source}" }\n }\n}\n`;
const open: Workspace[] = [];
afterEach(async () => {
  for (const w of open.splice(0)) await w.close();
});

async function start(overrides = {}) {
  const toy = toyProvider(overrides);
  const w = await workspace({ provider: toy.provider, source });
  open.push(w);
  return { toy, w };
}

describe("a resource's life", () => {
  it("goes through create, change, drift, remote delete, replace, taint, import and destroy", async () => {
    const { toy, w } = await start();
    w.write({ "main.tf": `${head}resource "toy_thing" "a" {\n name = "one"\n rules = [{ port = 80 }, { port = 53, proto = "udp" }]\n}\n` });
    await w.init();
    await w.apply();
    await w.expectEmptyPlan();
    expect(toy.objects.get("t-1")).toMatchObject({
      name: "one",
      size: 1,
      serial: 1,
      rules: [{ port: 80, proto: "tcp", rule_id: "r-0" }, { proto: "udp" }],
    });

    w.write({ "main.tf": `${head}resource "toy_thing" "a" {\n name = "one"\n size = 2\n tags = { "__proto__" = "kept", b = "c" }\n}\n` });
    const change = await w.plan();
    expect(change.exitCode).toBe(2);
    expect(change.json.resource_changes?.[0]?.change.actions).toEqual(["update"]);
    await w.apply();
    await w.expectEmptyPlan();
    expect(Object.keys(toy.objects.get("t-1")?.tags as object)).toEqual(["__proto__", "b"]);

    toy.objects.set("t-1", { ...toy.objects.get("t-1"), size: 9 });
    const drift = await w.plan();
    expect(drift.exitCode).toBe(2);
    await w.apply();
    await w.expectEmptyPlan();
    expect(toy.objects.get("t-1")?.size).toBe(2);

    toy.objects.delete("t-1");
    await w.apply();
    await w.expectEmptyPlan();
    expect([...toy.objects.keys()]).toEqual(["t-2"]);

    w.write({ "main.tf": `${head}resource "toy_thing" "a" {\n name = "two"\n}\nresource "toy_thing" "b" {\n name = toy_thing.a.id\n}\n` });
    await w.apply();
    await w.expectEmptyPlan();
    w.write({
      "main.tf": `${head}resource "toy_thing" "a" {\n name = "three"\n}\nresource "toy_thing" "b" {\n name = toy_thing.a.id\n}\n`,
    });
    const chain = await w.plan();
    expect(chain.json.resource_changes?.map((c) => c.change.actions)).toEqual([
      ["delete", "create"],
      ["delete", "create"],
    ]);
    await w.apply();
    await w.expectEmptyPlan();

    await w.run(["taint", "toy_thing.b"]);
    await w.apply();
    await w.expectEmptyPlan();

    const id = (await w.resources()).find((r) => r.name === "b")?.values.id as string;
    await w.run(["state", "rm", "toy_thing.b"]);
    await w.run(["import", "-no-color", "toy_thing.b", id]);
    await w.expectEmptyPlan();

    await w.destroy();
    expect(toy.objects.size).toBe(0);
  });

  it("keeps the digits of numbers that a double cannot hold, and any value of a dynamic attribute", async () => {
    const { w } = await start();
    w.write({
      "main.tf": `${head}resource "toy_thing" "a" {\n name = "n"\n size = 12345678901234567890.125\n any = { list = ["x", "y"], n = 0.1, deep = { ok = true } }\n}\noutput "size" { value = "\${toy_thing.a.size}" }\n`,
    });
    await w.init();
    await w.apply();
    await w.expectEmptyPlan();
    expect((await w.run(["output", "-raw", "size"])).stdout).toBe("12345678901234567890.125");
  });

  it("carries values of more than 5 MiB", async () => {
    const { w } = await start();
    w.write({
      "main.tf": `${head}resource "toy_thing" "a" {\n name = "n"\n note = join("", [for i in range(1024) : format("%5400d", i)])\n}\n`,
    });
    await w.init();
    await w.apply();
    await w.expectEmptyPlan();
  });

  it("turns a throw into a provider bug with the cause in the log, and keeps the prior state", async () => {
    const { w } = await start({
      async update() {
        throw new Error("kaputt");
      },
    });
    w.write({ "main.tf": `${head}resource "toy_thing" "a" {\n name = "n"\n}\n` });
    await w.init();
    await w.apply();
    w.write({ "main.tf": `${head}resource "toy_thing" "a" {\n name = "n"\n size = 2\n}\n` });
    const failed = await w.apply([], { expectFail: true });
    expect(failed.stderr).toContain("The provider has a bug");
    expect(w.log()).toContain("kaputt");
    w.write({ "main.tf": `${head}resource "toy_thing" "a" {\n name = "n"\n}\n` });
    await w.expectEmptyPlan();
  });

  it("refuses an import with the reason when there is none", async () => {
    const { w } = await start({ importState: undefined, importRefused: "a thing has no id outside." });
    w.write({ "main.tf": `${head}resource "toy_thing" "a" {\n name = "n"\n}\n` });
    await w.init();
    const failed = await w.run(["import", "-no-color", "toy_thing.a", "x"], { expectFail: true });
    expect(failed.stderr).toContain("a thing has no id outside.");
  });
});
