import { describe, expect, it } from "vitest";
import { snapshotWarnings } from "../../../../../provider/resources/barrier/snapshots.js";
import type { NodeFacts, SnapshotsFacts } from "../../../../../provider/rollout/facts.js";
import { nodeFacts } from "../../../../support/facts.js";

const hour = 3_600_000;
const now = Date.parse("2026-06-02T12:00:00Z");
const last = (hoursAgo: number): SnapshotsFacts["last"] => ({ name: "n", at: now - hoursAgo * hour, size: 1, revision: 2, keys: 3 });
const node = (over: Partial<SnapshotsFacts> = {}): NodeFacts =>
  nodeFacts({
    snapshots: {
      scheduleSeconds: 6 * 3600,
      target: false,
      since: now - 100 * hour,
      last: last(1),
      held: [],
      uploaded: null,
      drill: null,
      failed: {},
      problem: null,
      asked: null,
      ...over,
    },
  });
const words = (nodes: Readonly<Record<string, NodeFacts>>): string => snapshotWarnings("demo", nodes, now)[0]?.detail ?? "";

describe("the warning about snapshots", () => {
  it("is none while they are taken and go where they should, nor for nodes that say nothing", () => {
    const sent = { target: true, uploaded: { id: "x", taken: now - hour } };
    expect(snapshotWarnings("demo", { a: node(), b: node(sent), w: nodeFacts() }, now)).toEqual([]);
  });

  it.each<[string, Partial<SnapshotsFacts>, string]>([
    ["older than two turns", { last: last(12.1) }, "a: its last good snapshot is of 2026-06-01T23:54:00Z, and one is due every 6h."],
    ["two turns old", { last: last(12) }, ""],
    ["never taken", { last: null }, "a: it has no good snapshot, and one is due every 6h."],
    ["not yet due", { last: null, since: now - hour }, ""],
    ["an agent that does not say since when", { last: null, since: null }, ""],
    ["off, however old", { scheduleSeconds: 0, last: last(900) }, ""],
    ["off, but a drill fails", { scheduleSeconds: 0, problem: "drill: no room" }, "a: drill: no room."],
    ["each minute, four minutes old", { scheduleSeconds: 60, last: last(4 / 60) }, ""],
    ["each minute, six minutes old", { scheduleSeconds: 60, last: last(0.1) }, "one is due every 1m."],
    ["an upload fails", { target: true, failed: { upload: "403" }, problem: "upload: 403" }, "a: upload: 403."],
    [
      "a copy that is old",
      { target: true, uploaded: { id: "x", taken: now - 13 * hour } },
      "the last copy at the target is of 2026-06-01T23:00:00Z",
    ],
    ["a target without a copy", { target: true }, "nothing has been sent to the target yet."],
    ["a new target", { target: true, since: now - hour }, ""],
  ])("%s", (_, over, wanted) => {
    if (wanted === "") expect(words({ a: node(over) })).toBe("");
    else expect(words({ a: node(over) })).toContain(wanted);
  });

  it("counts the youngest copy, whoever sent it", () => {
    const old = node({ target: true, uploaded: { id: "x", taken: now - 99 * hour } });
    expect(words({ a: old, b: node({ target: true, uploaded: { id: "y", taken: now - hour } }) })).toBe("");
  });

  it("is one for the whole cluster, in the order of names, and says where help is", () => {
    const [first, ...others] = snapshotWarnings("demo", { b: node({ problem: "y." }), a: node({ problem: "x" }) }, now);
    expect(others).toEqual([]);
    expect(first?.summary).toBe("Snapshots of cluster demo need attention");
    expect(first?.detail).toMatch(/^a: x\. b: y\. What is not .*docs\/guides\/backup\.md/);
  });
});
