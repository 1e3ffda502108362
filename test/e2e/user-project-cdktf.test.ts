// The README's program by cdktf's own tool: deploy, use, diff, destroy, as it says below "Use it". cdktf-cli 0.21 carries
// a native part for Node.js up to 22.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodeFolder } from "../../scripts/node-releases.mjs";
import { type Finished, leftovers } from "../support/demo-project.js";
import { kubectlFolder } from "../support/kubectl.js";
import { must, packTarball, readmeCdktfJson, readmeDeploy, smallProgram, type UserProject, userProject } from "../support/user-project.js";

const name = "e2e-cdktf";
const temporary = mkdtempSync(join(tmpdir(), "hp-pack-"));
let project: UserProject;
let left = true;

const cdktf = (...args: string[]): Promise<Finished> => project.npx(["cdktf-cli@0.21", ...args]);

beforeAll(async () => {
  const path = [nodeFolder(22), await kubectlFolder()];
  project = await userProject({ tarball: await packTarball(temporary), kit: "cdktf", program: smallProgram("cdktf", name), name, path });
  writeFileSync(join(project.dir, "cdktf.json"), readmeCdktfJson());
}, 300_000);

afterAll(async () => {
  if (left) await project.terraform(["destroy", "-auto-approve", "-no-color", "-input=false"]);
  project.close();
  rmSync(temporary, { recursive: true, force: true });
}, 300_000);

describe("a user's own project, by cdktf-cli", () => {
  it("makes a cluster by the README's commands that kubectl works with", async () => {
    // the tool's own question cannot be answered by a variable
    await must(project.shell(readmeDeploy(name).replace(/ deploy \S+/, "$& --auto-approve")));
    const listed = await must(project.shell("KUBECONFIG=kubeconfig kubectl get nodes --no-headers"));
    const nodes = listed.stdout.trim().split("\n");
    expect(nodes, listed.stdout).toHaveLength(2);
    for (const node of nodes) expect(node).toMatch(/ Ready .* v1\.36\.3$/);
  });

  it("has an empty diff", async () => {
    const diff = await must(cdktf("diff", name));
    // the tool asks for colours and cannot be told not to
    expect(stripVTControlCharacters(diff.stdout)).toMatch(/No changes\. Your infrastructure matches the configuration/);
  });

  it("destroys it, and nothing is left", async () => {
    await must(cdktf("destroy", name, "--auto-approve"));
    left = false;
    expect(await leftovers(name)).toEqual([]);
  });
});
