// What the demo is asked for. A flag that is left out means "as it is": a second run without flags must not shrink what
// the first one made.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { defaultVersion, supportedVersions } from "../../mirror/versions.js";
import { type FlagValues, first, UserError, wholeNumber } from "../command.js";

export interface Settings {
  readonly controlPlanes: number;
  readonly workers: number;
  readonly version: string;
}

/** Seconds that the nodes may take to be Ready, and the replicas after them. */
export const defaultWait = 180;

export const defaults: Settings = { controlPlanes: 1, workers: 2, version: defaultVersion };

export function readSettings(path: string): Settings | undefined {
  try {
    return { ...defaults, ...(JSON.parse(readFileSync(path, "utf8")) as Partial<Settings>) };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT" || cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}

export function writeSettings(path: string, settings: Settings): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, `${JSON.stringify(settings)}\n`);
}

export function settingsFrom(flags: FlagValues, before: Settings | undefined): Settings {
  const base = before ?? defaults;
  const controlPlanes = wholeNumber(flags, "control-planes", { min: 1, max: 5, otherwise: base.controlPlanes });
  if (controlPlanes % 2 === 0)
    throw new UserError(
      `--control-planes is ${controlPlanes}. Allowed: 1, 3 or 5; an even number of etcd members survives no more losses than one less.`,
    );
  const workers = wholeNumber(flags, "workers", { min: 0, max: 20, otherwise: base.workers });
  const version = first(flags, "version") ?? base.version;
  if (!supportedVersions.includes(version)) throw new UserError(`--version is "${version}". Supported: ${supportedVersions.join(", ")}.`);
  return { controlPlanes, workers, version };
}
