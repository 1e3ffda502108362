import { describe, expect, it } from "vitest";
import { controlPlaneVersionProblem, leftBehind, oldestOf, type Running } from "../../../../provider/rollout/versions.js";

const all = (...versions: readonly (string | null)[]): Running => Object.fromEntries(versions.map((v, n) => ["abcde"[n] ?? "", v]));

type Row = readonly [what: string, running: Running, wanted: string, code: string | null, allowed?: string];
const rows: readonly Row[] = [
  ["a cluster that has no version yet", {}, "1.35.8", null],
  ["one whose machines have not said theirs", all(null, null, null), "1.37.2", null],
  ["an unknown version at birth", {}, "1.36.99", "version.unsupported", "1.35.8, 1.36.3, 1.37.2"],
  ["the same", all("1.36.3", "1.36.3", "1.36.3"), "1.36.3", null],
  ["the same, of a version that the kit no longer knows", all("1.30.1"), "1.30.1", null],
  ["one minor up", all("1.36.3", "1.36.3", "1.36.3"), "1.37.2", null],
  ["a patch up", all("1.36.0"), "1.36.3", null],
  ["two minors up", all("1.35.8", "1.35.8", "1.35.8"), "1.37.2", "version.skip", "1.35.8, 1.36.3"],
  ["two minors up for the last one only", all("1.36.3", "1.36.3", "1.35.8"), "1.37.2", "version.skip", "1.35.8, 1.36.3"],
  ["down", all("1.37.2", "1.37.2", "1.37.2"), "1.36.3", "version.downgrade", "1.37.2"],
  ["a single one down", all("1.37.2"), "1.36.3", "version.downgrade", "1.37.2"],
  ["back, when one has moved", all("1.37.2", "1.36.3", "1.36.3"), "1.36.3", null],
  ["back, when one has moved and one is silent", all("1.37.2", "1.36.3", null), "1.36.3", null],
  ["back, when two have moved", all("1.37.2", "1.37.2", "1.36.3"), "1.36.3", "version.downgrade", "1.37.2"],
  ["back to what nobody serves", all("1.37.2", "1.36.3", "1.36.3"), "1.35.8", "version.downgrade", "1.37.2"],
  ["on, when one has moved", all("1.37.2", "1.36.3", "1.36.3"), "1.37.2", null],
  ["an unknown version in a cluster", all("1.36.3"), "1.36.99", "version.unsupported", "1.36.3, 1.37.2"],
  ["no version at all", all("1.36.3"), "latest", "version.unsupported", "1.36.3, 1.37.2"],
];

describe("control planes", () => {
  for (const [what, running, wanted, code, allowed] of rows) {
    it(what, () => {
      const problem = controlPlaneVersionProblem(wanted, running);
      expect(problem?.code ?? null).toBe(code);
      if (allowed !== undefined) expect(problem?.allowed).toBe(allowed);
    });
  }

  it("are named when they cannot go back", () => {
    expect(controlPlaneVersionProblem("1.36.3", all("1.37.2", "1.37.2", "1.36.3"))?.message).toBe(
      "is older than the 1.37.2 that a, b run; Kubernetes cannot go back",
    );
  });

  it("are not told to write what they may not go to", () => {
    expect(controlPlaneVersionProblem("1.36", all("1.37.2"))?.fix).toBeUndefined();
    expect(controlPlaneVersionProblem("1.37", all("1.36.3"))?.fix).toBe("write 1.37.2");
  });
});

describe("kubelets that would be left behind", () => {
  it.each([
    ["1.37.2", { w: "1.36.3" }, null],
    ["1.37.2", { w: "1.34.0" }, null],
    ["1.37.2", { w: "1.33.9" }, /newer than the kubelets of node group w \(1\.33\.9\)/],
    ["1.37.2", { v: "1.33.0", w: "1.33.9", x: "1.37.2" }, /node group v, w \(1\.33\.0\)/],
    ["1.36.3", { w: "1.37.2" }, null],
    ["1.36.3", { w: null }, null],
  ] as const)("control planes of %s, kubelets %j", (control, kubelets, message) => {
    const problem = leftBehind(control, kubelets);
    if (message === null) expect(problem).toBeNull();
    else expect(problem?.message).toMatch(message);
  });
});

it("the oldest is found by number", () => {
  expect(oldestOf(["1.10.0", "1.9.9", "x"])).toBe("1.9.9");
  expect(oldestOf(["x"])).toBeNull();
});
