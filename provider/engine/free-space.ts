// Free space of file systems: of this computer's folders, and of the folder where an engine keeps what it has.
import { existsSync } from "node:fs";
import { stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Core } from "./core.js";
import { EngineError } from "./error.js";

export interface FreeSpace {
  /** The file system: two folders of one device share what is free. */
  readonly device: number;
  readonly bytes: number;
}

/** Of the folder, or of the nearest one above it that exists. For ordinary users: what is kept for root is not counted. */
export async function freeAt(path: string): Promise<FreeSpace> {
  let folder = path;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  const [{ dev }, { bavail, bsize }] = await Promise.all([stat(folder), statfs(folder)]);
  return { device: dev, bytes: bavail * bsize };
}

/** "1.4 GB", "820 MB": decimal, as disks are sold. */
export function wordBytes(bytes: number): string {
  const [unit, name] = bytes >= 1e9 ? [1e9, "GB"] : bytes >= 1e6 ? [1e6, "MB"] : [1e3, "kB"];
  return `${(bytes / unit).toFixed(bytes / unit < 10 ? 1 : 0)} ${name}`;
}

/** Where the engine keeps images, containers and volumes. Free space is null when that folder is not on this computer. */
export async function engineFolder(core: Core): Promise<{ readonly path: string; readonly free: FreeSpace | null }> {
  const { DockerRootDir: path = "" } = await core.json<{ DockerRootDir?: string }>("/info");
  const here = core.host.startsWith("unix:") && path !== "" && existsSync(path);
  return { path, free: here ? await freeAt(path) : null };
}

const pattern = /no space left|ENOSPC|disk quota exceeded/i;

/** Whatever failed because a file system is full: the engine's answer, a program's last words, a write of our own. */
export const isNoSpace = (cause: unknown): cause is Error =>
  cause instanceof Error && ((cause as NodeJS.ErrnoException).code === "ENOSPC" || pattern.test(cause.message));

/** The engine's "no space left" with what a person needs to know: where, how much is free, how much is wanted. */
export async function wordNoSpace(core: Core, cause: EngineError, wantedBytes: number | null): Promise<EngineError> {
  const { path, free } = await engineFolder(core);
  const where = free
    ? `${path} has ${wordBytes(free.bytes)} free (${free.bytes} bytes)`
    : `The engine keeps its data in ${path || "a folder it does not name"} of its own host`;
  const wants = wantedBytes === null ? "" : `; up to ${wordBytes(wantedBytes)} (${wantedBytes} bytes) are wanted`;
  const sentence = /[.!?)]$/.test(cause.detail) ? cause.detail : `${cause.detail}.`;
  return new EngineError(cause.kind, {
    what: cause.what,
    detail: `${sentence} ${where}${wants}.`,
    fix: `Free space there (docker system df shows what takes it), then apply again: what was made is found again.`,
    ...(cause.status === undefined ? {} : { status: cause.status }),
    cause,
  });
}
