// A user's own project to the end: the packed tarball in an empty folder, the README's program and commands word for
// word, kubectl; then away with it. With CDK Terrain, under the newest Node.js.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodeFolder } from "../../scripts/node-releases.mjs";
import { leftovers, run } from "../support/demo-project.js";
import { kubectlFolder } from "../support/kubectl.js";
import { must, packTarball, readmeCommands, smallProgram, type UserProject, userProject } from "../support/user-project.js";

const name = "e2e-user";
const temporary = mkdtempSync(join(tmpdir(), "hp-pack-"));
let project: UserProject;
let kubectl = "";

beforeAll(async () => {
  const tools = await kubectlFolder();
  kubectl = join(tools, "kubectl");
  const tarball = await packTarball(temporary);
  project = await userProject({ tarball, kit: "cdktn", program: smallProgram("cdktn", name), name, path: [nodeFolder(24), tools] });
}, 300_000);

afterAll(async () => {
  const gone = await project.terraform(["destroy", "-auto-approve", "-no-color", "-input=false"]);
  project.close();
  rmSync(temporary, { recursive: true, force: true });
  expect(gone.code, gone.stdout + gone.stderr).toBe(0);
  expect(await leftovers(name)).toEqual([]);
}, 300_000);

describe("a user's own project, with cdktn", () => {
  it("makes a cluster by the README's commands, and kubectl lists its two nodes, Ready", async () => {
    const done = await must(project.shell(readmeCommands(name)));
    const nodes = done.stdout.split("\n").filter((line) => / v1\.36\.3$/.test(line.trim()));
    expect(nodes, done.stdout).toHaveLength(2);
    for (const node of nodes) expect(node).toMatch(/ Ready /);
  });

  it("has an empty second plan", async () => {
    const again = await project.terraform(["plan", "-detailed-exitcode", "-no-color", "-input=false"]);
    expect(again.code, again.stdout + again.stderr).toBe(0);
  });

  it("gives a kubeconfig that holds no key", async () => {
    const made = await must(project.npx(["honest-paas", "kubeconfig"]));
    expect(made.stdout).not.toMatch(/PRIVATE KEY|client-key-data/);
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
