import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { installProvider, terraformPlatform } from "../../../../provider/cli/install.js";

it.each([
  ["linux", "x64", "linux_amd64"],
  ["linux", "arm64", "linux_arm64"],
  ["darwin", "arm64", "darwin_arm64"],
])("%s/%s is %s", (platform, arch, expected) => {
  expect(terraformPlatform(platform, arch)).toBe(expected);
});

it.each([
  ["win32", "x64"],
  ["linux", "riscv64"],
])("fails when on %s/%s", (platform, arch) => {
  expect(() => terraformPlatform(platform, arch)).toThrow(/Linux and macOS/);
});

it("puts the package below both hosts and replaces an older one", () => {
  const folder = mkdtempSync(join(tmpdir(), "hp-install-"));
  try {
    const source = join(folder, "source");
    mkdirSync(join(source, "lib"), { recursive: true });
    writeFileSync(join(source, "terraform-provider-honest_v1"), "first", { mode: 0o755 });
    const plugins = join(folder, "plugins");
    const [one, two] = installProvider(source, plugins);
    writeFileSync(join(source, "terraform-provider-honest_v1"), "second", { mode: 0o755 });
    expect(installProvider(source, plugins)).toEqual([one, two]);
    for (const [target, host] of [
      [one, "registry.terraform.io"],
      [two, "registry.opentofu.org"],
    ]) {
      expect(target).toContain(`/${host}/honest-paas/honest/`);
      const file = join(target ?? "", "terraform-provider-honest_v1");
      expect(readFileSync(file, "utf8")).toBe("second");
      expect(statSync(file).mode & 0o111).not.toBe(0);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
