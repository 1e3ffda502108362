import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { lockProvider, packageHash, withEntries } from "../../../../constructs/cdktf/lock-file.js";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), "honest-lock-"));
  folders.push(made);
  return made;
};
const ours = { source: "registry.terraform.io/honest-paas/honest", version: "0.1.0", hash: "h1:new=" };
const entry = (source: string, hash: string): string =>
  `provider "${source}" {\n  version     = "0.1.0"\n  constraints = "0.1.0"\n  hashes = [\n    "${hash}",\n  ]\n}\n`;
const other = 'provider "registry.terraform.io/hashicorp/null" {\n  version = "3.2.4"\n  hashes = [\n    "h1:x=",\n    "zh:y",\n  ]\n}\n';

describe("the lock file of a stack", () => {
  it("names a package by the hash that terraform init computes of the unpacked folder", () => {
    const dir = folder();
    mkdirSync(join(dir, "lib"));
    writeFileSync(join(dir, "terraform-provider-honest_v0.1.0"), "#!/bin/sh\n", { mode: 0o755 });
    writeFileSync(join(dir, "lib", "provider.cjs"), "one");
    const files = ["terraform-provider-honest_v0.1.0", join("lib", "provider.cjs")];
    // as terraform 1.11 wrote it for this folder
    expect(packageHash(dir, files)).toBe("h1:hwiyR2ObbVaXOJVK+h0nCvF/ziuF22UHqYmBgWh/nxA=");
    expect(packageHash(dir, files.toReversed())).toBe(packageHash(dir, files));
  });

  it("is made where there is none, and left alone where it is right", () => {
    const dir = folder();
    lockProvider(dir, [ours]);
    const path = join(dir, ".terraform.lock.hcl");
    expect(readFileSync(path, "utf8")).toBe(entry(ours.source, "h1:new="));
    const commented = `# kept\n\n${readFileSync(path, "utf8")}`;
    writeFileSync(path, commented);
    lockProvider(dir, [ours]);
    expect(readFileSync(path, "utf8")).toBe(commented);
    expect(readdirSync(dir)).toEqual([".terraform.lock.hcl"]);
  });

  it("keeps what it says of other providers, wherever ours stands", () => {
    const old = entry(ours.source, "h1:old=");
    const fresh = `${other}\n${entry(ours.source, "h1:new=")}`;
    for (const text of [other, `${old}\n${other}`, `${other}\n${old}`, `${other}\n${old}\n`]) expect(withEntries(text, [ours])).toBe(fresh);
    expect(withEntries(`# head\n\n${old}`, [ours])).toBe(`# head\n\n${entry(ours.source, "h1:new=")}`);
  });

  it("is of the core that used it last: an entry that core has not installed would stop it", () => {
    const tofu = { ...ours, source: "registry.opentofu.org/honest-paas/honest" };
    const dir = folder();
    const path = join(dir, ".terraform.lock.hcl");
    const relocked = (text: string): string => {
      writeFileSync(path, text);
      lockProvider(dir, [ours, tofu]);
      return readFileSync(path, "utf8");
    };
    expect(relocked("")).toBe(entry(ours.source, "h1:new="));
    expect(relocked(entry(ours.source, "h1:old="))).toBe(entry(ours.source, "h1:new="));
    expect(relocked(entry(tofu.source, "h1:old="))).toBe(entry(tofu.source, "h1:new="));
    expect(relocked(`${entry(ours.source, "h1:old=")}\n${entry(tofu.source, "h1:old=")}`).match(/h1:new=/g)).toHaveLength(2);
  });
});
