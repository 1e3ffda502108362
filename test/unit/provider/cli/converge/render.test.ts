import { expect, it } from "vitest";
import { bar } from "../../../../../provider/cli/converge/bar.js";
import { type ConvergeEvent, eventJson } from "../../../../../provider/cli/converge/event.js";
import { eventLines } from "../../../../../provider/cli/converge/render.js";
import { change, roll, state, view } from "./plans.js";

const text = (event: ConvergeEvent, terminal = false): string => eventLines(event, { terminal }).join("\n");
const plan = (over: Partial<Extract<ConvergeEvent, { event: "plan" }>> = {}): ConvergeEvent => ({
  event: "plan",
  round: 2,
  seconds: 3.2,
  warnings: [],
  ...roll(1),
  ...over,
});

it.each([
  [0, 3, "[--------------------]"],
  [1, 3, "[#######-------------]"],
  [3, 3, "[####################]"],
  [1, 300, "[#-------------------]"],
  [299, 300, "[###################-]"],
  [0, 0, "[--------------------]"],
])("a bar of %i of %i", (done, all, drawn) => {
  expect(bar(done, all)).toBe(drawn);
});

it("shows a step: destroys first, warnings, who is where", () => {
  expect(text(plan({ warnings: ["Machines wait: c waits for its turn."] }), true)).toBe(
    [
      "[2] plan   2 to add, 1 to change, 2 to destroy (3.2 s)",
      "      replaces honest_local_machine.b",
      "      replaces honest_node.b",
      "      changes  honest_boot.b",
      "      warning: Machines wait: c waits for its turn.",
      "      demo/cp  [#######-------------] 1 of 3 machines on the new release; now: b; waiting: c",
    ].join("\n"),
  );
});

it("draws no bar into a file", () => {
  expect(text(plan())).toContain("demo/cp  1 of 3 machines on the new release; now: b; waiting: c");
});

it("is one line for all when nothing waits", () => {
  const done = view({ machines: [state("a", "done"), state("w", "done", "web")] });
  expect(text(plan(done), true)).toBe(
    "[2] plan   nothing to change (3.2 s)\n      all  [####################] 2 of 2 machines on the new release",
  );
});

it("shows pools that have something to do, and cuts long lists", () => {
  const workers = Array.from({ length: 12 }, (_, n) => state(`w-${String(n).padStart(2, "0")}`, "waits", "web"));
  const lines = text(plan(view({ pending: 12, machines: [state("a", "done"), ...workers] })));
  expect(lines).toContain("demo/web  0 of 12 machines on the new release; waiting: w-00, w-01, w-02, w-03, w-04, w-05, w-06 and 5 more");
  expect(lines).not.toContain("demo/cp");
});

it("cuts a plan of hundreds but never what is destroyed", () => {
  const many = view({
    changes: [
      ...Array.from({ length: 30 }, (_, n) => change(`x.d${n}`, "delete")),
      ...Array.from({ length: 40 }, (_, n) => change(`x.c${n}`, "create")),
    ],
  });
  const lines = text(plan(many)).split("\n");
  expect(lines.filter((line) => line.includes("destroys"))).toHaveLength(30);
  expect(lines.some((line) => line.includes("and 40 more"))).toBe(true);
});

it.each<[ConvergeEvent, RegExp]>([
  [plan({ changes: [], outputsChange: true }), /only outputs change/],
  [
    { event: "question", destroys: [{ address: "honest_local_disk.a", action: "delete" }] },
    /no part of a roll:\n\s+destroys honest_local_disk.a/,
  ],
  [{ event: "question", destroys: [] }, /^$/],
  [{ event: "apply", round: 2, seconds: 41.3, ok: true }, /^\[2\] apply {2}applied \(41.3 s\)$/],
  [{ event: "apply", round: 2, seconds: 4, ok: false }, /failed/],
  [{ event: "wait", seconds: 30, reason: "because" }, /because\n.*in 30 s/],
  [{ event: "stopping" }, /ctrl-C again/],
  [{ event: "result", result: "done", exit_code: 0, applies: 3, seconds: 130.4 }, /^Done: .*\(3 applies, 130.4 s\)\.$/],
  [
    { event: "result", result: "stopped", exit_code: 2, applies: 1, seconds: 9, reason: "c is on its way" },
    /^Stopped: c is on its way\n\(1 apply, 9 s\) Run/,
  ],
  [{ event: "result", result: "failed", exit_code: 1, applies: 0, seconds: 1, reason: "x" }, /^Failed: x/],
  [{ event: "result", result: "interrupted", exit_code: 130, applies: 1, seconds: 1 }, /^Interrupted/],
])("%j", (event, words) => {
  expect(text(event)).toMatch(words);
});

it("gives JSON a line an event, in one case of letters", () => {
  const line = eventJson(plan());
  expect(line).not.toContain("\n");
  expect(Object.keys(JSON.parse(line))).toEqual([
    "event",
    "round",
    "seconds",
    "warnings",
    "changes",
    "machines",
    "pending",
    "outputs_change",
  ]);
  expect(eventJson({ event: "stopping" })).toBe('{"event":"stopping"}');
});
