import { expect, it } from "vitest";
import { statusText } from "../../../../../provider/cli/status/render.js";
import { now, report } from "./read.js";

const labels = { "node-role.kubernetes.io/control-plane": "" };
const at = (minutesAgo: number): number => (now - minutesAgo * 60_000) / 1000;
const said = (over: object = {}) => ({
  "honest-paas.dev/snapshots": JSON.stringify({
    schedule_seconds: 21_600,
    target: true,
    since: at(600),
    last: { name: "20260601T090000Z", at: at(180), size: 5_242_880, revision: 7, keys: 5 },
    held: [
      ["20260601T030000Z", 1, 1, 1],
      ["20260601T090000Z", 1, 1, 1],
    ],
    uploaded: { id: "20260601T090000Z-demo-cp-a", at: at(179), taken: at(180), target: "x" },
    drill: { at: at(60), name: "20260601T090000Z", objects: 312, seconds: 2 },
    failed: {},
    problem: null,
    ...over,
  }),
});
const alive = (annotations: Readonly<Record<string, string>>) => ({ labels, annotations, agentAt: now - 5_000, bootedAt: now - 3_600_000 });

it("shows what each control plane has, has sent and has tried", () => {
  const seen = report({ nodes: { "demo-cp-a": alive(said()), "demo-cp-b": alive(said({ uploaded: null, drill: null })) } });
  expect(seen.snapshots).toMatchObject([
    {
      node: "demo-cp-a",
      last: { at: "2026-06-01T09:00:00Z", keys: 5 },
      held: 2,
      uploaded: { taken_at: "2026-06-01T09:00:00Z" },
      drill: { objects: 312 },
      problem: null,
    },
    { node: "demo-cp-b", uploaded: null, drill: null },
  ]);
  const lines = statusText(seen).split("\n");
  const head = lines.findIndex((line) => line.startsWith("SNAPSHOTS"));
  expect(lines.slice(head, head + 3)).toEqual([
    "SNAPSHOTS  LAST  SIZE     HELD  EVERY  SENT  DRILL",
    "demo-cp-a  3 h   5.0 MiB  2     6 h    3 h   1 h, 312 objects",
    "demo-cp-b  3 h   5.0 MiB  2     6 h    -     -",
  ]);
  expect(seen.problems.filter(({ text }) => text.startsWith("Snapshots"))).toEqual([]);
});

it("is trouble when one is too old, and when an upload fails, in the agent's words", () => {
  const old = said({ last: { name: "x", at: at(800), size: 1, revision: 1, keys: 1 }, failed: { upload: "403" }, problem: "upload: 403" });
  const { problems, verdict } = report({ nodes: { "demo-cp-a": alive(old) } });
  expect(problems.map(({ text }) => text)).toEqual([
    "Snapshots: demo-cp-a: its last good snapshot is of 2026-05-31T22:40:00Z, and one is due every 6h.",
    "Snapshots: demo-cp-a: upload: 403.",
  ]);
  expect(verdict).toBe("trouble");
});

it("says that there is no target, and that a schedule is off", () => {
  const seen = report({ nodes: { "demo-cp-a": alive(said({ schedule_seconds: 0, target: false, uploaded: null, last: null })) } });
  expect(statusText(seen)).toMatch(/demo-cp-a {2}NONE {2}- {5}2 {5}off {4}no target {2}\d+/);
});
