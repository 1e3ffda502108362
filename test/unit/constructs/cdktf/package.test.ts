import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { bundledProvider, packageFolder, version } from "../../../../constructs/cdktf/package.js";
import packageJson from "../../../../package.json" with { type: "json" };

const root = resolve(import.meta.dirname, "../../../..");

it("finds itself from any depth", () => {
  expect(packageFolder()).toBe(root);
  expect(packageFolder(join(root, "test", "unit"))).toBe(root);
  expect(() => packageFolder("/")).toThrow(/no package honest-paas/);
});

it("has the package's version and provider", () => {
  expect(version).toBe(packageJson.version);
  expect(bundledProvider()).toBe(join(root, "dist", "provider"));
});
