// etcd's own reader of snapshots, where this machine has it: on PATH, or built for a machine image.
import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { cacheRoot } from "../../mirror/cache.js";
import { onPath } from "../terraform/find.js";

export function findEtcdutl(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const found = onPath("etcdutl", env);
  if (found) return found;
  const unpacked = join(cacheRoot(), "unpacked");
  const folders = existsSync(unpacked) ? readdirSync(unpacked) : [];
  return folders.map((name) => join(unpacked, name, "etcdutl")).find(existsSync);
}

interface EtcdutlStatus {
  readonly revision: number;
  readonly totalKey: number;
}

/** Reads the whole file; etcd's own hash at its end is checked. */
export async function etcdutlStatus(program: string, path: string, signal: AbortSignal): Promise<EtcdutlStatus | string> {
  try {
    const { stdout } = await promisify(execFile)(program, ["snapshot", "status", path, "-w", "json"], { signal, timeout: 600_000 });
    const { revision, totalKey } = JSON.parse(stdout) as EtcdutlStatus;
    return { revision, totalKey };
  } catch (cause) {
    if (signal.aborted) throw cause;
    return String((cause as { stderr?: string }).stderr || (cause as Error).message)
      .trim()
      .slice(-300);
  }
}
