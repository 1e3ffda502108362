// A folder per vendor process for its socket, and what is swept of earlier ones: a run that is killed leaves its folder, and
// a vendor process that nobody ends and that may still act.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Log } from "../framework/resource.js";
import { identityOf, type ProcessIdentity, stillRunning } from "./process-identity.js";

const prefix = "honest-vendor-";
const ownerFile = "owner.json";
/** Go's name of a socket has up to 20 characters; sun_path holds 108 bytes. */
const longestDir = 80;

interface Owner {
  readonly owner: ProcessIdentity;
  readonly vendor: ProcessIdentity | null;
}

export function makeSocketDir(): string {
  const base = Buffer.byteLength(join(tmpdir(), `${prefix}XXXXXX`)) > longestDir ? "/tmp" : tmpdir();
  const dir = mkdtempSync(join(base, prefix));
  noteVendor(dir, null);
  return dir;
}

export function noteVendor(dir: string, vendor: number | null): void {
  const owner: Owner = { owner: identityOf(process.pid), vendor: vendor === null ? null : identityOf(vendor) };
  writeFileSync(join(dir, ownerFile), JSON.stringify(owner), { mode: 0o600 });
}

export const removeSocketDir = (dir: string): void => rmSync(dir, { recursive: true, force: true });

/** Ends vendors whose provider is gone, and removes what it left. Folders of others are not ours to judge. */
export function sweepSocketDirs(log: Log, base = tmpdir()): void {
  for (const name of readdirSync(base)) {
    if (!name.startsWith(prefix)) continue;
    const dir = join(base, name);
    try {
      if (typeof process.getuid === "function" && statSync(dir).uid !== process.getuid()) continue;
      const { owner, vendor } = JSON.parse(readFileSync(join(dir, ownerFile), "utf8")) as Owner;
      if (stillRunning(owner) !== false) continue;
      if (vendor !== null && stillRunning(vendor) === true) {
        log("warn", `ending process ${vendor.pid}: a vendor's provider whose own provider was killed`);
        process.kill(vendor.pid, "SIGKILL");
      }
      removeSocketDir(dir);
    } catch (cause) {
      // removed by another run in the same moment, or half written by one that was killed: it harms nobody
      log("debug", `${dir} is left as it is: ${cause instanceof Error ? cause.message : String(cause)}`);
    }
  }
}
