// examples/hcl-local as a user has it: terraform init, apply, kubectl. Real machines, real Kubernetes. The steps build on
// each other, in order.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually, type Finished, leftovers, run } from "../support/demo-project.js";
import { kubectlFolder } from "../support/kubectl.js";
import { must } from "../support/user-project.js";

const name = "e2e-managed";
const root = resolve(import.meta.dirname, "../..");

describe("honest_cluster with two groups on the local cloud", () => {
  const folder = mkdtempSync(join(tmpdir(), "hp-managed-"));
  const env: Record<string, string> = { TF_VAR_name: name, TF_CLI_CONFIG_FILE: join(folder, "none.tfrc") };
  const main = join(folder, "main.tf");
  const terraform = (...args: string[]): Promise<Finished> =>
    run("terraform", [...args, "-no-color", "-input=false"], { cwd: folder, env });
  const tool = (...args: string[]): Promise<Finished> =>
    run(process.execPath, [join(root, "dist/cli/honest-paas.js"), ...args], { cwd: folder, env });
  const nodes = async (): Promise<readonly string[]> => {
    const done = await must(
      run("kubectl", ["--kubeconfig", join(folder, "kubeconfig"), "get", "nodes", "--no-headers", "--show-labels"], { cwd: folder, env }),
    );
    return done.stdout.trim().split("\n");
  };
  const change = (from: string, to: string): void => {
    const text = readFileSync(main, "utf8");
    expect(text).toContain(from);
    writeFileSync(main, text.replace(from, to));
  };
  const emptyPlan = async (): Promise<void> => {
    const again = await terraform("plan", "-detailed-exitcode");
    expect(again.code, again.stdout + again.stderr).toBe(0);
  };

  beforeAll(async () => {
    await must(run(process.execPath, ["scripts/setup.mjs"], { cwd: root }));
    env.PATH = [await kubectlFolder(), process.env.PATH].join(delimiter);
    cpSync(join(root, "examples/hcl-local/main.tf"), main);
    writeFileSync(join(folder, "none.tfrc"), "");
    await must(tool("provider", "install", "--plugins", join(folder, "terraform.d", "plugins")));
    await must(run("terraform", ["init", "-no-color", "-input=false"], { cwd: folder, env }));
  }, 300_000);

  afterAll(async () => {
    const gone = await terraform("destroy", "-auto-approve");
    expect(gone.code, gone.stdout + gone.stderr).toBe(0);
    rmSync(folder, { recursive: true, force: true });
    expect(await leftovers(name)).toEqual([]);
  }, 300_000);

  it("is a living cluster after one apply, and the second plan is empty", async () => {
    const made = await terraform("apply", "-auto-approve");
    expect(made.code, made.stdout + made.stderr).toBe(0);
    const access = await must(tool("kubeconfig"));
    writeFileSync(join(folder, "kubeconfig"), access.stdout, { mode: 0o600 });
    const all = await eventually("3 nodes Ready", 60, async () => {
      const seen = await nodes();
      return seen.length === 3 && seen.every((node) => / Ready /.test(node)) ? seen : undefined;
    });
    expect(all.filter((node) => node.includes("example.org/for=batch"))).toHaveLength(1);
    expect(readFileSync(join(folder, ".terraform/honest-paas", `${name}.log`), "utf8")).toContain("cp/a/machine");
    await emptyPlan();
  });

  it("scales one group and labels the other in place by one apply", async () => {
    change("desired_size = 1", "desired_size = 2");
    change('"example.org/for" = "batch"', '"example.org/for" = "night"');
    const made = await terraform("apply", "-auto-approve");
    expect(made.code, made.stdout + made.stderr).toBe(0);
    const all = await nodes();
    expect(all).toHaveLength(4);
    expect(all.filter((node) => node.includes("example.org/for=night"))).toHaveLength(1);
    await emptyPlan();
  });

  it("mends a machine that was removed behind its back", async () => {
    const [victim = ""] = (await nodes()).filter((node) => node.includes("batch")).map((node) => node.split(" ")[0] ?? "");
    await must(run("docker", ["rm", "--force", victim], { cwd: folder }));
    const planned = await terraform("plan", "-detailed-exitcode");
    expect(planned.code, planned.stdout + planned.stderr).toBe(2);
    expect(planned.stdout).toContain("group/batch/a/0/machine");
    const made = await terraform("apply", "-auto-approve");
    expect(made.code, made.stdout + made.stderr).toBe(0);
    await emptyPlan();
  });
});
