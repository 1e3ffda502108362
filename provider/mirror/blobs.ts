// Blobs, manifests and indexes below v2/ carry their digest as their name, so that each can be judged by itself.
import { readdir, rm } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { exists, sha256Of } from "./cache.js";

export interface SpoiltBlob {
  /** Below the mirror. */
  readonly path: string;
  /** What its content is. */
  readonly digest: string;
}

export interface BlobVerdict {
  readonly count: number;
  readonly spoilt: readonly SpoiltBlob[];
}

type Tell = (progress: { readonly item: string; readonly done: number; readonly total: number }) => void;

/** Reads them all. */
export async function judgeBlobs(folder: string, signal: AbortSignal, tell?: Tell): Promise<BlobVerdict> {
  const root = join(folder, "v2");
  const entries = (await exists(root)) ? await readdir(root, { recursive: true, withFileTypes: true }) : [];
  const files = entries.filter((e) => e.isFile() && /^sha256:[0-9a-f]{64}$/.test(e.name)).map((e) => join(e.parentPath, e.name));
  const spoilt: SpoiltBlob[] = [];
  for (const [done, file] of files.entries()) {
    signal.throwIfAborted();
    const path = relative(folder, file).split(sep).join("/");
    tell?.({ item: path, done, total: files.length });
    const digest = `sha256:${await sha256Of(file)}`;
    if (!file.endsWith(digest)) spoilt.push({ path, digest });
  }
  return { count: files.length, spoilt };
}

/** Throws away what is spoilt, also what no tag leads to any more: nobody can use it, and a build makes what is missing. */
export async function dropSpoiltBlobs(folder: string, signal: AbortSignal): Promise<readonly SpoiltBlob[]> {
  const { spoilt } = await judgeBlobs(folder, signal);
  for (const { path } of spoilt) await rm(join(folder, path));
  return spoilt;
}
