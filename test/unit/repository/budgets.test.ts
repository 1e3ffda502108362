// What keeps files readable: their length, no way round the types, no leftovers of work, comments within reason.
import { expect, it } from "vitest";
import { sources } from "./sources.js";

const mostLines = 400;
const code = sources(["constructs", "provider", "examples", "scripts", "bench", "test", "cloud-init"], /\.(ts|mjs|py|sh)$/).filter(
  ({ path }) => !/\/gen\//.test(path),
);
// this file names what it looks for
const others = code.filter(({ path }) => !path.startsWith("test/unit/repository/"));

it(`has no file above ${mostLines} lines`, () => {
  const long = code.map(({ path, text }) => `${path}: ${text.split("\n").length}`).filter((row) => Number(row.split(": ")[1]) > mostLines);
  expect(long).toEqual([]);
});

it.each([
  ["any", /(?::|\bas|<|\|)\s*any\b(?!\w)/],
  ["ts-ignore", /@ts-(ignore|nocheck)/],
  ["a switched-off lint rule without a reason", /biome-ignore [^:]+:\s*$/m],
  ["a catch that hides everything", /catch\s*(\([^)]*\))?\s*\{\s*\}/],
])("has no %s", (_what, pattern) => {
  const found = others
    .filter(({ path }) => /\.ts$/.test(path))
    .flatMap(({ path, text }) =>
      text
        .split("\n")
        .map((line, i) => ({ line: line.replace(/"(?:[^"\\]|\\.)*"|\/\/.*$|^\s*\*.*$/g, ""), at: `${path}:${i + 1}` }))
        .filter(({ line }) => pattern.test(line))
        .map(({ at }) => at),
    );
  expect(found).toEqual([]);
});

it("has no leftovers of work in code and documents", () => {
  const leftover = /\b(TODO|FIXME|XXX|HACK)\b|not implemented|lorem ipsum/i;
  const documents = sources(["docs"], /\.md$/);
  const found = [...others, ...documents].filter(({ text }) => leftover.test(text)).map(({ path }) => path);
  expect(found).toEqual([]);
});

it("has no test that is switched off without a reason or left alone", () => {
  const lonely = /\b(it|test|describe)\.(only|todo)\b|\b(it|test|describe)\.skip\(/;
  expect(others.filter(({ path, text }) => path.startsWith("test/") && lonely.test(text)).map(({ path }) => path)).toEqual([]);
});
