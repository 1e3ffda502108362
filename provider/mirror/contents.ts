// What a mirror holds, written beside it in mirror.json: where each file came from and what it must hash to. A build
// goes on from it, verify checks against it, and a person can read it.
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Architecture } from "./artefact.js";
import { sha256Of, writeAtomic } from "./cache.js";

export interface FileRecord {
  readonly sha256: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly source: "upstream" | "gomod";
  /** Names how it was built; what was built in another way is built again. "" for downloads. */
  readonly recipe: string;
}

export interface ImageRecord {
  /** Of the manifest of this architecture. */
  readonly digest: string;
  readonly source: "upstream" | "gomod";
  readonly recipe: string;
}

export interface Contents {
  readonly schema: 1;
  /** By path below the mirror. */
  readonly files: Readonly<Record<string, FileRecord>>;
  /** By full reference. */
  readonly images: Readonly<Record<string, Readonly<Partial<Record<Architecture, ImageRecord>>>>>;
}

export const contentsFile = "mirror.json";

export async function readContents(mirror: string): Promise<Contents> {
  try {
    const contents = JSON.parse(await readFile(join(mirror, contentsFile), "utf8")) as Contents;
    if (contents.schema === 1) return contents;
    throw new Error(
      `${join(mirror, contentsFile)} was written by another release of honest-paas (schema ${contents.schema}); build into an empty folder`,
    );
  } catch (cause) {
    // cut off while being written on a file system without atomic rename: what it described is built or fetched again
    if ((cause as NodeJS.ErrnoException).code === "ENOENT" || cause instanceof SyntaxError) return { schema: 1, files: {}, images: {} };
    throw cause;
  }
}

const byName = <T>(record: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));

async function write(mirror: string, contents: Contents): Promise<void> {
  const sorted = { schema: 1, files: byName(contents.files), images: byName(contents.images) };
  await writeAtomic(join(mirror, contentsFile), `${JSON.stringify(sorted, null, 1)}\n`);
}

/** Notes a file that has just appeared, and writes its sha256 beside it as upstream does. Under the mirror's lock. */
export async function recordFile(mirror: string, path: string, source: FileRecord["source"], recipe: string): Promise<void> {
  const file = join(mirror, path);
  const sha256 = await sha256Of(file);
  await writeAtomic(`${file}.sha256`, `${sha256}\n`);
  const { size, mtimeMs } = await stat(file);
  const contents = await readContents(mirror);
  await write(mirror, { ...contents, files: { ...contents.files, [path]: { sha256, size, mtimeMs, source, recipe } } });
}

export async function recordImage(mirror: string, reference: string, arch: Architecture, record: ImageRecord): Promise<void> {
  const contents = await readContents(mirror);
  await write(mirror, {
    ...contents,
    images: { ...contents.images, [reference]: { ...contents.images[reference], [arch]: record } },
  });
}

/** Whether the file is there as recorded. `thorough` reads it whole; otherwise size and time of change tell. */
export async function isIntact(mirror: string, path: string, record: FileRecord, thorough: boolean): Promise<boolean> {
  const file = join(mirror, path);
  try {
    const [found] = await Promise.all([stat(file), stat(`${file}.sha256`)]);
    if (found.size !== record.size) return false;
    if (!thorough && found.mtimeMs === record.mtimeMs) return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw cause;
  }
  return (await sha256Of(file)) === record.sha256;
}
