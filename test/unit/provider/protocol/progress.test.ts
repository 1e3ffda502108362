import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Log } from "../../../../provider/framework/resource.js";
import { withProgress } from "../../../../provider/protocol/progress.js";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "hp-progress-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const recorder = (): { readonly log: Log; readonly lines: string[] } => {
  const lines: string[] = [];
  return { lines, log: (level, message) => void lines.push(`${level} ${message}`) };
};

it("writes what a person waits for into the file, and everything into the log", () => {
  const { log, lines } = recorder();
  const path = join(dir, "p");
  const both = withProgress(log, path);
  both("info", "waiting for b", { node: "a" });
  both("debug", "noise");
  expect(lines).toEqual(["info waiting for b", "debug noise"]);
  const written = readFileSync(path, "utf8").trim().split("\n");
  expect(written.map((line) => JSON.parse(line))).toEqual([{ node: "a", message: "waiting for b", at: expect.any(String) }]);
});

it("holds nothing up when the file cannot be written, and says so once", () => {
  const { log, lines } = recorder();
  const both = withProgress(log, join(dir, "no", "folder"));
  both("info", "1");
  both("info", "2");
  expect(lines.map((line) => line.split(" ")[0])).toEqual(["info", "warn", "info"]);
});

it("is the plain log without a file", () => {
  const { log } = recorder();
  expect(withProgress(log, undefined)).toBe(log);
  expect(withProgress(log, "")).toBe(log);
});
