// What a user does after npm install, up to the plan: no registry for the provider, no CLI configuration, no overrides.
// The apply is in test/e2e/user-project*.test.ts, plain HCL in hcl.test.ts.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import packageJson from "../../../package.json" with { type: "json" };
import { type NodeMajor, nodeFolder, nodeReleases } from "../../../scripts/node-releases.mjs";
import { run } from "../../support/demo-project.js";
import { type Kit, must, packTarball, type UserProject, userProject } from "../../support/user-project.js";

const root = resolve(import.meta.dirname, "../../..");
const temporary = mkdtempSync(join(tmpdir(), "hp-pack-"));
let tarball = "";

beforeAll(async () => {
  await must(run(process.execPath, ["scripts/setup.mjs"], { cwd: root }));
  tarball = await packTarball(temporary);
}, 300_000);
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

it("packs what a user needs and nothing of the workshop", async () => {
  const listed = (await must(run("tar", ["-tzf", tarball]))).stdout.split("\n").map((path) => path.replace(/^package\//, ""));
  for (const needed of [
    "LICENSE",
    "README.md",
    "CHANGELOG.md",
    "dist/index.js",
    "dist/index.cjs",
    "dist/index.d.ts",
    "dist/cdktn/index.js",
    "dist/cdktn/index.d.cts",
    "dist/spec.js",
    "dist/iaas.js",
    "dist/cli/honest-paas.js",
    "dist/examples/local-cluster.js",
    `dist/provider/terraform-provider-honest_v${packageJson.version}`,
    "dist/provider/lib/provider.cjs",
    "examples/local-cluster/main.ts",
  ])
    expect(listed).toContain(needed);
  expect(listed.filter((path) => /^(test|provider|constructs|scripts|bench|cloud-init|\.ci)\//.test(path))).toEqual([]);
});

describe.each<Kit>(["cdktf", "cdktn"])("a project with %s", (kit) => {
  let project: UserProject;
  beforeAll(async () => {
    project = await userProject({ tarball, kit });
  }, 300_000);
  afterAll(() => project.close());

  it("installs nothing but the kit it was asked for", async () => {
    const lock = JSON.parse(readFileSync(join(project.dir, "package-lock.json"), "utf8")) as { packages: Record<string, unknown> };
    const other = kit === "cdktf" ? "cdktn" : "cdktf";
    expect(Object.keys(lock.packages)).not.toContain(`node_modules/${other}`);
    const kits = ["honest-paas", kit, "constructs"];
    const direct = Object.keys(lock.packages).filter((path) => path !== "" && !path.includes("/node_modules/"));
    // what is beside them is the kit's own, so nothing of ours may be missing without it
    expect(direct.filter((path) => /undici|tar-stream|x509|^node_modules\/yaml$/.test(path) && !kits.includes(path))).toEqual([]);
  });

  it("synthesizes the README's program; terraform installs the provider, validates and plans", async () => {
    await must(project.npx(["tsx", "main.ts"]));
    const init = await must(project.terraform(["init", "-no-color", "-input=false"]));
    expect(init.stdout).toContain("honest-paas/honest");
    await must(project.terraform(["validate", "-no-color"]));
    const plan = await project.terraform(["plan", "-no-color", "-input=false", "-detailed-exitcode"]);
    expect(plan.code, plan.stdout + plan.stderr).toBe(2);
    expect(plan.stdout).toMatch(/Plan: \d+ to add, 0 to change, 0 to destroy/);
    expect(plan.stdout + plan.stderr).not.toMatch(/PRIVATE KEY/);
  });

  it("plans in a project whose package.json says that everything is an ES module", async () => {
    const file = join(project.dir, "package.json");
    writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, "utf8")) as object), type: "module" }));
    await must(project.npx(["tsx", "main.ts"]));
    expect((await project.terraform(["plan", "-no-color", "-input=false", "-detailed-exitcode"])).code).toBe(2);
  });

  it("type-checks for a user, strictly", async () => {
    const compilerOptions = { noEmit: true, strict: true, module: "nodenext", target: "es2022", types: [], skipLibCheck: true };
    writeFileSync(join(project.dir, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["main.ts"] }));
    await must(run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "."], { cwd: project.dir }));
  });

  it.each(["require", "import"])("loads by %s", async (how) => {
    const name = kit === "cdktf" ? "honest-paas" : "honest-paas/cdktn";
    for (const [specifier, wanted] of [
      [name, "Cluster"],
      ["honest-paas/spec", "parse"],
      ["honest-paas/iaas", "mapCluster"],
    ]) {
      const load = how === "require" ? `Promise.resolve(require("${specifier}"))` : `import("${specifier}")`;
      const type = how === "require" ? "commonjs" : "module";
      const code = `${load}.then((m) => { if (typeof m.${wanted} !== "function") throw new Error("no ${wanted} in " + Object.keys(m)); })`;
      await must(run(process.execPath, [`--input-type=${type}`, "-e", code], { cwd: project.dir }));
    }
  });

  it("has the tool", async () => {
    expect((await must(project.npx(["honest-paas", "--version"]))).stdout.trim()).toBe(packageJson.version);
    const help = await must(project.npx(["honest-paas", "demo", "--help"]));
    expect(help.stdout).toContain("--control-planes");
  });

  it.each([20, 22, 24] as const satisfies NodeMajor[])("synthesizes and plans under Node.js %s, and the tool runs", async (major) => {
    const env = { PATH: `${nodeFolder(major)}${delimiter}${process.env.PATH}` };
    expect((await must(project.shell("node --version", { env }))).stdout.trim()).toBe(`v${nodeReleases[major]}`);
    rmSync(project.stack, { recursive: true, force: true });
    await must(project.npx(["tsx", "main.ts"], { env }));
    await must(project.terraform(["init", "-no-color", "-input=false"], { env }));
    const plan = await project.terraform(["plan", "-no-color", "-input=false", "-detailed-exitcode"], { env });
    expect(plan.code, plan.stdout + plan.stderr).toBe(2);
    expect((await must(project.npx(["honest-paas", "--help"], { env }))).stdout).toContain("provider install");
  });

  it("leaves cdktf nothing to ask a registry for: the provider is locked from the start, as terraform itself would lock it", async () => {
    rmSync(project.stack, { recursive: true, force: true });
    await must(project.npx(["tsx", "main.ts"]));
    const entry = (): string =>
      /^provider "registry\.terraform\.io\/honest-paas\/honest" \{[\s\S]*?^\}/m.exec(
        readFileSync(join(project.stack, ".terraform.lock.hcl"), "utf8"),
      )?.[0] ?? "";
    const ours = entry();
    expect(ours).toContain("h1:");
    await must(project.terraform(["init", "-no-color", "-input=false", "-lockfile=readonly"]));
    rmSync(join(project.stack, ".terraform.lock.hcl"));
    await must(project.terraform(["init", "-no-color", "-input=false"]));
    expect(entry()).toBe(ours);
  });

  it("gives no kubeconfig before an apply, and says what to do", async () => {
    const asked = await project.npx(["honest-paas", "kubeconfig"], { cwd: project.stack });
    expect(asked.code).toBe(1);
    expect(asked.stderr).toMatch(/has no cluster yet\. Run terraform apply/);
  });
});
