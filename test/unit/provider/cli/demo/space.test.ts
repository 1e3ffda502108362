import { afterEach, describe, expect, it, vi } from "vitest";
import { commands } from "../../../../../provider/cli/commands.js";
import { engineNeeds, mirrorNeed, type Need, refuseShortage, shortages, sizes } from "../../../../../provider/cli/demo/space.js";
import { placeFinding } from "../../../../../provider/cli/doctor.js";
import { commandHelp } from "../../../../../provider/cli/help.js";
import { createEngine } from "../../../../../provider/engine/engine.js";
import { machineRecipe, recipeLabel } from "../../../../../provider/mirror/machine-image.js";
import { componentsOf } from "../../../../../provider/mirror/versions.js";
import { fakeDocker, message } from "../../../../support/fake-docker.js";

const need = (path: string, bytes: number, free: number | null, device = 1): Need => ({
  what: `things in ${path}`,
  path,
  bytes,
  free: free === null ? null : { device, bytes: free },
});

describe("shortages", () => {
  it.each([
    ["enough", [need("/a", 1e9, 1e9)], []],
    ["nothing to be made on a full disk", [need("/a", 0, 0)], []],
    ["a folder of another computer", [need("/a", 1e9, null)], []],
    ["two disks, each with enough", [need("/a", 2e9, 2e9, 1), need("/b", 2e9, 2e9, 2)], []],
    [
      "one disk, with enough for one of two",
      [need("/a", 1e9, 1.5e9), need("/b", 8e8, 1.5e9)],
      ["/a has 1.5 GB free; 1.8 GB are needed: 1.0 GB in /a for things in /a, 800 MB in /b for things in /b."],
    ],
  ])("%s", (_case, needs, words) => expect(shortages(needs)).toEqual(words));

  it("are refused with the figures and the way round, which the help names too", () => {
    expect(() => refuseShortage([need("/a", 1e9, 5e8)])).toThrow(
      /not enough disk space\.\n\/a has 500 MB free; 1\.0 GB are needed.*HONEST_PAAS_CACHE.*--no-space-check/s,
    );
    expect(() => refuseShortage([need("/a", 1e9, 1e9)])).not.toThrow();
    const [demo] = commands;
    if (!demo) throw new Error("no command");
    expect(commandHelp(demo, commands)).toMatch(/--no-space-check/);
  });
});

describe("needs", () => {
  const c = componentsOf("1.36.3");
  if (!c) throw new Error("1.36.3 is not in the table");
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    vi.unstubAllEnvs();
    for (const thing of open.splice(0)) await thing.close();
  });
  const engine = async (recipe: string | null, machines: readonly object[]) => {
    const fake = await fakeDocker({
      "GET /info": { json: { DockerRootDir: "/", CgroupVersion: "2" } },
      "GET /images/honest-paas/machine:1.36.3/json":
        recipe === null ? message(404, "no such image") : { json: { Config: { Labels: { [recipeLabel]: recipe } } } },
      "GET /containers/json": { json: machines },
    });
    const made = createEngine(fake.host);
    open.push(made, fake);
    return made;
  };

  it("of an empty cache are the whole mirror", async () => {
    vi.stubEnv("HONEST_PAAS_CACHE", "/nowhere/cache");
    expect(await mirrorNeed(c)).toMatchObject({ path: "/nowhere/cache", bytes: sizes.mirror, free: { bytes: expect.any(Number) } });
  });

  it.each([
    ["nothing there", null, [], [sizes.image, sizes.cluster]],
    ["an image of another release", "old", [], [sizes.image, sizes.cluster]],
    ["the image", machineRecipe(c), [], [0, sizes.cluster]],
    ["image and machines", machineRecipe(c), [{ Id: "m" }], [0, 0]],
  ])("of an engine with %s", async (_case, recipe, machines, bytes) => {
    const needs = await engineNeeds(await engine(recipe, machines), c, "demo");
    expect(needs.map((n) => n.bytes)).toEqual(bytes);
    expect(needs.map((n) => n.path)).toEqual(["/", "/"]);
  });

  it("of an engine that is not ours to start are not known", async () => {
    const silent = createEngine("unix:///nowhere/docker.sock");
    open.push(silent);
    expect(await engineNeeds(silent, c, "demo")).toEqual([]);
  });
});

it("doctor says what is free and what is still wanted", () => {
  expect(placeFinding("cache", [need("/a", 8e8, 2e9)]).text).toBe("/a, 2.0 GB free; still wanted: 800 MB for things in /a");
  expect(placeFinding("data", [need("/a", 0, null)]).text).toBe("/a, on the engine's own host: free space unknown; nothing more is wanted");
});
