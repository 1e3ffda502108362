// Which process a pid means: pids are used again, the moment of the start is not.
import { readFileSync } from "node:fs";

export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since the machine's start, as /proc says it. null where there is no /proc. */
  readonly started: string | null;
}

/** Ended, or a zombie that only waits to be collected: null. */
function running(pid: number): ProcessIdentity | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // the name in brackets may hold anything; fields are counted from behind it, the state being the first
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? null : { pid, started: fields[19] ?? null };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT" || (cause as NodeJS.ErrnoException).code === "ESRCH") return null;
    throw cause;
  }
}

export const hasProc = process.platform === "linux";

export const identityOf = (pid: number): ProcessIdentity => (hasProc ? running(pid) : null) ?? { pid, started: null };

/** False also when somebody else has the pid now. Where the start cannot be told: null, and nobody is killed on suspicion. */
export function stillRunning(identity: ProcessIdentity): boolean | null {
  if (!hasProc || identity.started === null) return null;
  return running(identity.pid)?.started === identity.started;
}
