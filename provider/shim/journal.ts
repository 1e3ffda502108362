// The journal of one cluster: written and on disk before a vendor is called, and again when it has answered. A run that is
// killed leaves in it what the next one has to look for. Mode 0600; one run at a time.
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { type Entry, type Intent, type Open, openOperations, parseJournal, type Result } from "./journal-entries.js";
import { identityOf, type ProcessIdentity, stillRunning } from "./process-identity.js";
import { VendorProblem } from "./vendor.js";

export interface Journal {
  /** What earlier runs left open, by address. */
  readonly open: ReadonlyMap<string, Open>;
  /** On disk when it returns. Gives the number for `end`. */
  begin(intent: Omit<Intent, "n" | "at">): number;
  end(result: Result): void;
  /** The state knows these addresses now, or knows that nothing of them is left. */
  forget(addresses: ReadonlySet<string>): void;
  close(): void;
}

const fsyncPath = (path: string): void => {
  const fd = openSync(path, "r");
  fsyncSync(fd);
  closeSync(fd);
};

function takeLock(path: string): void {
  const lock = `${path}.lock`;
  const mine = JSON.stringify(identityOf(process.pid));
  try {
    writeFileSync(lock, mine, { flag: "wx", mode: 0o600 });
    return;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
  }
  const owner = JSON.parse(readFileSync(lock, "utf8") || "null") as ProcessIdentity | null;
  if (owner !== null && owner.pid !== process.pid && stillRunning(owner) === true) {
    const detail = `Process ${owner.pid} is changing the same cluster and holds ${lock}. Wait until it has ended.`;
    throw new VendorProblem("Another run is at work on this cluster", detail);
  }
  // its owner was killed
  writeFileSync(lock, mine, { mode: 0o600 });
}

/** Throws `VendorProblem` when another run holds it, or when it cannot be read: guessing would double machines. */
export function openJournal(path: string): Journal {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  takeLock(path);
  let entries = readEntries(path);
  let next = entries.reduce((highest, entry) => Math.max(highest, "intent" in entry ? entry.intent.n : entry.result.n), 0) + 1;
  // what a killed run left of a line is taken off, or the next entry would be glued to it
  rewrite(path, entries);
  let fd = openSync(path, "a", 0o600);
  const append = (entry: Entry): void => {
    entries = [...entries, entry];
    writeSync(fd, `${JSON.stringify(entry)}\n`);
    fsyncSync(fd);
  };
  return {
    open: openOperations(entries),
    begin(intent) {
      const n = next;
      next += 1;
      append({ intent: { ...intent, n, at: new Date().toISOString() } });
      return n;
    },
    end: (result) => append({ result }),
    forget(addresses) {
      const gone = new Set<number>();
      for (const entry of entries) if ("intent" in entry && addresses.has(entry.intent.address)) gone.add(entry.intent.n);
      entries = entries.filter((entry) => !gone.has("intent" in entry ? entry.intent.n : entry.result.n));
      closeSync(fd);
      rewrite(path, entries);
      fd = openSync(path, "a", 0o600);
    },
    close() {
      closeSync(fd);
      rmSync(`${path}.lock`, { force: true });
    },
  };
}

function readEntries(path: string): readonly Entry[] {
  if (!existsSync(path)) return [];
  try {
    return parseJournal(readFileSync(path, "utf8"));
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    const detail = `${path} is damaged: ${cause.message}. It says which objects of the cloud an interrupted run may have made. Look for objects of this cluster that the state does not know, then remove the file.`;
    throw new VendorProblem("The journal of an earlier run cannot be read", detail);
  }
}

function rewrite(path: string, entries: readonly Entry[]): void {
  const next = `${path}.next`;
  writeFileSync(next, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""), { mode: 0o600 });
  fsyncPath(next);
  renameSync(next, path);
  fsyncPath(dirname(path));
}

/** Remembers nothing beyond this process: for resources that find their objects by name themselves. */
export function forgetfulJournal(): Journal {
  let next = 1;
  return { open: new Map(), begin: () => next++, end: () => undefined, forget: () => undefined, close: () => undefined };
}
