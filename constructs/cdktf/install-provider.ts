// Puts the bundled provider where terraform and tofu look first: an implied local mirror below the stack's folder, which
// is their working directory. So a user needs no registry and no CLI configuration.
import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { lockProvider, packageHash } from "./lock-file.js";
import { providerSource, version } from "./package.js";

/** Default hosts of terraform and of tofu. */
const hosts = ["registry.terraform.io", "registry.opentofu.org"];

/** The provider is the same script everywhere; a stack may be synthesized on one system and applied on another. */
const platforms = ["linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"];

const goNames: Readonly<Record<string, string>> = { win32: "windows", x64: "amd64", ia32: "386" };
const goName = (name: string): string => goNames[name] ?? name;
const thisPlatform = (): string => `${goName(process.platform)}_${goName(process.arch)}`;

/** Why the folder holds no provider of this version; null when it does. */
export function missingProvider(bundle: string): string | null {
  const wanted = [`terraform-provider-honest_v${version}`, join("lib", "provider.cjs")].map((file) => join(bundle, file));
  const absent = wanted.find((file) => !existsSync(file));
  if (absent === undefined) return null;
  return `the bundled provider is not there: ${absent} is missing. Install honest-paas again; in its own repository run: npm run build`;
}

/** Also locks it in the stack's dependency lock file. Returns the folders that were filled, one for each host and platform. */
export function installProvider(bundle: string, stackFolder: string): readonly string[] {
  const missing = missingProvider(bundle);
  if (missing !== null) throw new Error(missing);
  const files = filesBelow(bundle);
  const targets = hosts.flatMap((host) =>
    [...new Set([thisPlatform(), ...platforms])].map((platform) =>
      join(stackFolder, "terraform.d", "plugins", host, ...providerSource.split("/"), version, platform),
    ),
  );
  const [first, ...others] = targets;
  if (first === undefined) return [];
  for (const file of files) place(join(bundle, file), join(first, file), copyFileSync);
  // One copy on the disk, whatever the number of hosts and platforms.
  for (const other of others) for (const file of files) place(join(first, file), join(other, file), link);
  // What an earlier build left would make the package another one than the lock file says.
  for (const target of targets) for (const file of filesBelow(target)) if (!files.includes(file)) rmSync(join(target, file));
  const hash = packageHash(bundle, files);
  lockProvider(
    stackFolder,
    hosts.map((host) => ({ source: `${host}/${providerSource}`, version, hash })),
  );
  return targets;
}

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();

/** By way of a second name, so that a terraform that runs at the same time never sees half a file. */
function place(from: string, to: string, put: (from: string, to: string) => void): void {
  if (same(from, to)) return;
  mkdirSync(dirname(to), { recursive: true });
  const part = `${to}.${process.pid}.part`;
  rmSync(part, { force: true });
  put(from, part);
  renameSync(part, to);
}

function link(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    // Some file systems have no links.
    copyFileSync(from, to);
  }
}

function same(a: string, b: string): boolean {
  if (!existsSync(b)) return false;
  const [x, y] = [statSync(a), statSync(b)];
  if (x.ino === y.ino && x.dev === y.dev) return true;
  return x.size === y.size && x.mode === y.mode && readFileSync(a).equals(readFileSync(b));
}
