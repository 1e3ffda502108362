// The examples as a user copies them: every one is synthesized under cdktf and under cdktn, and gives the same configuration.
// The preview is planned by a real terraform against a stand-in of null_resource, since the vendor's binary is not here.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { nullProvider } from "../../support/null-provider.js";
import type { StackJson } from "../../support/stack-graph.js";
import { workspace } from "../../support/terraform.js";

const folder = new URL("../../../examples/", import.meta.url);
const programs = readdirSync(folder).filter((name) => existsSync(new URL(`${name}/main.ts`, folder)));

/** What the examples of clouds ask for and have no default of. */
const variables = {
  HONEST_IMAGE: "6f8d1c0e-3b52-4f6e-9a17-2c5d8e7b4a90",
  HONEST_PUBLIC_ACCESS: "203.0.113.0/24",
  HONEST_ENDPOINT: "https://api.example.com:6443",
} as const;

const made: string[] = [];
afterEach(() => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
  vi.doUnmock("cdktf");
  vi.unstubAllEnvs();
});

/** Configuration of the example's one stack; what names the framework's own version is taken out. */
async function synthOf(example: string, framework: "cdktf" | "cdktn"): Promise<StackJson> {
  const out = mkdtempSync(join(tmpdir(), "example-"));
  made.push(out);
  vi.resetModules();
  if (framework === "cdktn") vi.doMock("cdktf", () => import("cdktn"));
  else vi.doUnmock("cdktf");
  vi.stubEnv("CDKTF_OUTDIR", out);
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  await import(new URL(`${example}/main.ts`, folder).pathname);
  const [stack = ""] = readdirSync(join(out, "stacks"));
  const { "//": _, ...json } = JSON.parse(readFileSync(join(out, "stacks", stack, "cdk.tf.json"), "utf8")) as Record<string, unknown>;
  return json as StackJson;
}

/** Paths of the framework stand in metadata of each resource. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, item: unknown) => (key === "//" || key === "backend" ? undefined : item)));

describe.each(programs)("examples/%s", (example) => {
  it("gives the same configuration under cdktf and cdktn", async () => {
    const [one, other] = [plain(await synthOf(example, "cdktf")), plain(await synthOf(example, "cdktn"))];
    expect(Object.keys((one as StackJson).resource ?? {}).length).toBeGreaterThan(0);
    expect(other).toEqual(one);
  });

  it("is a folder that a user copies", () => {
    for (const file of ["README.md", "package.json", "cdktf.json"])
      expect(existsSync(new URL(`${example}/${file}`, folder)), file).toBe(true);
  });
});

it("shows every block of the preview in the plan, with what it is made of", async () => {
  const json = await synthOf("preview", "cdktf");
  const { provider } = nullProvider();
  const w = await workspace({ provider, source: "hashicorp/null" });
  try {
    w.write({ "cdk.tf.json": { ...json, terraform: { required_providers: json.terraform?.required_providers } } });
    await w.init();
    const changes = (await w.plan()).json.resource_changes ?? [];
    expect(changes.every(({ change }) => change.actions.join() === "create")).toBe(true);
    const triggers = changes.map(({ change }) => (change.after as { triggers: Readonly<Record<string, string>> }).triggers);
    const count = (kind: string) => triggers.filter((trigger) => trigger.kind === kind).length;
    expect(["network", "subnet", "disk", "machine", "balancer", "node", "boot", "barrier"].map(count)).toEqual([1, 6, 3, 8, 1, 8, 8, 1]);
    // an address of the endpoint in each zone, a public one in each, one for each control plane
    expect(count("address")).toBe(9);
    const rules = triggers.filter(({ kind }) => kind === "firewall");
    expect(rules.length).toBeGreaterThan(15);
    for (const { name, reason } of rules) expect(reason, name).toMatch(/\w+ \w+/);
    expect(rules.filter(({ from }) => from === "world").map(({ cidr }) => cidr)).toEqual(["203.0.113.0/24"]);
  } finally {
    await w.close();
  }
});
