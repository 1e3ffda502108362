// Digest of everything a build is made of, to tell whether dist/ is of these sources. Plain JavaScript: it runs before
// anything is installed.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const parts = ["package.json", "package-lock.json", "tsup.config.ts", "scripts/build.ts", "constructs", "provider", "cloud-init", "examples"];
const skipped = new Set(["node_modules", "__pycache__", "cdktf.out", ".terraform", ".honest", "tests"]);

function* filesOf(path) {
  let entries;
  try {
    entries = readdirSync(path, { withFileTypes: true });
  } catch (cause) {
    if (cause.code === "ENOTDIR") yield path;
    else if (cause.code !== "ENOENT") throw cause;
    return;
  }
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (skipped.has(entry.name)) continue;
    if (entry.isDirectory()) yield* filesOf(join(path, entry.name));
    else if (entry.isFile()) yield join(path, entry.name);
  }
}

export function sourcesDigest(root) {
  const hash = createHash("sha256");
  for (const part of parts) for (const file of filesOf(join(root, part))) hash.update(file.slice(root.length)).update(readFileSync(file));
  return hash.digest("hex");
}
