// Finds a vendor's plugin where Terraform or OpenTofu installed it for this project, and checks that it is what the lock file
// says. Nothing is downloaded here: what runs with the user's credentials is what the user's `init` chose.
import { accessSync, constants, existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { devOverrides, HclError, type LockedProvider, lockedProviders } from "./lock-file.js";
import { packageHash } from "./package-hash.js";
import { VendorProblem } from "./vendor.js";
import { compareVersions, constraintText, judgeVersion, type VersionRange } from "./vendor-version.js";

export interface VendorSource {
  /** "terraform-provider-openstack/openstack"; with a host in front where it is not the tool's own registry. */
  readonly source: string;
  /** What the mapping was tested with. */
  readonly versions: VersionRange;
}

export interface Surroundings {
  /** Folder of the root module: core starts providers there, also with -chdir. */
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Our own program: its path tells the registry host where both are installed. */
  readonly self: string;
  readonly platform: string;
  readonly home: string;
}

export interface Located {
  readonly program: string;
  /** See `Vendor.name`. */
  readonly name: string;
  /** null for a development override. */
  readonly version: string | null;
}

const registries = ["registry.terraform.io", "registry.opentofu.org"] as const;

const arch: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386" };
export const surroundings = (): Surroundings => ({
  cwd: process.cwd(),
  env: process.env,
  self: process.argv[1] ?? "",
  platform: `${process.platform === "win32" ? "windows" : process.platform}_${arch[process.arch] ?? process.arch}`,
  home: homedir(),
});

const typeOf = (source: string): string => source.slice(source.lastIndexOf("/") + 1);

/** The full addresses that the source may have, the likeliest first. */
function addresses(source: string, self: string): readonly string[] {
  if (source.split("/").length === 3) return [source];
  const own = /[\\/]providers[\\/]([^\\/]+)[\\/]/.exec(self)?.[1];
  const hosts = own !== undefined && own !== registries[0] && registries.includes(own as never) ? [...registries].reverse() : registries;
  return hosts.map((host) => `${host}/${source}`);
}

/** What a person adds to the configuration. */
export function requiredProviders({ source, versions }: VendorSource): string {
  return [
    "terraform {",
    "  required_providers {",
    `    ${typeOf(source)} = {`,
    `      source  = "${source}"`,
    `      version = "${constraintText(versions)}"`,
    "    }",
    "  }",
    "}",
  ].join("\n");
}

const addLines = (wanted: VendorSource): string =>
  `Add this to the root module and run terraform init (tofu init):\n\n${requiredProviders(wanted)}`;

export async function locateVendor(wanted: VendorSource, where: Surroundings = surroundings()): Promise<Located> {
  const candidates = addresses(wanted.source, where.self);
  const override = overrideFor(candidates, where);
  if (override) {
    const program = programIn(override.folder, wanted.source);
    if (program) return { program, name: `${override.address} (development override)`, version: null };
    throw new VendorProblem(
      `The development override of ${wanted.source} holds no provider`,
      `${override.folder} has no executable terraform-provider-${typeOf(wanted.source)}. It is named in ${override.file}; build the provider there or remove the entry.`,
    );
  }
  const locked = lockFile(where).filter(({ address }) => candidates.includes(address));
  const chosen = candidates.map((address) => locked.find((entry) => entry.address === address)).find((entry) => entry !== undefined);
  const found = chosen ?? onlyInstalled(candidates, where, wanted);
  checkVersion(found, wanted, where);
  const folder = join(providersDir(where), found.address, found.version, where.platform);
  const program = existsSync(folder) ? programIn(folder, wanted.source) : undefined;
  if (!program) {
    const detail = `${found.address} ${found.version} is in .terraform.lock.hcl, but ${folder} has no executable terraform-provider-${typeOf(wanted.source)}. Run terraform init (tofu init).`;
    throw new VendorProblem(`${wanted.source} is not installed`, detail);
  }
  await checkHash(found, folder);
  return { program, name: `${found.address} ${found.version}`, version: found.version };
}

function lockFile({ cwd }: Surroundings): readonly LockedProvider[] {
  const path = join(cwd, ".terraform.lock.hcl");
  if (!existsSync(path)) return [];
  return readHcl(path, lockedProviders);
}

function readHcl<T>(path: string, read: (text: string) => T): T {
  try {
    return read(readFileSync(path, "utf8"));
  } catch (cause) {
    if (!(cause instanceof HclError)) throw cause;
    throw new VendorProblem(`${path} cannot be read`, `${cause.message}. Remove or mend it and run terraform init again.`);
  }
}

const providersDir = ({ cwd, env }: Surroundings): string => join(resolve(cwd, env.TF_DATA_DIR || ".terraform"), "providers");

/** Without a lock file, as before the first init with one: what is installed, if it is one. */
function onlyInstalled(candidates: readonly string[], where: Surroundings, wanted: VendorSource): LockedProvider {
  const folder = (address: string): string => join(providersDir(where), address);
  const installed = candidates
    .filter((address) => existsSync(folder(address)))
    .flatMap((address) => readdirSync(folder(address)).map((version) => ({ address, version, hashes: [] })))
    .filter(({ address, version }) => existsSync(join(folder(address), version, where.platform)));
  const [only, ...others] = installed;
  if (only && others.length === 0) return only;
  const name = wanted.source;
  if (!only)
    throw new VendorProblem(
      `The provider ${name} is not part of this configuration`,
      `This cluster is made of its resources. ${addLines(wanted)}`,
    );
  const versions = installed
    .map(({ version }) => version)
    .sort(compareVersions)
    .join(", ");
  throw new VendorProblem(
    `Which version of ${name} to take is not said`,
    `Installed: ${versions}; .terraform.lock.hcl names none. ${addLines(wanted)}`,
  );
}

function checkVersion(found: LockedProvider, wanted: VendorSource, { cwd }: Surroundings): void {
  const verdict = judgeVersion(found.version, wanted.versions);
  if (verdict === "fits") return;
  throw new VendorProblem(
    `${found.address} ${found.version} is ${verdict}`,
    `${constraintText(wanted.versions)} works here; ${join(cwd, ".terraform.lock.hcl")} has ${found.version}. Set the version as below and run terraform init -upgrade (tofu init -upgrade):\n\n${requiredProviders(wanted)}`,
  );
}

async function checkHash({ address, version, hashes }: LockedProvider, folder: string): Promise<void> {
  // no lock file: there is nothing to compare with, and Terraform itself has not compared either
  if (hashes.length === 0) return;
  const hash = await packageHash(folder);
  if (hashes.includes(hash)) return;
  throw new VendorProblem(
    `${address} ${version} is not what the lock file says`,
    `${folder} has the hash ${hash}; .terraform.lock.hcl allows: ${hashes.filter((known) => known.startsWith("h1:")).join(", ") || "no hash of an unpacked package"}. It is not started. Remove the folder and run terraform init; if this platform was never locked, terraform providers lock.`,
  );
}

/** As core chooses: terraform-provider-TYPE, alone or followed by "_" or ".". */
function programIn(folder: string, source: string): string | undefined {
  const pattern = new RegExp(`^terraform-provider-${typeOf(source)}(?:[_.].*)?$`);
  if (!existsSync(folder)) return undefined;
  return readdirSync(folder)
    .filter((name) => pattern.test(name))
    .sort()
    .map((name) => join(folder, name))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EACCES" || (cause as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw cause;
  }
}

interface Override {
  readonly address: string;
  readonly folder: string;
  readonly file: string;
}

function overrideFor(candidates: readonly string[], { env, home, cwd }: Surroundings): Override | undefined {
  const chosen = env.TF_CLI_CONFIG_FILE || env.TERRAFORM_CONFIG;
  const files = chosen ? [resolve(cwd, chosen)] : [join(home, ".tofurc"), join(home, ".terraformrc")];
  for (const file of files.filter((path) => existsSync(path))) {
    const overrides = readHcl(file, devOverrides);
    for (const address of candidates) {
      const short = address.split("/").slice(1).join("/");
      const folder = overrides.get(address) ?? overrides.get(short);
      if (folder !== undefined) return { address, folder: isAbsolute(folder) ? folder : resolve(cwd, folder), file };
    }
  }
  return undefined;
}
