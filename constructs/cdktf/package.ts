// This package: its version, and where its provider is. Found from the running file upwards, since sources, ESM and CJS
// builds lie at different depths.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import packageJson from "../../package.json" with { type: "json" };

export const version: string = packageJson.version;
export const providerSource = "honest-paas/honest";

/** Folder of the installed package. */
export function packageFolder(from: string = hereabouts()): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const file = join(folder, "package.json");
    if (existsSync(file) && (JSON.parse(readFileSync(file, "utf8")) as { name?: string }).name === packageJson.name) return folder;
    if (dirname(folder) === folder) throw new Error(`no package ${packageJson.name} at or above ${from}`);
  }
}

const hereabouts = (): string => (typeof __dirname === "string" ? __dirname : dirname(fileURLToPath(import.meta.url)));

/** The provider as the build leaves it: a launcher and lib/provider.cjs. */
export const bundledProvider = (): string => join(packageFolder(), "dist", "provider");
