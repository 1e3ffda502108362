// What a mirror holds, written beside it in mirror.json: where each file came from and what it must hash to. A build
// goes on from it, verify checks against it, and a person can read it.
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Architecture } from "./artefact.js";
import { readIfThere, sha256Of, writeAtomic } from "./cache.js";
import { MirrorFailed } from "./problem.js";

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

const isRecord = (value: unknown): boolean => typeof value === "object" && value !== null;

function parse(text: string): Contents | undefined {
  try {
    const { schema, files, images } = JSON.parse(text) as Contents;
    return schema === undefined || !isRecord(files) || !isRecord(images) ? undefined : { schema, files, images };
  } catch {
    // cut off while being written on a file system without atomic rename, or spoilt: the caller is told
    return undefined;
  }
}

/** What the mirror says it holds; "missing" when there is no such file, "spoilt" when nobody can read it. */
export async function findContents(mirror: string): Promise<Contents | "missing" | "spoilt"> {
  const path = join(mirror, contentsFile);
  const text = await readIfThere(path);
  if (text === undefined) return "missing";
  const contents = parse(text);
  if (contents && contents.schema !== 1)
    throw new MirrorFailed(`${path} was written by another release of honest-paas (schema ${contents.schema}); build into an empty folder`);
  return contents ?? "spoilt";
}

/** As findContents; what cannot be read counts as an empty mirror, whose files are built or fetched again. */
export async function readContents(mirror: string): Promise<Contents> {
  const found = await findContents(mirror);
  return typeof found === "string" ? { schema: 1, files: {}, images: {} } : found;
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
    const [found, beside] = await Promise.all([stat(file), readFile(`${file}.sha256`, "utf8")]);
    // machines believe the sum beside the file, not this record
    if (found.size !== record.size || beside.split(/\s/)[0] !== record.sha256) return false;
    if (!thorough && found.mtimeMs === record.mtimeMs) return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw cause;
  }
  return (await sha256Of(file)) === record.sha256;
}
