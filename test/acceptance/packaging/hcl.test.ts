// Plain HCL and -chdir: honest-paas provider install, then a life of the packed provider, by terraform under each Node.js
// that we support and by OpenTofu. No registry, no CLI configuration.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type NodeMajor, nodeFolder, nodeReleases } from "../../../scripts/node-releases.mjs";
import { type Finished, leftovers, run } from "../../support/demo-project.js";
import { openTofu } from "../../support/open-tofu.js";
import { must } from "../../support/user-project.js";
import { noEngine } from "../local-iaas/fixture.js";

const root = resolve(import.meta.dirname, "../../..");
const temporary = mkdtempSync(join(tmpdir(), "hp-hcl-"));
const tofu = await openTofu();
const engineMissing = await noEngine();

beforeAll(async () => {
  await must(run(process.execPath, ["scripts/setup.mjs"], { cwd: root }));
}, 300_000);
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

const blocks = (cluster: string, third: number): string => `
resource "honest_local_network" "net" {
  cluster = "${cluster}"
  name    = "net"
  cidr    = "10.213.${third}.0/24"
}
resource "honest_local_disk" "etcd" {
  cluster  = "${cluster}"
  name     = "etcd"
  size_gib = 1
  zone     = "a"
}
`;

interface Case {
  readonly title: string;
  readonly core: () => string;
  readonly node: NodeMajor;
  readonly missing: string | null;
}

const cases: readonly Case[] = [
  ...([20, 22, 24] as const).map((node) => ({
    title: `terraform, Node.js ${nodeReleases[node]}`,
    core: () => "terraform",
    node,
    missing: null,
  })),
  { title: `OpenTofu${tofu.missing ? ` (skipped: ${tofu.missing})` : ""}`, core: () => tofu.path, node: 22, missing: tofu.missing },
];

describe.each(cases.map((c, index) => ({ ...c, index })))("$title", ({ core, node, missing, index }) => {
  const cluster = `acc-hcl-${index}`;
  const dir = join(temporary, String(index));
  const stack = join(dir, "stack");
  const starts = join(dir, "starts");
  const env = {
    HOME: join(dir, "home"),
    TF_CLI_CONFIG_FILE: join(dir, "none.tfrc"),
    PATH: `${join(dir, "bin")}${delimiter}${process.env.PATH}`,
    // the cache stays where it is when HOME moves
    HONEST_PAAS_CACHE:
      process.env.HONEST_PAAS_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(process.env.HOME ?? "", ".cache"), "honest-paas"),
  };
  const tf = (...args: string[]): Promise<Finished> =>
    run(core(), [`-chdir=${stack}`, ...args, "-no-color", "-input=false"], { env, cwd: temporary });

  it.skipIf(missing)("installs, plans, applies, plans nothing more, destroys", async () => {
    for (const folder of [stack, env.HOME, join(dir, "bin")]) mkdirSync(folder, { recursive: true });
    writeFileSync(env.TF_CLI_CONFIG_FILE, "");
    // the launcher takes the node of PATH; this one writes down that it was taken
    const wrapper = join(dir, "bin", "node");
    writeFileSync(wrapper, `#!/bin/sh\necho "$*" >>'${starts}'\nexec '${join(nodeFolder(node), "node")}' "$@"\n`);
    chmodSync(wrapper, 0o755);
    expect((await must(run("node", ["--version"], { env }))).stdout.trim()).toBe(`v${nodeReleases[node]}`);

    await must(run("node", [join(root, "dist/cli/honest-paas.js"), "provider", "install"], { env }));
    expect(existsSync(join(env.HOME, ".terraform.d/plugins/registry.terraform.io/honest-paas/honest"))).toBe(true);
    writeFileSync(
      join(stack, "main.tf"),
      `terraform {\n  required_providers {\n    honest = { source = "honest-paas/honest" }\n  }\n}\nresource "honest_pki" "demo" {\n  cluster = "${cluster}"\n}\n${engineMissing ? "" : blocks(cluster, index)}`,
    );
    await must(tf("init"));
    expect((await tf("plan", "-detailed-exitcode")).code).toBe(2);
    await must(tf("apply", "-auto-approve"));
    const again = await tf("plan", "-detailed-exitcode");
    expect(again.code, again.stdout + again.stderr).toBe(0);
    await must(tf("destroy", "-auto-approve"));
    expect(engineMissing ? [] : await leftovers(cluster)).toEqual([]);
    expect(readFileSync(starts, "utf8")).toContain("/lib/provider.cjs");
  });
});
