// The cache outside the checkout: finished things appear by rename, work is done under a lock that a dead process cannot
// keep. Two processes may build the same mirror at once.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { copyFile, link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

export { withLock } from "./lock.js";

/** HONEST_PAAS_CACHE, else honest-paas below XDG_CACHE_HOME, else below ~/.cache. */
export function cacheRoot(env: NodeJS.ProcessEnv = process.env): string {
  if (env.HONEST_PAAS_CACHE) return env.HONEST_PAAS_CACHE;
  return join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "honest-paas");
}

export async function exists(path: string): Promise<boolean> {
  return (await sizeOf(path)) !== undefined;
}

/** Undefined when there is no such file. */
export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cause;
  }
}

/** The text of a file; undefined when there is no such file. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cause;
  }
}

/** Written beside and renamed, so that a reader never sees half a file. */
export async function writeAtomic(path: string, data: string | Uint8Array, mode = 0o644): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await appear(path, (beside) => writeFile(beside, data, { mode }));
}

/** The work writes to the path it is given; the result appears under its name when the work is done, nothing is left when it fails. */
export async function appear(path: string, work: (beside: string) => Promise<void>): Promise<void> {
  const beside = `${path}.${process.pid}.part`;
  try {
    await work(beside);
    await rename(beside, path);
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
}

/** The same file under a second name, without a copy where the file system can do that. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await appear(to, async (beside) => {
    try {
      await link(from, beside);
    } catch {
      // another file system: the copy costs time, nothing else
      await copyFile(from, beside);
    }
  });
}

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM";
  }
};

/** Removes what killed processes left half done. Downloads stay: they go on, and carry no process in their name. */
export async function sweepParts(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true }).catch(() => [] as string[]);
  for (const name of entries) {
    const pid = /\.(\d+)\.part$/.exec(name)?.[1];
    if (pid !== undefined && !alive(Number(pid))) await rm(join(folder, name), { recursive: true, force: true });
  }
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

/** Writes the file's sum beside it: from then on it counts as finished. */
export async function seal(path: string): Promise<void> {
  await writeAtomic(`${path}.sha256`, `${await sha256Of(path)}\n`);
}

/** Whether the file is there and still what it was when it was sealed. */
export async function isSealed(path: string): Promise<boolean> {
  const sum = await readIfThere(`${path}.sha256`);
  return sum !== undefined && (await exists(path)) && sum.trim() === (await sha256Of(path));
}

/** A short name for data: changes with it, whatever the order of its members. */
export function hashOf(value: unknown): string {
  const sorted = (_: string, v: unknown): unknown =>
    v !== null && typeof v === "object" && !Array.isArray(v)
      ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1)))
      : v;
  return createHash("sha256").update(JSON.stringify(value, sorted)).digest("hex").slice(0, 16);
}
