// The cache outside the checkout: finished things appear by rename, work is done under a lock that a dead process cannot
// keep. Two processes may build the same mirror at once.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** HONEST_PAAS_CACHE, else honest-paas below XDG_CACHE_HOME, else below ~/.cache. */
export function cacheRoot(env: NodeJS.ProcessEnv = process.env): string {
  if (env.HONEST_PAAS_CACHE) return env.HONEST_PAAS_CACHE;
  return join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "honest-paas");
}

export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw cause;
  }
}

/** Written beside and renamed, so that a reader never sees half a file. */
export async function writeAtomic(path: string, data: string | Uint8Array, mode = 0o644): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const beside = `${path}.${process.pid}.part`;
  await writeFile(beside, data, { mode });
  await rename(beside, path);
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Takes the lock if it is free or its holder is dead; undefined when a living process has it. */
async function takeLock(path: string): Promise<boolean> {
  try {
    const file = await open(path, "wx");
    await file.writeFile(String(process.pid));
    await file.close();
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
  }
  const holder = Number(await readFile(path, "utf8").catch(() => ""));
  if (holder > 0 && alive(holder)) return false;
  // an empty lock is being written this moment, unless it is old
  if (
    !(holder > 0) &&
    Date.now() -
      (await stat(path).then(
        (s) => s.mtimeMs,
        () => 0,
      )) <
      2000
  )
    return false;
  await rm(path, { force: true });
  return false;
}

/** Runs the work while no other process does work under the same name; says so when it has to wait. */
export async function withLock<T>(path: string, waiting: () => void, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  let told = false;
  while (!(await takeLock(path))) {
    signal.throwIfAborted();
    if (!told) waiting();
    told = true;
    await new Promise((wake) => setTimeout(wake, 200));
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}
