import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openJournal } from "../../../../provider/shim/journal.js";
import { type Entry, openOperations, parseJournal } from "../../../../provider/shim/journal-entries.js";
import { hasProc } from "../../../../provider/shim/process-identity.js";

const intent = (n: number, address: string, action: "create" | "update" | "delete" = "create", id: string | null = null): Entry => ({
  intent: { n, address, type: "t", action, hash: "h", id, vendor: null, at: "2026-01-01T00:00:00Z" },
});
const result = (n: number, outcome: "done" | "failed" | "unknown", id: string | null = null): Entry => ({ result: { n, outcome, id } });

describe("what is open", () => {
  it.each<[string, Entry[], (string | null)[]]>([
    ["begun, no answer", [intent(1, "a")], [null]],
    ["made, and perhaps never stored", [intent(1, "a"), result(1, "done", "7")], ["7"]],
    ["failed with an object", [intent(1, "a"), result(1, "failed", "7")], ["7"]],
    ["failed for certain", [intent(1, "a"), result(1, "failed")], []],
    ["unknown", [intent(1, "a"), result(1, "unknown")], [null]],
    ["made, then destroyed", [intent(1, "a"), result(1, "done", "7"), intent(2, "a", "delete", "7"), result(2, "done")], []],
    ["half destroyed", [intent(2, "a", "delete", "7")], ["7"]],
    ["made anew after a refusal", [intent(1, "a"), result(1, "failed"), intent(2, "a")], [null]],
  ])("%s", (_what, entries, ids) => {
    expect([...openOperations(entries).values()].map(({ id }) => id)).toEqual(ids);
  });
});

it("takes a torn last line for never begun, and a torn line in the middle for damage", () => {
  const line = JSON.stringify(intent(1, "a"));
  expect(parseJournal(`${line}\n{"intent":{"n":2,"addr`)).toEqual([intent(1, "a")]);
  expect(parseJournal(line)).toEqual([intent(1, "a")]);
  expect(() => parseJournal(`{"int\n${line}\n`)).toThrow(SyntaxError);
});

describe("the file", () => {
  let dir = "";
  let path = "";
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "honest-journal-"));
    path = join(dir, "deep/journal.jsonl");
  });
  afterEach(() => rmSync(dir, { recursive: true }));
  const begun = { address: "a", type: "t", action: "create", hash: "h", id: null, vendor: null } as const;

  it("is on disk before the call, for its owner alone", () => {
    const journal = openJournal(path);
    const n = journal.begin(begun);
    expect(readFileSync(path, "utf8")).toContain(`"n":${n}`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    journal.end({ n, outcome: "done", id: "7" });
    journal.close();
    expect(existsSync(`${path}.lock`)).toBe(false);
    expect(openJournal(path).open.get("a")?.id).toBe("7");
  });

  it("goes on behind a torn line without gluing to it, and counts on", () => {
    const first = openJournal(path);
    const n = first.begin(begun);
    first.close();
    appendFileSync(path, '{"result":{"n"');
    const second = openJournal(path);
    expect(second.begin({ ...begun, address: "b" })).toBe(n + 1);
    second.close();
    expect([...openJournal(path).open.keys()]).toEqual(["a", "b"]);
  });

  it.runIf(hasProc)("refuses a second run, and takes over from one that was killed", () => {
    writeFileSync(join(dir, "x"), "");
    openJournal(path).close();
    // process 1 is always there; what it is told to have started at decides
    const started = readFileSync("/proc/1/stat", "latin1").split(") ")[1]?.split(" ")[19];
    writeFileSync(`${path}.lock`, JSON.stringify({ pid: 1, started }));
    expect(() => openJournal(path)).toThrow(/Another run is at work/);
    writeFileSync(`${path}.lock`, JSON.stringify({ pid: 1, started: "another" }));
    openJournal(path).close();
  });

  it("does not guess over a damaged journal", () => {
    openJournal(path).close();
    writeFileSync(path, "nonsense\n{}\n");
    expect(() => openJournal(path)).toThrow(/cannot be read/);
  });
});
