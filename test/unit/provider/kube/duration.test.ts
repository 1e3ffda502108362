import { expect, it } from "vitest";
import { parseDuration } from "../../../../provider/kube/duration.js";

it.each([
  ["20m", 1_200_000],
  ["1h30m", 5_400_000],
  ["45s", 45_000],
  ["500ms", 500],
  ["1.5h", 5_400_000],
  ["", undefined],
  ["20", undefined],
  ["20 m", undefined],
  ["m20", undefined],
  ["-5m", undefined],
])("%j is %j", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});
