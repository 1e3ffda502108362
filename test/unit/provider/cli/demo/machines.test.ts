import { describe, expect, it } from "vitest";
import { lastLines, readMarker, wordMachine } from "../../../../../provider/cli/demo/machines.js";

const up = { Running: true, ExitCode: 0 };
const marker = (stage: string, ok: boolean, reason = "") => ({ stage, ok, reason, at: "2026-01-01T00:00:00Z" });

describe("wordMachine", () => {
  it.each([
    ["ready", up, marker("ready", true), undefined],
    ["no marker", up, undefined, "no stage has begun: cloud-init has not come to the boot stage, or failed before it"],
    [
      "a stage that fails",
      up,
      marker("artefacts", false, "http://m: 404"),
      'stage "artefacts" is not done: http://m: 404 (marker of 2026-01-01T00:00:00Z)',
    ],
    ["between two stages", up, marker("kernel", true), 'stage "kernel" is done, the next one is not (marker of 2026-01-01T00:00:00Z)'],
    ["stopped", { Running: false, ExitCode: 137 }, marker("ready", true), "it does not run (ended with code 137); it was ready before"],
  ])("%s", (_case, state, seen, words) => expect(wordMachine(state, seen)).toBe(words));
});

it("a marker that cannot be read is none", () => {
  expect(readMarker(null)).toBeUndefined();
  expect(readMarker('{"stage": "ker')).toBeUndefined();
  expect(readMarker('{"stage":"kernel"}')).toEqual({ stage: "kernel" });
});

it("the console's last lines are text without colours, empty lines and carriage returns", () => {
  expect(lastLines("a\r\n\u001b[0;32m  OK  \u001b[0m done\r\n\r\n   \nb  \n", 2)).toEqual(["  OK   done", "b"]);
});
