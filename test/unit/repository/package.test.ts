// The package as npm sees it: what is exported, what is asked of the user, what is inside.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import packageJson from "../../../package.json" with { type: "json" };
import { root, sources } from "./sources.js";

type Target = { readonly types: string; readonly default: string };
const exported = packageJson.exports as unknown as Readonly<Record<string, string | Readonly<Record<"import" | "require", Target>>>>;

describe("export map", () => {
  it("offers exactly these", () => {
    expect(Object.keys(exported)).toEqual([".", "./cdktn", "./spec", "./iaas", "./package.json"]);
  });

  it.each([
    [".", "index"],
    ["./cdktn", "cdktn/index"],
    ["./spec", "spec"],
    ["./iaas", "iaas"],
  ])("%s has types before code, for import and require", (name, base) => {
    expect(exported[name]).toEqual({
      import: { types: `./dist/${base}.d.ts`, default: `./dist/${base}.js` },
      require: { types: `./dist/${base}.d.cts`, default: `./dist/${base}.cjs` },
    });
    expect(Object.keys((exported[name] as Record<"import", Target>).import)).toEqual(["types", "default"]);
  });
});

it("asks for cdktf or cdktn, either of them, never both", () => {
  expect(packageJson.peerDependencies).toEqual({ cdktf: "^0.21.0", cdktn: ">=0.24.0 <1", constructs: ">=10.6.0 <11" });
  for (const name of Object.keys(packageJson.peerDependencies))
    expect(packageJson.peerDependenciesMeta).toMatchObject({ [name]: { optional: true } });
});

it("brings its dependencies inside, so that nothing else is installed with it", () => {
  expect(packageJson).not.toHaveProperty("dependencies");
});

it("has the licence text of the licence it names, and a changelog entry of its version", () => {
  expect(packageJson.license).toBe("Apache-2.0");
  expect(readFileSync(join(root, "LICENSE"), "utf8")).toMatch(/Apache License\s+Version 2\.0/);
  expect(readFileSync(join(root, "CHANGELOG.md"), "utf8")).toContain(`## ${packageJson.version}`);
});

it("shows the example in the README as it is", () => {
  const example = readFileSync(join(root, "examples/local-cluster/main.ts"), "utf8").trim();
  expect(readFileSync(join(root, "README.md"), "utf8")).toContain(`\`\`\`ts\n${example}\n\`\`\``);
  expect(example.split("\n").length).toBeLessThanOrEqual(24);
});

it("links only to documents that exist", () => {
  const broken = [...sources(["docs"], /\.md$/), { path: "README.md", text: readFileSync(join(root, "README.md"), "utf8") }].flatMap(
    ({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
        .map(([, target = ""]) => join(root, path, "..", target))
        .filter((target) => !sourcesExist(target))
        .map((target) => `${path} → ${target}`),
  );
  expect(broken).toEqual([]);
});

function sourcesExist(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EISDIR";
  }
}
