// Names that a vendor takes: cut without two becoming one, and told when two would be one all the same.
import { expect, it } from "vitest";
import { fitName, nameProblems } from "../../../../constructs/iaas/names.js";
import { mappingNamed } from "../../../support/cloud-specs.js";

const limited = {
  ...mappingNamed("preview"),
  limits: { ...mappingNamed("preview").limits, names: { x_lb: { length: 8, pattern: /^[a-z0-9-]+$/, allowed: "a-z, 0-9 and dashes" } } },
};
const named = (...names: readonly string[]) => names.map((name, n) => ({ type: "x_lb", name: `block/${n}`, args: { name } }));

it("cuts what is too long, and tells apart what begins alike", () => {
  expect(fitName("short", 32)).toBe("short");
  const [one, other] = [fitName("a-very-long-name-one", 12), fitName("a-very-long-name-two", 12)];
  expect(one).not.toBe(other);
  for (const name of [one, other]) expect(name).toMatch(/^a-very-[0-9a-f]{5}$|^a-ver[a-z-]*-[0-9a-f]{5}$/);
  expect(fitName("a-very-long-name-one", 12).length).toBeLessThanOrEqual(12);
});

it("is an error when two names are one after they were cut", () => {
  expect(nameProblems(named("same", "same"), limited)).toMatchObject([{ code: "name.duplicate", got: "same" }]);
  expect(nameProblems(named("one", "two"), limited)).toEqual([]);
});

it("is an error when the vendor would refuse a name", () => {
  expect(nameProblems(named("much-too-long"), limited)).toMatchObject([
    { code: "name.invalid", allowed: expect.stringContaining("8 characters") },
  ]);
  expect(nameProblems(named("A_B"), limited)).toMatchObject([{ code: "name.invalid" }]);
});
