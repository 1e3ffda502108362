// A user's own project to the end: the packed tarball in an empty folder, the README's program, terraform, kubeconfig,
// kubectl; then away with it. Only the cluster's name differs from the README, so that it can stand beside a demo.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mirroredBinary } from "../../provider/mirror/build.js";
import { cacheRoot } from "../../provider/mirror/cache.js";
import { componentsOf } from "../../provider/mirror/versions.js";
import { eventually, leftovers, run } from "../support/demo-project.js";
import { must, packTarball, readmeProgram, type UserProject, userProject } from "../support/user-project.js";

const name = "e2e-user";
const temporary = mkdtempSync(join(tmpdir(), "hp-pack-"));
let project: UserProject;
let kubectl = "";

beforeAll(async () => {
  const program = readmeProgram("cdktn").replaceAll('"demo"', `"${name}"`).replace("desiredSize: 2", "desiredSize: 1");
  project = await userProject(await packTarball(temporary), "cdktn", program, name);
  const components = componentsOf("1.36.3");
  kubectl = (components && (await mirroredBinary(components, "kubectl", join(cacheRoot(), "mirror")))) ?? "kubectl";
}, 300_000);

afterAll(async () => {
  const gone = await project.terraform(["destroy", "-auto-approve", "-no-color", "-input=false"]);
  project.close();
  rmSync(temporary, { recursive: true, force: true });
  expect(gone.code, gone.stdout + gone.stderr).toBe(0);
  expect(await leftovers(name)).toEqual([]);
}, 300_000);

describe("a user's own project, with cdktn", () => {
  it("makes a cluster by terraform init and apply alone, and the second plan is empty", async () => {
    await must(project.npx(["tsx", "main.ts"]));
    await must(project.terraform(["init", "-no-color", "-input=false"]));
    await must(project.terraform(["apply", "-auto-approve", "-no-color", "-input=false"]));
    const again = await project.terraform(["plan", "-detailed-exitcode", "-no-color", "-input=false"]);
    expect(again.code, again.stdout + again.stderr).toBe(0);
  });

  it("gives a kubeconfig that holds no key and that kubectl works with", async () => {
    const made = await must(project.npx(["honest-paas", "kubeconfig"], { cwd: project.stack }));
    expect(made.stdout).not.toMatch(/PRIVATE KEY|client-key-data/);
    const file = join(project.dir, "kubeconfig");
    writeFileSync(file, made.stdout, { mode: 0o600 });
    const nodes = await eventually("two Ready nodes", 60, async () => {
      const listed = await must(run(kubectl, ["--kubeconfig", file, "get", "nodes", "--no-headers"]));
      const rows = listed.stdout.trim().split("\n");
      return rows.length === 2 && rows.every((row) => / Ready /.test(row)) ? rows : undefined;
    });
    expect(nodes).toHaveLength(2);
  });

  it("embeds a key only when asked, with the user, the group and the time asked for", async () => {
    const made = await must(
      project.npx(["honest-paas", "kubeconfig", "--embed", "--user", "ann", "--group", "readers", "--ttl", "5m"], { cwd: project.stack }),
    );
    const file = join(project.dir, "embedded");
    writeFileSync(file, made.stdout, { mode: 0o600 });
    const who = await must(run(kubectl, ["--kubeconfig", file, "auth", "whoami", "-o", "json"]));
    expect(JSON.parse(who.stdout)).toMatchObject({
      status: { userInfo: { username: "ann", groups: ["readers", "system:authenticated"] } },
    });
    const refused = await run(kubectl, ["--kubeconfig", file, "get", "secrets", "-A"]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toMatch(/forbidden/i);
  });

  it("merges into a kubeconfig that exists", async () => {
    const file = join(project.dir, "merged");
    writeFileSync(
      file,
      "apiVersion: v1\nkind: Config\ncurrent-context: other\nclusters:\n- name: other\n  cluster: {server: https://other}\n",
    );
    await must(project.npx(["honest-paas", "kubeconfig", "--merge"], { cwd: project.stack, env: { KUBECONFIG: file } }));
    const view = await must(run(kubectl, ["--kubeconfig", file, "config", "view", "-o", "json"]));
    const config = JSON.parse(view.stdout) as { "current-context": string; clusters: { name: string }[] };
    expect(config["current-context"]).toBe(name);
    expect(config.clusters.map((cluster) => cluster.name).sort()).toEqual([name, "other"].sort());
  });
});
