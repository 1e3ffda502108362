import { expect, it } from "vitest";
import { newEnough, onPath } from "../../../../../provider/cli/terraform/find.js";

it.each([
  ["1.8.0", true],
  ["1.11.4", true],
  ["2.0.0", true],
  ["1.7.5", false],
  ["0.15.0", false],
  ["1.12.0-beta1", true],
])("%s will do: %s", (version, good) => {
  expect(newEnough(version)).toBe(good);
});

it("finds nothing on an empty PATH", () => {
  expect(onPath("node", { PATH: "" })).toBeUndefined();
  expect(onPath("node", {})).toBeUndefined();
});
