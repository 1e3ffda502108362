import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { appear, cacheRoot, hashOf, linkOrCopy, sweepParts, writeAtomic } from "../../../../provider/mirror/cache.js";
import { put, scratch } from "./fixture.js";

describe("cacheRoot", () => {
  it.each([
    [{ HONEST_PAAS_CACHE: "/a", XDG_CACHE_HOME: "/b" }, "/a"],
    [{ XDG_CACHE_HOME: "/b" }, "/b/honest-paas"],
    [{ HONEST_PAAS_CACHE: "", XDG_CACHE_HOME: "/b" }, "/b/honest-paas"],
  ])("%j", (env, root) => expect(cacheRoot(env)).toBe(root));
});

describe("appear", () => {
  it("leaves neither half a file nor a part when the work fails", async () => {
    const folder = await scratch();
    await put(join(folder, "f"), "old");
    const work = appear(join(folder, "f"), async (beside) => {
      await writeFile(beside, "half");
      throw new Error("disk full");
    });
    await expect(work).rejects.toThrow("disk full");
    expect(await readdir(folder)).toEqual(["f"]);
    expect(await readFile(join(folder, "f"), "utf8")).toBe("old");
  });

  it("replaces as a whole", async () => {
    const path = join(await scratch(), "a", "f");
    await writeAtomic(path, "1");
    await writeAtomic(path, "2");
    expect(await readFile(path, "utf8")).toBe("2");
  });
});

it("linkOrCopy replaces what is there and makes folders", async () => {
  const folder = await scratch();
  const from = await put(join(folder, "from"), "new");
  await put(join(folder, "x", "to"), "old");
  await linkOrCopy(from, join(folder, "x", "to"));
  await linkOrCopy(from, join(folder, "y", "to"));
  expect(await readFile(join(folder, "x", "to"), "utf8")).toBe("new");
  expect(await readFile(join(folder, "y", "to"), "utf8")).toBe("new");
});

it("sweepParts removes what dead processes left, keeps living work and downloads", async () => {
  const folder = await scratch();
  for (const name of [`a.${2 ** 22 - 1}.part`, `sub/b.${2 ** 22 - 1}.part`, `c.${process.pid}.part`, "d.part", "e"])
    await put(join(folder, name), "");
  await sweepParts(folder);
  await sweepParts(join(folder, "is-not-there"));
  expect((await readdir(folder, { recursive: true })).sort()).toEqual([`c.${process.pid}.part`, "d.part", "e", "sub"].sort());
});

describe("hashOf", () => {
  it("does not depend on the order of members, but on that of lists and on names", () => {
    expect(hashOf({ a: 1, b: { c: 2, d: 3 } })).toBe(hashOf({ b: { d: 3, c: 2 }, a: 1 }));
    expect(hashOf([1, 2])).not.toBe(hashOf([2, 1]));
    expect(hashOf({ a: 1 })).not.toBe(hashOf({ b: 1 }));
  });
});
