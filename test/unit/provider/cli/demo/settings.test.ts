import { describe, expect, it } from "vitest";
import { defaults, settingsFrom } from "../../../../../provider/cli/demo/settings.js";

describe("settings", () => {
  it.each([
    [{}, undefined, defaults],
    [{}, { controlPlanes: 3, workers: 4, version: "1.37.2" }, { controlPlanes: 3, workers: 4, version: "1.37.2" }],
    [{ workers: ["0"] }, { controlPlanes: 3, workers: 4, version: "1.37.2" }, { controlPlanes: 3, workers: 0, version: "1.37.2" }],
    [{ "control-planes": ["5"], version: ["1.37.2"] }, undefined, { controlPlanes: 5, workers: 2, version: "1.37.2" }],
  ])("takes flags %j over what the cluster has", (flags, before, expected) => {
    expect(settingsFrom(flags, before)).toEqual(expected);
  });

  it.each([
    [{ "control-planes": ["2"] }, /--control-planes is 2\. Allowed: 1, 3 or 5/],
    [{ "control-planes": ["0"] }, /Allowed: a whole number, 1 to 5/],
    [{ "control-planes": ["7"] }, /1 to 5/],
    [{ workers: ["-1"] }, /--workers is "-1"\. Allowed: a whole number, 0 to 20/],
    [{ workers: ["1.5"] }, /a whole number/],
    [{ workers: ["two"] }, /a whole number/],
    [{ version: ["1.12.0"] }, /--version is "1\.12\.0"\. Supported: 1\.35/],
    [{ version: ["latest"] }, /Supported/],
  ])("fails when given %j", (flags, words) => {
    expect(() => settingsFrom(flags, undefined)).toThrow(words);
  });
});
