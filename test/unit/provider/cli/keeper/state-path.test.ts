import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { localStatePath } from "../../../../../provider/cli/keeper/state-path.js";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hp-path-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const backend = (block: object): void => writeFileSync(join(folder, "cdk.tf.json"), JSON.stringify({ terraform: { backend: block } }));

it("reads the path of a local backend, absolute or below the stack", () => {
  backend({ local: { path: "/elsewhere/terraform.demo.tfstate" } });
  expect(localStatePath(folder)).toBe("/elsewhere/terraform.demo.tfstate");
  backend({ local: { path: "../x.tfstate" } });
  expect(localStatePath(folder)).toBe(join(folder, "..", "x.tfstate"));
  backend({ local: {} });
  expect(localStatePath(folder)).toBe(join(folder, "terraform.tfstate"));
});

it("takes terraform's own default without a backend, and nothing for a remote one", () => {
  expect(localStatePath(folder)).toBe(join(folder, "terraform.tfstate"));
  backend({ s3: { bucket: "b" } });
  expect(localStatePath(folder)).toBeUndefined();
});
