import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { copyOf, keepState, restoreState } from "../../../../../provider/cli/keeper/state-file.js";

const state = (serial: number, lineage = "one") => JSON.stringify({ version: 4, serial, lineage, resources: [] });

describe("state file", () => {
  let folder = "";
  let file = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "hp-state-"));
    file = join(folder, "terraform.tfstate");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const kept = (): string => readFileSync(copyOf(file), "utf8");

  it("copies each whole state that is newer, for the owner only", () => {
    writeFileSync(file, state(1));
    expect(keepState(file)).toBe(true);
    expect(keepState(file)).toBe(false);
    writeFileSync(file, state(2));
    expect(keepState(file)).toBe(true);
    expect(kept()).toBe(state(2));
    expect(statSync(copyOf(file)).mode & 0o777).toBe(0o600);
  });

  it.each(["", "{", '{"serial":7', "null", '{"serial":"7"}'])("does not copy what is cut: %j", (text) => {
    writeFileSync(file, state(1));
    keepState(file);
    writeFileSync(file, text);
    expect(keepState(file)).toBe(false);
    expect(kept()).toBe(state(1));
  });

  it("does not copy an older state of the same lineage", () => {
    writeFileSync(file, state(5));
    keepState(file);
    writeFileSync(file, state(4));
    expect(keepState(file)).toBe(false);
  });

  it("follows a new lineage", () => {
    writeFileSync(file, state(5));
    keepState(file);
    writeFileSync(file, state(1, "two"));
    expect(keepState(file)).toBe(true);
  });

  it.each([
    ["it is empty", ""],
    ["it is cut off", '{"version":4,"ser'],
    ["its serial 3 is lower than 5", state(3)],
    ["it is missing", undefined],
  ])("restores when %s", (reason, text) => {
    writeFileSync(file, state(5));
    keepState(file);
    if (text === undefined) rmSync(file);
    else writeFileSync(file, text);
    expect(restoreState(file)).toEqual({ serial: 5, reason });
    expect(readFileSync(file, "utf8")).toBe(state(5));
    if (text) expect(readFileSync(`${file}.broken`, "utf8")).toBe(text);
  });

  it.each([
    ["it is as new", state(5)],
    ["it is newer", state(6)],
    ["it is of another lineage", state(1, "two")],
  ])("leaves the state alone when %s", (_why, text) => {
    writeFileSync(file, state(5));
    keepState(file);
    writeFileSync(file, text);
    expect(restoreState(file)).toBeUndefined();
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("has nothing to restore before the first copy", () => {
    writeFileSync(file, "");
    expect(restoreState(file)).toBeUndefined();
    expect(existsSync(copyOf(file))).toBe(false);
  });
});
