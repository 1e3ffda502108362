// The dependency lock file of a stack: our provider's entries, as terraform init would write them. An entry that is there
// saves cdktf deploy from asking the registry for checksums (terraform providers lock never looks at a local mirror), and
// another version of this package from needing terraform init -upgrade.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";

export interface LockEntry {
  /** With the host: "registry.terraform.io/honest-paas/honest". */
  readonly source: string;
  readonly version: string;
  /** As packageHash gives it. */
  readonly hash: string;
}

/** Terraform's "h1" of an unpacked package: the digest of the sorted list of its files' digests. `files` lie below `folder`. */
export function packageHash(folder: string, files: readonly string[]): string {
  const list = createHash("sha256");
  for (const [name, path] of files.map((file) => [file.split(sep).join("/"), join(folder, file)] as const).sort(byName))
    list.update(`${createHash("sha256").update(readFileSync(path)).digest("hex")}  ${name}\n`);
  return `h1:${list.digest("base64")}`;
}

const byName = ([a]: readonly [string, string], [b]: readonly [string, string]): number => (a < b ? -1 : 1);

/** The text with these entries; those of other providers stay as they are. */
export function withEntries(text: string, entries: readonly LockEntry[]): string {
  let others = text;
  for (const { source } of entries) others = others.replace(entryOf(source), "");
  const ours = entries.map(
    ({ source, version, hash }) =>
      `provider "${source}" {\n  version     = "${version}"\n  constraints = "${version}"\n  hashes = [\n    "${hash}",\n  ]\n}\n`,
  );
  return [others.trim(), ...ours]
    .filter((part) => part !== "")
    .join("\n\n")
    .replace(/\n*$/, "\n");
}

const entryOf = (source: string): RegExp => new RegExp(`^provider "${source.replaceAll(".", "\\.")}" \\{\\n[\\s\\S]*?^\\}\\n?`, "m");

/**
 * Puts entries into the stack's lock file: those it has already, else the first. A core refuses a lock file with a provider
 * that it has not installed, so what terraform does not use must not stand there, nor what tofu does not. Written by way of
 * a second name: a terraform may read it at the same time.
 */
export function lockProvider(stackFolder: string, entries: readonly LockEntry[]): void {
  const path = join(stackFolder, ".terraform.lock.hcl");
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  const used = entries.filter(({ source }) => entryOf(source).test(text));
  const wanted = used.length > 0 ? used : entries.slice(0, 1);
  if (wanted.every(({ source, hash }) => entryOf(source).exec(text)?.[0].includes(`"${hash}"`))) return;
  const part = `${path}.${process.pid}.part`;
  writeFileSync(part, withEntries(text, wanted));
  renameSync(part, path);
}
