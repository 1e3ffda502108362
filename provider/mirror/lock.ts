// Locks between processes that share a cache or a project folder. A lock names its holder; a dead holder loses it at once.
// A process id alone is not a name: ids are used again, and mean something else in another container.
import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, readlink, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";

interface Holder {
  readonly pid: number;
  /** Start time of the process in the kernel's clock; "" where /proc does not tell. */
  readonly started: string;
  /** Computer and process namespace: only there does the pid mean this process. */
  readonly place: string;
  readonly nonce: string;
}

/** A holder elsewhere cannot be asked whether it lives; it touches the file each beat, and is given up after this. */
const silenceMs = 30_000;
const beatMs = 5_000;

async function startOf(pid: number): Promise<string | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, "utf8");
    // behind the name, which may hold spaces and brackets, the 20th field
    return text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ESRCH") throw cause;
    return undefined;
  }
}

async function here(): Promise<string> {
  const space = await readlink("/proc/self/ns/pid").catch(() => "");
  return `${hostname()} ${space}`;
}

async function lives(holder: Holder, path: string): Promise<boolean> {
  if (holder.place !== (await here())) return Date.now() - (await mtime(path)) < silenceMs;
  if (holder.started !== "") return (await startOf(holder.pid)) === holder.started;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM";
  }
}

const mtime = (path: string): Promise<number> =>
  stat(path).then(
    (s) => s.mtimeMs,
    () => Date.now(),
  );

const read = (path: string): Promise<string | undefined> => readFile(path, "utf8").catch(() => undefined);

function parse(text: string): Holder | undefined {
  try {
    const holder = JSON.parse(text) as Partial<Holder>;
    return typeof holder.pid === "number" && typeof holder.place === "string" ? (holder as Holder) : undefined;
  } catch {
    // not a lock of ours, or of an older release
    return undefined;
  }
}

/** Appears complete or not at all: written beside, then linked. */
async function create(path: string, text: string): Promise<boolean> {
  const beside = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  await writeFile(beside, text);
  try {
    await link(beside, path);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
    return false;
  } finally {
    await rm(beside, { force: true });
  }
}

/** Removes the lock of a dead holder. Under a lock of its own: of two that saw the same dead holder, one would else remove the other's. */
async function clear(path: string, seen: string): Promise<void> {
  const gate = `${path}.clear`;
  if (!(await create(gate, String(process.pid)))) {
    if (Date.now() - (await mtime(gate)) > 10_000) await rm(gate, { force: true });
    return;
  }
  try {
    if ((await read(path)) === seen) await rm(path, { force: true });
  } finally {
    await rm(gate, { force: true });
  }
}

async function take(path: string, own: string): Promise<boolean> {
  if (await create(path, own)) return true;
  const seen = await read(path);
  if (seen === undefined) return false;
  const holder = parse(seen);
  const alive = holder ? await lives(holder, path) : Date.now() - (await mtime(path)) < silenceMs;
  if (!alive) await clear(path, seen);
  return false;
}

/** Runs the work while no other process does work under the same name; says so when it has to wait. */
export async function withLock<T>(path: string, waiting: () => void, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  const holder: Holder = {
    pid: process.pid,
    started: (await startOf(process.pid).catch(() => "")) ?? "",
    place: await here(),
    nonce: randomBytes(8).toString("hex"),
  };
  const own = JSON.stringify(holder);
  for (let tries = 0; !(await take(path, own)); tries += 1) {
    signal.throwIfAborted();
    // the first look may only have removed the lock of a dead process
    if (tries === 1) waiting();
    if (tries > 0) await new Promise((wake) => setTimeout(wake, 200));
  }
  const beat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {
      // the folder is gone or read-only: the work itself will say so
    });
  }, beatMs);
  beat.unref();
  try {
    return await work();
  } finally {
    clearInterval(beat);
    if ((await read(path)) === own) await rm(path, { force: true });
  }
}
