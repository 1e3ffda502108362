// Reads a whole mirror and says what is not as it should be. Changes nothing: `honest-paas mirror build` mends.
import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { exists, sha256Of } from "./cache.js";
import { contentsFile, isIntact, readContents } from "./contents.js";
import { digestOf, type Index, type Manifest, splitReference } from "./oci.js";

export interface Fault {
  /** Below the mirror, or the name of an image. */
  readonly path: string;
  readonly problem: string;
}

export interface VerifyOptions {
  readonly folder: string;
  readonly log?: (progress: { readonly item: string; readonly done: number; readonly total: number }) => void;
  readonly signal: AbortSignal;
}

export interface Verdict {
  readonly files: number;
  readonly images: number;
  readonly blobs: number;
  readonly faults: readonly Fault[];
}

async function sumFault(folder: string, path: string, sha256: string): Promise<Fault | undefined> {
  const beside = await readFile(join(folder, `${path}.sha256`), "utf8").catch(() => undefined);
  if (beside === undefined) return { path: `${path}.sha256`, problem: "is missing" };
  if (beside.split(/\s/)[0] !== sha256) return { path: `${path}.sha256`, problem: `does not say ${sha256}` };
  return undefined;
}

/** Blobs and manifests carry their digest as their name. */
async function storeFaults(folder: string, options: VerifyOptions): Promise<{ count: number; faults: Fault[] }> {
  const entries = await readdir(join(folder, "v2"), { recursive: true, withFileTypes: true }).catch(() => []);
  const named = entries.filter((e) => e.isFile() && /^sha256:[0-9a-f]{64}$/.test(e.name)).map((e) => join(e.parentPath, e.name));
  const faults: Fault[] = [];
  for (const [done, file] of named.entries()) {
    options.signal.throwIfAborted();
    const path = relative(folder, file).split(sep).join("/");
    options.log?.({ item: path, done, total: named.length });
    const digest = `sha256:${await sha256Of(file)}`;
    if (!file.endsWith(digest)) faults.push({ path, problem: `is spoilt: its content is ${digest}` });
  }
  return { count: named.length, faults };
}

/** From the tag over index and manifest to the blobs: everything a pull asks for is there. */
async function imageFaults(
  folder: string,
  reference: string,
  arches: Readonly<Record<string, { readonly digest: string }>>,
): Promise<Fault[]> {
  const { name, tag } = splitReference(reference);
  const at = (kind: "manifests" | "blobs", id: string): string => join(folder, "v2", name, kind, id);
  const text = await readFile(at("manifests", tag), "utf8").catch(() => undefined);
  if (text === undefined) return [{ path: reference, problem: `its tag "${tag}" is missing` }];
  const faults: Fault[] = [];
  let index: Partial<Index> = {};
  try {
    index = JSON.parse(text) as Partial<Index>;
  } catch {
    return [{ path: reference, problem: `its tag "${tag}" is spoilt` }];
  }
  if (!(await exists(at("manifests", digestOf(text))))) faults.push({ path: reference, problem: `its index ${digestOf(text)} is missing` });
  for (const [arch, { digest }] of Object.entries(arches)) {
    if (!index.manifests?.some((m) => m.digest === digest)) faults.push({ path: reference, problem: `its tag does not lead to ${arch}` });
    const manifest = await readFile(at("manifests", digest), "utf8").catch(() => undefined);
    if (manifest === undefined || digestOf(manifest) !== digest) {
      faults.push({ path: reference, problem: `its manifest for ${arch} is ${manifest === undefined ? "missing" : "spoilt"}` });
      continue;
    }
    const { config, layers } = JSON.parse(manifest) as Manifest;
    for (const blob of [config, ...layers])
      if (!(await exists(at("blobs", blob.digest)))) faults.push({ path: reference, problem: `${blob.digest} (${arch}) is missing` });
  }
  return faults;
}

export async function verifyMirror(options: VerifyOptions): Promise<Verdict> {
  const { folder, signal } = options;
  if (!(await exists(join(folder, contentsFile))))
    return { files: 0, images: 0, blobs: 0, faults: [{ path: contentsFile, problem: `is missing: ${folder} is no mirror, or none yet` }] };
  const contents = await readContents(folder);
  const faults: Fault[] = [];
  const files = Object.entries(contents.files);
  for (const [done, [path, record]] of files.entries()) {
    signal.throwIfAborted();
    options.log?.({ item: path, done, total: files.length });
    if (!(await exists(join(folder, path)))) {
      faults.push({ path, problem: "is missing" });
      continue;
    }
    const sum = await sumFault(folder, path, record.sha256);
    if (sum) faults.push(sum);
    else if (!(await isIntact(folder, path, record, true))) faults.push({ path, problem: `is spoilt: its sha256 is not ${record.sha256}` });
  }
  const images = Object.entries(contents.images);
  for (const [reference, arches] of images) faults.push(...(await imageFaults(folder, reference, arches)));
  const store = await storeFaults(folder, options);
  return { files: files.length, images: images.length, blobs: store.count, faults: [...faults, ...store.faults] };
}
