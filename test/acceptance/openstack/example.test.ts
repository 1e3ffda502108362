// The example as a user has it: its program runs, and the real provider finds every argument right.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, it } from "vitest";
import { run } from "../../support/demo-project.js";
import { mirrorConfig, openStackProvider } from "../../support/openstack/provider.js";
import { must } from "../../support/user-project.js";

const root = resolve(import.meta.dirname, "../../..");
const folder = mkdtempSync(join(tmpdir(), "hp-openstack-example-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const variables = { HONEST_IMAGE: "11111111-2222-4333-8444-555555555555", HONEST_PUBLIC_ACCESS: "192.0.2.0/24", HONEST_ZONES: "a,b,c" };

it("is valid for the vendor's provider", async () => {
  const { missing, mirror } = await openStackProvider();
  expect(missing).toBeNull();
  await must(run(process.execPath, ["scripts/setup.mjs"], { cwd: root }));
  const env = { TF_CLI_CONFIG_FILE: join(folder, "cli.tfrc") };
  const program = ["--import", "tsx", join(root, "examples/openstack/main.ts")];
  const out = join(folder, "cdktf.out");
  await must(run(process.execPath, program, { cwd: root, env: { ...variables, CDKTF_OUTDIR: out } }));
  const stack = join(out, "stacks/openstack");
  // the kit's own provider comes with the stack; a configuration that names mirrors has to name this one too
  writeFileSync(env.TF_CLI_CONFIG_FILE, mirrorConfig(mirror, join(stack, "terraform.d/plugins")));
  await must(run("terraform", ["init", "-no-color", "-input=false"], { cwd: stack, env }));
  await must(run("terraform", ["validate", "-no-color"], { cwd: stack, env }));
});

it("fails when a variable is missing, and says where to read about it", async () => {
  const program = ["--import", "tsx", join(root, "examples/openstack/main.ts")];
  const done = await run(process.execPath, program, { cwd: root, env: { CDKTF_OUTDIR: join(folder, "none") } });
  expect(done.code).not.toBe(0);
  expect(done.stdout + done.stderr).toContain("set HONEST_IMAGE: see README.md");
});
