import { expect, it } from "vitest";
import { tellLine } from "../../../../../provider/cli/demo/progress.js";

const hook = (type: string, action: string, elapsed_seconds?: number) =>
  JSON.stringify({ type, hook: { resource: { addr: "honest_node.a" }, action, elapsed_seconds } });

it.each([
  [hook("apply_complete", "create", 3), { kind: "note", text: "made honest_node.a (3 s)" }],
  [hook("apply_complete", "delete", 1), { kind: "note", text: "removed honest_node.a (1 s)" }],
  [hook("apply_errored", "create", 3), { kind: "note", text: "failed: honest_node.a" }],
  [hook("apply_progress", "create", 10), undefined],
  [hook("apply_progress", "create", 60), { kind: "note", text: "still at honest_node.a (60 s)" }],
  [hook("apply_start", "create"), undefined],
  [
    '{"type":"change_summary","changes":{"add":2,"change":1,"remove":0,"operation":"plan"}}',
    { kind: "changes", add: 2, change: 1, remove: 0 },
  ],
  ['{"type":"change_summary","changes":{"add":2,"operation":"apply"}}', undefined],
  [
    '{"type":"diagnostic","diagnostic":{"severity":"error","summary":"No","detail":"Because.","address":"honest_node.a"}}',
    { kind: "error", text: "No (honest_node.a)\nBecause." },
  ],
  ['{"type":"diagnostic","diagnostic":{"severity":"warning","summary":"Hm"}}', { kind: "warning", text: "Hm" }],
  ["panic: a crash is no JSON", { kind: "plain", text: "panic: a crash is no JSON" }],
  ["", undefined],
])("%s", (line, told) => {
  if (told === undefined) expect(tellLine(line)).toBeUndefined();
  else expect(tellLine(line)).toMatchObject(told);
});
