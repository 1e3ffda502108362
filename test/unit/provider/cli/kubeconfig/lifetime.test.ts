import { expect, it } from "vitest";
import { parseLifetime } from "../../../../../provider/cli/kubeconfig/lifetime.js";

it.each([
  ["1m", 1],
  ["10m", 10],
  ["8h", 480],
  ["365d", 525_600],
])("%s is %i minutes", (text, minutes) => {
  expect(parseLifetime(text)).toBe(minutes);
});

it.each(["0m", "366d", "10", "10s", "-1h", "", "1.5h", "1h30m"])("fails when given %j", (text) => {
  expect(() => parseLifetime(text)).toThrow(/Allowed: 1m to 365d/);
});
