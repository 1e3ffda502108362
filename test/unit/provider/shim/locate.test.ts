import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { locateVendor, requiredProviders, type Surroundings, type VendorSource } from "../../../../provider/shim/locate.js";
import { packageHash } from "../../../../provider/shim/package-hash.js";
import type { VendorProblem } from "../../../../provider/shim/vendor.js";

const wanted: VendorSource = { source: "terraform-provider-openstack/openstack", versions: { from: "3.0.0", below: "4.0.0" } };
const platform = "linux_amd64";
let dir = "";
let where: Surroundings;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "honest-locate-"));
  where = { cwd: join(dir, "root"), env: {}, self: "", platform, home: join(dir, "home") };
  mkdirSync(where.cwd);
  mkdirSync(where.home);
});
afterEach(() => rmSync(dir, { recursive: true }));

const write = (path: string, text: string, mode = 0o644): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
};
const folderOf = (version: string, host = "registry.terraform.io", data = ".terraform"): string =>
  join(where.cwd, data, "providers", host, wanted.source, version, platform);

function install(version: string, host?: string, data?: string): string {
  const folder = folderOf(version, host, data);
  write(join(folder, `terraform-provider-openstack_v${version}`), "#!/bin/sh\n", 0o755);
  write(join(folder, "LICENSE"), "text");
  return folder;
}
const lock = (entries: readonly { version: string; hashes: readonly string[]; host?: string }[]): void =>
  write(
    join(where.cwd, ".terraform.lock.hcl"),
    entries
      .map(
        ({ version, hashes, host = "registry.terraform.io" }) =>
          `# made by init\nprovider "${host}/${wanted.source}" {\n  version     = "${version}"\n  constraints = ">= 3.0.0"\n  hashes = [\n${hashes.map((h) => `    "${h}",\n`).join("")}  ]\n}\n`,
      )
      .join("\n"),
  );
const refusal = (): Promise<VendorProblem> =>
  locateVendor(wanted, where).then(
    () => Promise.reject(new Error("it was found")),
    (cause: VendorProblem) => cause,
  );

describe("where init put it", () => {
  it("takes the locked version, through a symlink of a plugin cache, when its hash is the locked one", async () => {
    const cache = join(dir, "cache", platform);
    write(join(cache, "terraform-provider-openstack_v3.4.0"), "#!/bin/sh\n", 0o755);
    mkdirSync(dirname(folderOf("3.4.0")), { recursive: true });
    symlinkSync(cache, folderOf("3.4.0"));
    install("3.3.0");
    lock([{ version: "3.4.0", hashes: ["zh:0", await packageHash(cache)] }]);
    const found = await locateVendor(wanted, where);
    expect(found).toEqual({
      program: join(folderOf("3.4.0"), "terraform-provider-openstack_v3.4.0"),
      name: "registry.terraform.io/terraform-provider-openstack/openstack 3.4.0",
      version: "3.4.0",
    });
  });

  it("follows TF_DATA_DIR and takes the registry of the tool that runs", async () => {
    where = {
      ...where,
      env: { TF_DATA_DIR: "data" },
      self: ".terraform/providers/registry.opentofu.org/honest-paas/honest/1/x/lib/provider.cjs",
    };
    const hashes: string[] = [];
    for (const host of ["registry.terraform.io", "registry.opentofu.org"]) hashes.push(await packageHash(install("3.4.0", host, "data")));
    lock(["registry.terraform.io", "registry.opentofu.org"].map((host, i) => ({ version: "3.4.0", host, hashes: [hashes[i] ?? ""] })));
    expect((await locateVendor(wanted, where)).name).toContain("registry.opentofu.org");
    expect((await locateVendor(wanted, { ...where, self: "" })).name).toContain("registry.terraform.io");
  });

  it("takes the only one that is installed when there is no lock file", async () => {
    install("3.4.0");
    expect((await locateVendor(wanted, where)).version).toBe("3.4.0");
    install("3.3.0");
    expect((await refusal()).detail).toContain("Installed: 3.3.0, 3.4.0");
  });

  it.each(["terraform-provider-openstack/openstack", "registry.terraform.io/terraform-provider-openstack/openstack"])(
    "lets a development override win: %s",
    async (address) => {
      lock([{ version: "3.4.0", hashes: [await packageHash(install("3.4.0"))] }]);
      write(join(dir, "dev", "terraform-provider-openstack"), "#!/bin/sh\n", 0o755);
      write(
        join(where.home, ".terraformrc"),
        `provider_installation {\n  dev_overrides {\n    "${address}" = "${dir}/dev"\n  }\n  direct {}\n}\n`,
      );
      const found = await locateVendor(wanted, where);
      expect(found).toMatchObject({ program: join(dir, "dev", "terraform-provider-openstack"), version: null });
      expect((await locateVendor(wanted, { ...where, env: { TF_CLI_CONFIG_FILE: "/dev/null" } })).version).toBe("3.4.0");
    },
  );
});

describe("what is wrong is said, with the way out", () => {
  it("shows the exact lines when nothing requires it", async () => {
    const { summary, detail } = await refusal();
    expect(summary).toBe("The provider terraform-provider-openstack/openstack is not part of this configuration");
    expect(detail).toContain(requiredProviders(wanted));
    expect(requiredProviders(wanted)).toBe(`terraform {
  required_providers {
    openstack = {
      source  = "terraform-provider-openstack/openstack"
      version = ">= 3.0.0, < 4.0.0"
    }
  }
}`);
  });

  it.each([
    ["2.1.0", "too old"],
    ["3.0.0-beta.1", "too old"],
    ["4.0.0", "too new"],
  ])("refuses %s as %s", async (version, verdict) => {
    lock([{ version, hashes: [await packageHash(install(version))] }]);
    const problem = await refusal();
    expect(problem.summary).toContain(`${version} is ${verdict}`);
    expect(problem.detail).toContain(">= 3.0.0, < 4.0.0 works here");
  });

  it("refuses a package that is not the locked one, and does not name it as a program", async () => {
    const folder = install("3.4.0");
    lock([{ version: "3.4.0", hashes: [await packageHash(folder)] }]);
    write(join(folder, "extra"), "x");
    expect((await refusal()).summary).toContain("is not what the lock file says");
    rmSync(join(folder, "extra"));
    expect((await locateVendor(wanted, where)).version).toBe("3.4.0");
  });

  it("refuses what is locked for other platforms only, what is not installed and what may not be executed", async () => {
    lock([{ version: "3.4.0", hashes: ["zh:1"] }]);
    expect((await refusal()).summary).toContain("is not installed");
    const folder = install("3.4.0");
    expect((await refusal()).detail).toContain("terraform providers lock");
    chmodSync(join(folder, "terraform-provider-openstack_v3.4.0"), 0o644);
    expect((await refusal()).summary).toContain("is not installed");
  });

  it("refuses a lock file that is none", async () => {
    write(join(where.cwd, ".terraform.lock.hcl"), 'provider "x" {\n  version = "1.0.0"\n');
    expect((await refusal()).detail).toContain("the file ends in the middle of a block");
    write(join(where.cwd, ".terraform.lock.hcl"), "<<<<<<< ours\n");
    expect((await refusal()).detail).toContain("unexpected text in line 1");
  });
});

it("hashes a package as Terraform does", async () => {
  const folder = join(dir, "package");
  write(join(folder, "b/c.txt"), "two\n");
  write(join(folder, "terraform-provider-thing"), "#!/bin/sh\n", 0o755);
  // what terraform providers lock writes for a package of the same two files
  expect(await packageHash(folder)).toBe("h1:JKni7ZaJu60X9EuXFDr5eJ2asUrLXbnYDR6k3FoASHA=");
});
