import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, TerraformStack } from "cdktf";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const place = vi.hoisted(() => ({ bundle: "" }));
vi.mock("../../../../constructs/cdktf/package.js", async (original) => ({
  ...(await original<object>()),
  bundledProvider: () => place.bundle,
}));
const { Cluster, HonestProvider } = await import("../../../../constructs/index.js");

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "honest-provider-"));
  place.bundle = join(folder, "bundle");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function fillBundle(): void {
  mkdirSync(join(place.bundle, "lib"), { recursive: true });
  writeFileSync(join(place.bundle, "terraform-provider-honest_v0.1.0"), "#!/bin/sh\n", { mode: 0o755 });
  writeFileSync(join(place.bundle, "lib", "provider.cjs"), "");
}
const mirror = (stack: string): string =>
  join(folder, "out", "stacks", stack, "terraform.d/plugins/registry.terraform.io/honest-paas/honest/0.1.0");
function app(): { readonly app: App; readonly stack: TerraformStack } {
  const made = new App({ outdir: join(folder, "out") });
  return { app: made, stack: new TerraformStack(made, "demo") };
}
const least = { version: "1.36.3", iaas: { local: {} } } as const;

describe("HonestProvider", () => {
  it("lies in the stack's folder after synth, so that terraform init needs no registry", () => {
    fillBundle();
    const { app: made, stack } = app();
    new Cluster(stack, "demo", least);
    made.synth();
    expect(existsSync(join(mirror("demo"), "linux_amd64", "terraform-provider-honest_v0.1.0"))).toBe(true);
    expect(existsSync(join(folder, "out", "stacks", "demo", "cdk.tf.json"))).toBe(true);
  });

  it("stays away when it is told to, and from a preview", () => {
    const { app: made, stack } = app();
    new HonestProvider(stack, "honest", { install: false });
    new Cluster(stack, "demo", least);
    new Cluster(new TerraformStack(made, "look"), "demo", { version: "1.36.3", iaas: { preview: {} } });
    made.synth();
    expect([existsSync(mirror("demo")), existsSync(mirror("look"))]).toEqual([false, false]);
  });

  it("fails the synth when the package holds none, and says what to do", () => {
    const { app: made, stack } = app();
    new Cluster(stack, "demo", least);
    expect(() => made.synth()).toThrow(/bundled provider is not there.*Install honest-paas again/);
  });
});
