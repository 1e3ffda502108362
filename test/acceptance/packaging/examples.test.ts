// The examples of the reference pages are one small cluster; terraform itself says whether they are right.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { run } from "../../support/demo-project.js";
import { must } from "../../support/user-project.js";

const root = resolve(import.meta.dirname, "../../..");
const examples = join(root, "examples");
const folder = mkdtempSync(join(tmpdir(), "hp-examples-"));
const env = { HOME: folder, TF_CLI_CONFIG_FILE: join(folder, "none.tfrc") };
const read = (...path: string[]): string => readFileSync(join(examples, ...path), "utf8");

beforeAll(async () => {
  await must(run(process.execPath, ["scripts/setup.mjs"], { cwd: root }));
  const plugins = join(folder, "terraform.d", "plugins");
  await must(run(process.execPath, ["dist/cli/honest-paas.js", "provider", "install", "--plugins", plugins], { cwd: root }));
  writeFileSync(env.TF_CLI_CONFIG_FILE, "");
  writeFileSync(join(folder, "provider.tf"), read("provider", "provider.tf"));
  for (const name of readdirSync(join(examples, "resources")))
    writeFileSync(join(folder, `${name}.tf`), read("resources", name, "resource.tf"));
  // a worker's machine and boot are those of the control plane under another name
  const worker = ["honest_boot", "honest_local_machine"].map((name) => read("resources", name, "resource.tf").replaceAll("cp_a", "worker"));
  writeFileSync(join(folder, "worker.tf"), worker.join("\n").replaceAll("honest_local_disk.worker", "honest_local_disk.cp_a"));
  const ephemeral = read("ephemeral-resources", "honest_kubeconfig", "ephemeral-resource.tf");
  writeFileSync(join(folder, "kubeconfig.tf"), ephemeral.replace(/provider "kubernetes" \{[\s\S]*\n\}\n/, ""));
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("is valid for terraform, as one configuration", async () => {
  await must(run("terraform", ["init", "-no-color", "-input=false"], { cwd: folder, env }));
  await must(run("terraform", ["validate", "-no-color"], { cwd: folder, env }));
});

it("is formatted", async () => {
  const done = await run("terraform", ["fmt", "-check", "-recursive", "-no-color", examples], { cwd: folder, env });
  expect(done.code, done.stdout + done.stderr).toBe(0);
});
