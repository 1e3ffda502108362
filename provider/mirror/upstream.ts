// Fetches a file from where upstream publishes it: resumed after a cut, believed only when its published sha256 says so.
import { createWriteStream } from "node:fs";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fetch } from "undici";
import type { Artefact } from "./artefact.js";
import { exists, sha256Of, writeAtomic } from "./cache.js";

/** Why a file could not be had from upstream; `auto` prints it and builds instead. */
export class UpstreamFailed extends Error {}

export interface UpstreamOptions {
  /** What stands in place of "https:/" before the path; tests and air-gapped mirrors give their own. @default "https:/" */
  readonly base?: string;
  readonly signal: AbortSignal;
  /** How long to wait for an answer to begin. @default 5000 */
  readonly connectMs?: number;
}

async function get(url: string, options: UpstreamOptions, headers: Record<string, string> = {}) {
  const timer = AbortSignal.timeout(options.connectMs ?? 5000);
  try {
    return await fetch(url, { headers, signal: AbortSignal.any([options.signal, timer]), redirect: "follow" });
  } catch (cause) {
    options.signal.throwIfAborted();
    const reason = cause instanceof Error ? ((cause.cause as Error | undefined)?.message ?? cause.message) : String(cause);
    throw new UpstreamFailed(`${url}: ${reason}`);
  }
}

/** The published checksum: a line "HEX  NAME" for the file, or a file that holds nothing but the hex. */
export function findChecksum(text: string, file: string): string | undefined {
  for (const line of text.split("\n")) {
    const [hex, name] = line.trim().split(/\s+\*?/);
    if (hex && /^[0-9a-f]{64}$/.test(hex) && (name === undefined || name.endsWith(file))) return hex;
  }
  return undefined;
}

export async function fetchUpstream(mirror: string, artefact: Artefact, options: UpstreamOptions): Promise<string> {
  const target = join(mirror, artefact.path);
  const base = options.base ?? "https:/";
  const published = await get(`${base}/${artefact.checksum}`, options);
  if (!published.ok) throw new UpstreamFailed(`${base}/${artefact.checksum}: HTTP ${published.status}`);
  const wanted = findChecksum(await published.text(), artefact.path.slice(artefact.path.lastIndexOf("/") + 1));
  if (!wanted) throw new UpstreamFailed(`${base}/${artefact.checksum} names no checksum of ${artefact.path}`);
  if ((await exists(target)) && (await sha256Of(target)) === wanted) return target;
  const part = `${target}.part`;
  await mkdir(dirname(target), { recursive: true });
  const have = await stat(part).then(
    (s) => s.size,
    () => 0,
  );
  const response = await get(`${base}/${artefact.path}`, options, have > 0 ? { range: `bytes=${have}-` } : {});
  const whole = response.status === 416;
  if (!response.ok && !whole) throw new UpstreamFailed(`${base}/${artefact.path}: HTTP ${response.status}`);
  if (!whole && response.body) {
    try {
      await pipeline(Readable.fromWeb(response.body), createWriteStream(part, { flags: response.status === 206 ? "a" : "w" }));
    } catch (cause) {
      options.signal.throwIfAborted();
      throw new UpstreamFailed(`${base}/${artefact.path}: cut off, run again to go on (${cause instanceof Error ? cause.message : cause})`);
    }
  }
  const got = await sha256Of(part);
  if (got !== wanted) {
    await rm(part, { force: true });
    throw new UpstreamFailed(`${base}/${artefact.path}: sha256 is ${got}, published is ${wanted}; the file was thrown away`);
  }
  await rename(part, target);
  await writeAtomic(`${target}.sha256`, `${wanted}\n`);
  return target;
}
