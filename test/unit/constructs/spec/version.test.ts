import { describe, expect, it } from "vitest";
import {
  compareVersions,
  defaultVersion,
  isSupported,
  latestOf,
  nextVersions,
  parseVersion,
  skewProblem,
  supportedVersions,
  unsupported,
  upgradeProblem,
} from "../../../../constructs/spec/version.js";

describe("parseVersion", () => {
  it.each([
    ["1.36.3", { major: 1, minor: 36, patch: 3 }],
    ["v1.36.3", null],
    ["1.36", null],
    ["1.36.3-rc.1", null],
    ["01.36.3", null],
    ["", null],
    ["1.36.3\n", null],
  ])("%j", (text, wanted) => {
    expect(parseVersion(text)).toEqual(wanted);
  });
});

it("compares numbers, not texts", () => {
  const [nine, ten] = [parseVersion("1.9.0"), parseVersion("1.10.0")];
  expect(nine && ten && compareVersions(nine, ten)).toBeLessThan(0);
});

it("has a default that is supported", () => {
  expect(isSupported(defaultVersion)).toBe(true);
  expect(supportedVersions).toContain(defaultVersion);
});

it("finds the newest patch of a minor", () => {
  expect(latestOf("1.37")).toBe("1.37.2");
  expect(latestOf("1.3")).toBeUndefined();
});

describe("unsupported", () => {
  it.each([
    ["1.36.3", undefined, undefined],
    ["v1.36.3", "is not a Kubernetes version", "write 1.36.3"],
    ["1.36", "is not a Kubernetes version", "write 1.36.3"],
    ["1.36.1", "is not a supported Kubernetes version", "write 1.36.3"],
    ["1.20.0", "is not a supported Kubernetes version", undefined],
    ["latest", "is not a Kubernetes version", undefined],
    ["__proto__", "is not a Kubernetes version", undefined],
  ])("%s", (text, message, fix) => {
    const problem = unsupported(text, ["version"]);
    expect([problem?.message, problem?.fix]).toEqual([message, fix]);
  });
});

describe("upgradeProblem", () => {
  it.each([
    ["1.36.3", "1.36.3", null],
    ["1.36.1", "1.36.3", null],
    ["1.36.3", "1.37.2", null],
    ["1.35.8", "1.37.2", "version.skip"],
    ["1.37.2", "1.36.3", "version.downgrade"],
    ["1.36.3", "1.36.2", "version.downgrade"],
    ["1.36.3", "2.0.0", "version.skip"],
  ])("%s → %s", (from, to, code) => {
    expect(upgradeProblem(from, to)?.code ?? null).toBe(code);
  });

  it("names the version to go to first", () => {
    expect(upgradeProblem("1.35.8", "1.37.2")?.fix).toBe("go to 1.36.3 first");
  });

  it.each([
    ["1.35.8", ["1.35.8", "1.36.3"]],
    ["1.36.3", ["1.36.3", "1.37.2"]],
    ["1.36.9", ["1.37.2"]],
    ["1.37.2", ["1.37.2"]],
    ["1.20.0", []],
    ["x", []],
  ])("from %s it may go to %j", (from, next) => {
    expect(nextVersions(from)).toEqual(next);
  });

  it("says which versions are allowed", () => {
    expect(upgradeProblem("1.37.2", "1.36.3")?.allowed).toBe("1.37.2");
    expect(upgradeProblem("1.20.0", "1.36.3")?.allowed).toMatch(/^none/);
  });
});

describe("skewProblem", () => {
  it.each([
    ["1.36.3", "1.36.3", true],
    ["1.36.3", "1.33.0", true],
    ["1.36.3", "1.32.9", false],
    ["1.36.3", "1.37.0", false],
    ["1.36.3", "1.36.4", false],
  ])("control plane %s, nodes %s", (control, node, fine) => {
    expect(skewProblem(control, node, ["version"]) === null).toBe(fine);
  });
});
