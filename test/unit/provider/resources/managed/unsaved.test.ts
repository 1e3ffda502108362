import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { currentStock, forgetUnsaved, keepUnsaved, type Stock } from "../../../../../provider/resources/managed/unsaved.js";

describe("notes of an apply", () => {
  let folder = "";
  let path = "";
  const stock = (serial: number): Stock => ({
    serial,
    objects: {
      net: { current: { type: "thing", schema_version: 0, attributes: { id: `n${serial}` }, private: {}, dependencies: [] }, deposed: [] },
    },
  });
  const stateOf = (serial: number) => ({ inventory: JSON.stringify(stock(serial)) });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "hp-unsaved-"));
    path = join(folder, "below", "demo.unsaved.json");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("are believed when the state is the one that the apply began with", () => {
    keepUnsaved(path, stock(4));
    expect(currentStock(stateOf(3), path)).toEqual({ stock: stock(4), lost: true });
    expect(existsSync(path)).toBe(true);
  });

  it("are believed when there is no state at all", () => {
    keepUnsaved(path, stock(1));
    expect(currentStock(null, path)).toEqual({ stock: stock(1), lost: true });
  });

  it.each([4, 5, 2])("are forgotten when the state is number %i of an apply that began with 3", (serial) => {
    keepUnsaved(path, stock(4));
    expect(currentStock(stateOf(serial), path)).toEqual({ stock: stock(serial), lost: false });
    expect(existsSync(path)).toBe(false);
  });

  it("are whole or the ones before: a torn one has another name", () => {
    keepUnsaved(path, stock(4));
    writeFileSync(`${path}.next`, '{"serial":');
    expect(currentStock(stateOf(3), path).stock).toEqual(stock(4));
  });

  it("are their owner's only, and none are no error", () => {
    keepUnsaved(path, stock(4));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    forgetUnsaved(path);
    forgetUnsaved(path);
    expect(currentStock(stateOf(3), path)).toEqual({ stock: stock(3), lost: false });
  });
});
