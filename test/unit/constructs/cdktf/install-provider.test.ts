import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { installProvider, missingProvider } from "../../../../constructs/cdktf/install-provider.js";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), "honest-install-"));
  folders.push(made);
  return made;
};

function bundle(): string {
  const dir = folder();
  mkdirSync(join(dir, "lib"));
  writeFileSync(join(dir, "terraform-provider-honest_v0.1.0"), "#!/bin/sh\n", { mode: 0o755 });
  writeFileSync(join(dir, "lib", "provider.cjs"), "one");
  return dir;
}

describe("installProvider", () => {
  it("fills the implied mirror of terraform's and tofu's default host, for other systems too", () => {
    const stack = folder();
    const targets = installProvider(bundle(), stack);
    const [first = ""] = targets;
    expect(first.startsWith(join(stack, "terraform.d/plugins/registry.terraform.io/honest-paas/honest/0.1.0/"))).toBe(true);
    expect(targets.some((target) => target.includes("registry.opentofu.org"))).toBe(true);
    expect(targets.some((target) => target.endsWith("darwin_arm64"))).toBe(true);
    for (const target of targets) {
      expect(statSync(join(target, "terraform-provider-honest_v0.1.0")).mode & 0o111).not.toBe(0);
      expect(readFileSync(join(target, "lib", "provider.cjs"), "utf8")).toBe("one");
    }
  });

  it("takes the place of one copy on the disk", () => {
    const [first = "", second = ""] = installProvider(bundle(), folder());
    expect(statSync(join(first, "lib", "provider.cjs")).ino).toBe(statSync(join(second, "lib", "provider.cjs")).ino);
  });

  it("leaves what is the same alone, and replaces what is not, everywhere", () => {
    const [from, stack] = [bundle(), folder()];
    const [first = "", second = ""] = installProvider(from, stack);
    const before = statSync(join(first, "lib", "provider.cjs"));
    installProvider(from, stack);
    expect(statSync(join(first, "lib", "provider.cjs")).ino).toBe(before.ino);
    writeFileSync(join(from, "lib", "provider.cjs"), "two");
    installProvider(from, stack);
    expect([first, second].map((target) => readFileSync(join(target, "lib", "provider.cjs"), "utf8"))).toEqual(["two", "two"]);
    expect(readdirSync(join(first, "lib"))).toEqual(["provider.cjs"]);
  });

  it("locks it, and leaves no file of an earlier build that would change its hash", () => {
    const [from, stack] = [bundle(), folder()];
    writeFileSync(join(from, "lib", "gone.cjs"), "old");
    installProvider(from, stack);
    const lock = (): string => readFileSync(join(stack, ".terraform.lock.hcl"), "utf8");
    const before = lock();
    rmSync(join(from, "lib", "gone.cjs"));
    const [first = ""] = installProvider(from, stack);
    expect(readdirSync(join(first, "lib"))).toEqual(["provider.cjs"]);
    expect(lock()).not.toBe(before);
    expect(lock().match(/^provider "(.*)"/gm)).toEqual(['provider "registry.terraform.io/honest-paas/honest"']);
  });

  it("fails when the package holds no provider, and says what to do", () => {
    const empty = folder();
    expect(missingProvider(empty)).toMatch(/bundled provider is not there.*npm run build/);
    expect(() => installProvider(empty, folder())).toThrow(/bundled provider/);
    expect(missingProvider(bundle())).toBeNull();
  });
});
