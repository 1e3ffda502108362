import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { localStatePath, workspaceOf } from "../../../../../provider/cli/keeper/state-path.js";

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

it("knows a workspace by terraform's rule, and where its state lies", () => {
  expect(workspaceOf(folder, {})).toBe("default");
  mkdirSync(join(folder, "data"));
  writeFileSync(join(folder, "data", "environment"), "staging");
  expect(workspaceOf(folder, { TF_DATA_DIR: "data" })).toBe("staging");
  expect(workspaceOf(folder, { TF_DATA_DIR: "data", TF_WORKSPACE: "prod" })).toBe("prod");
  backend({ local: { path: "/elsewhere/x.tfstate" } });
  expect(localStatePath(folder, "prod")).toBe(join(folder, "terraform.tfstate.d", "prod", "terraform.tfstate"));
  backend({ local: { workspace_dir: "/spaces" } });
  expect(localStatePath(folder, "prod")).toBe("/spaces/prod/terraform.tfstate");
});
