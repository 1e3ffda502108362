// Layers of images in a store of their own, by digest; found again by what they were made from.
import { createHash, type Hash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { exists, hashOf, sha256Of, writeAtomic } from "./cache.js";

export interface Layer {
  readonly digest: string;
  readonly size: number;
  /** Digest of the tar before compression. */
  readonly diffId: string;
  readonly file: string;
}

const blobName = (digest: string): string => digest.replace(":", "-");

async function findLayer(store: string, note: string): Promise<Layer | undefined> {
  if (!(await exists(note))) return undefined;
  const layer = JSON.parse(await readFile(note, "utf8")) as Omit<Layer, "file">;
  const file = join(store, blobName(layer.digest));
  if (!(await exists(file)) || `sha256:${await sha256Of(file)}` !== layer.digest) return undefined;
  return { ...layer, file };
}

const through = (...hashes: readonly Hash[]) =>
  async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      for (const hash of hashes) hash.update(chunk);
      yield chunk;
    }
  };

/** Compresses a tar into the store. `madeFrom` names everything its bytes depend on. */
export async function writeLayer(store: string, madeFrom: unknown, tar: () => Readable): Promise<Layer> {
  const note = join(store, `${hashOf(madeFrom)}.json`);
  const found = await findLayer(store, note);
  if (found) return found;
  await mkdir(store, { recursive: true });
  const part = join(store, `layer-${hashOf(madeFrom)}.${process.pid}.part`);
  const plain = createHash("sha256");
  const packed = createHash("sha256");
  const out = createWriteStream(part);
  try {
    // level 1: binaries of 100 MB each; the time to pack them is what a first run waits for, the size is local
    await pipeline(tar(), through(plain), createGzip({ level: 1 }), through(packed), out);
    const digest = `sha256:${packed.digest("hex")}`;
    const layer = { digest, size: out.bytesWritten, diffId: `sha256:${plain.digest("hex")}` };
    const file = join(store, blobName(digest));
    await rename(part, file);
    await writeAtomic(note, JSON.stringify(layer));
    return { ...layer, file };
  } finally {
    await rm(part, { force: true });
  }
}
