// A unit test lies where its source lies: whoever changes a file knows where to look.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { root, sources } from "./sources.js";

it("has every unit test in the place of its source, or of the folder that it is about", () => {
  const orphans = sources(["test/unit"], /\.test\.ts$/)
    .map(({ path }) => path)
    .filter((path) => !path.startsWith("test/unit/repository/"))
    .filter((path) => !existsSync(join(root, dirname(path.replace(/^test\/unit\//, "")))));
  expect(orphans).toEqual([]);
});

it("has a unit test in every folder of code", () => {
  const folders = new Set(sources(["constructs", "provider"], /(?<!\.d)\.ts$/).map(({ path }) => path.split("/").slice(0, 2).join("/")));
  const bare = [...folders].filter(
    (folder) => !folder.endsWith(".ts") && sources(["test/unit"], /\.test\.ts$/).every(({ path }) => !path.includes(`/${folder}/`)),
  );
  expect(bare).toEqual([]);
});
