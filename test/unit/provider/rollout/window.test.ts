import { describe, expect, it } from "vitest";
import { openingWords, type Window, windowState } from "../../../../provider/rollout/window.js";

const at = (text: string): number => Date.parse(text);
const window = (over: Partial<Window> = {}): Window => ({ days: [], hour: 2, durationHours: 3, timezone: "UTC", ...over });

describe("window", () => {
  it.each([
    ["none", null, "2026-12-01T12:00Z", true, undefined],
    ["before it opens", window(), "2026-12-01T01:59Z", false, "2026-12-01T02:00Z"],
    ["when it opens", window(), "2026-12-01T02:00Z", true, undefined],
    ["its last minute", window(), "2026-12-01T04:59Z", true, undefined],
    ["when it has closed", window(), "2026-12-01T05:00Z", false, "2026-12-02T02:00Z"],
    ["across midnight", window({ hour: 23, durationHours: 4 }), "2026-12-01T02:59Z", true, undefined],
    [
      "across midnight, the day it opened counts",
      window({ days: ["monday"], hour: 23, durationHours: 4 }),
      "2026-12-01T01:00Z",
      true,
      undefined,
    ],
    ["another day", window({ days: ["sunday"] }), "2026-12-01T02:30Z", false, "2026-12-06T02:00Z"],
    ["the whole day", window({ durationHours: 24 }), "2026-12-01T01:00Z", true, undefined],
    ["local time in winter", window({ timezone: "Europe/Berlin" }), "2026-12-01T01:00Z", true, undefined],
    ["local time in summer", window({ timezone: "Europe/Berlin" }), "2026-07-01T00:00Z", true, undefined],
    ["local time, closed", window({ timezone: "Europe/Berlin", durationHours: 1 }), "2026-07-01T01:00Z", false, "2026-07-02T00:00Z"],
    [
      "the hour that summer time skips comes the next day",
      window({ timezone: "Europe/Berlin", durationHours: 1 }),
      "2026-03-29T00:30Z",
      false,
      "2026-03-30T00:00Z",
    ],
    [
      "on one day of the week, whose hour summer time skips: a week later",
      window({ days: ["sunday"], timezone: "Europe/Berlin", durationHours: 1 }),
      "2026-03-22T03:00Z",
      false,
      "2026-04-05T00:00Z",
    ],
    ["half-hour zones", window({ timezone: "Asia/Kolkata", durationHours: 1 }), "2026-12-01T20:45Z", true, undefined],
  ] as const)("%s", (_what, given, now, open, opens) => {
    expect(windowState(given, at(now))).toEqual(opens === undefined ? { open } : { open, opens });
  });
});

it.each([
  ["Europe/Berlin", "2026-12-01T02:00Z (Tuesday 03:00 Europe/Berlin)"],
  ["America/Los_Angeles", "2026-12-01T02:00Z (Monday 18:00 America/Los_Angeles)"],
  ["UTC", "2026-12-01T02:00Z (Tuesday 02:00 UTC)"],
])("its opening is told in %s too", (timezone, words) => {
  expect(openingWords(window({ timezone }), "2026-12-01T02:00Z")).toBe(words);
});
