import { expect, it } from "vitest";
import { statusText } from "../../../../../provider/cli/status/render.js";
import { ago, span, table } from "../../../../../provider/cli/status/words.js";
import { machine, now, report, second } from "./read.js";

it("is aligned text", () => {
  expect(statusText(report({ leader: "demo-cp-b" }))).toBe(`demo  Kubernetes 1.36.3  https://127.0.0.1:26443  healthy

ETCD       STATE    LEADER  REPORTED
demo-cp-a  answers          5 s
demo-cp-b  answers  yes     5 s
demo-cp-c  answers          5 s

NODE       POOL  VERSION  RELEASE   READY  AGENT  STAGE  UP
demo-cp-a  cp    1.36.3   r1a2b3c4  yes    5 s    ready  3 h
demo-cp-b  cp    1.36.3   r1a2b3c4  yes    5 s    ready  3 h
demo-cp-c  cp    1.36.3   r1a2b3c4  yes    5 s    ready  3 h

CERTIFICATE  ENDS               SEEN IN
cluster CA   2036-05-29 12:00Z  state
API server   2027-05-31 12:00Z  handshake

handed over  yes
roll lease   free
pending      nothing
window       always open
`);
});

it("puts what is wrong last, where the eye ends", () => {
  const text = statusText(
    report({
      dead: ["demo-cp-b"],
      nodes: { "demo-cp-b": { agentAt: now - 90 * second, ready: false } },
      lease: { holder: "demo-cp-b", ageSec: 30, drained: true },
      state: { machines: [machine("demo-cp-a"), machine("demo-cp-b"), machine("demo-cp-c", { pending: true, wanted: "r2b3c4d5e6f7" })] },
    }),
  );
  expect(text).toMatch(/demo-cp-b {2}DEAD/);
  expect(text).toMatch(/demo-cp-b .* NO +SILENT 90? s|demo-cp-b .* NO +SILENT 1 min/);
  expect(text).toContain("roll lease   demo-cp-b, 30 s, drained");
  expect(text).toContain("pending      demo-cp-c (r2b3c4d5)");
  expect(text.trimEnd().split("\n\n").at(-1)).toMatch(/^! etcd member demo-cp-b[\s\S]*\n- demo-cp-b is being replaced/);
});

it("is short when the API is silent", () => {
  const text = statusText(report({ unreachable: "the Kubernetes API does not answer: refused" }));
  expect(text).not.toContain("NODE");
  expect(text).toContain("handed over  unknown");
  expect(text).toContain("! The Kubernetes API does not answer: refused");
});

it("says when a closed window opens", () => {
  const state = { window: { days: ["saturday"], hour: 2, durationHours: 3, timezone: "UTC" } };
  expect(statusText(report({ state }))).toContain("window       closed (saturday at 02:00 UTC, 3 h), opens at 2026-06-06T02:00Z");
});

it.each([
  [0, "0 s"],
  [-5, "0 s"],
  [59, "59 s"],
  [60, "1 min"],
  [3_600, "1 h"],
  [100_000, "27 h"],
  [200_000, "2 d"],
])("%i s are %s", (seconds, words) => {
  expect(span(seconds * 1000)).toBe(words);
  expect(ago(new Date(now - seconds * 1000).toISOString(), now)).toBe(words);
});

it("pads columns and trims the last", () => {
  expect(table(["A", "B"], [["long", "x"], ["y"]])).toEqual(["A     B", "long  x", "y"]);
});
