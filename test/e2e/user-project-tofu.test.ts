// The README's program and commands with OpenTofu in terraform's place, under the oldest Node.js that will do.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodeFolder } from "../../scripts/node-releases.mjs";
import { leftovers } from "../support/demo-project.js";
import { kubectlFolder } from "../support/kubectl.js";
import { openTofu } from "../support/open-tofu.js";
import { must, packTarball, readmeCommands, smallProgram, type UserProject, userProject } from "../support/user-project.js";

const name = "e2e-tofu";
const tofu = await openTofu();
const temporary = mkdtempSync(join(tmpdir(), "hp-pack-"));

describe.skipIf(tofu.missing)(`a user's own project, with OpenTofu${tofu.missing ? ` (skipped: ${tofu.missing})` : ""}`, () => {
  let project: UserProject;
  beforeAll(async () => {
    const path = [nodeFolder(20), dirname(tofu.path), await kubectlFolder()];
    const program = smallProgram("cdktf", name);
    project = await userProject({ tarball: await packTarball(temporary), kit: "cdktf", program, name, path, terraform: tofu.path });
  }, 300_000);

  afterAll(async () => {
    const gone = await project.terraform(["destroy", "-auto-approve", "-no-color", "-input=false"]);
    project.close();
    rmSync(temporary, { recursive: true, force: true });
    expect(gone.code, gone.stdout + gone.stderr).toBe(0);
    expect(await leftovers(name)).toEqual([]);
  }, 300_000);

  it("makes a cluster by the README's commands that kubectl works with", async () => {
    const done = await must(project.shell(readmeCommands(name).replaceAll("terraform", "tofu")));
    const nodes = done.stdout.split("\n").filter((line) => / v1\.36\.3$/.test(line.trim()));
    expect(nodes, done.stdout).toHaveLength(2);
    for (const node of nodes) expect(node).toMatch(/ Ready /);
  });

  it("has an empty second plan", async () => {
    const again = await project.terraform(["plan", "-detailed-exitcode", "-no-color", "-input=false"]);
    expect(again.code, again.stdout + again.stderr).toBe(0);
  });
});
