// Reads a whole mirror and says what is not as it should be. Changes nothing: `honest-paas mirror build` mends.
import { join } from "node:path";
import { judgeBlobs } from "./blobs.js";
import { exists, readIfThere } from "./cache.js";
import { contentsFile, findContents, isIntact } from "./contents.js";
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
  const beside = await readIfThere(join(folder, `${path}.sha256`));
  if (beside === undefined) return { path: `${path}.sha256`, problem: "is missing" };
  if (beside.split(/\s/)[0] !== sha256) return { path: `${path}.sha256`, problem: `does not say ${sha256}` };
  return undefined;
}

/** From the tag over index and manifest to the blobs: everything a pull asks for is there. */
async function imageFaults(
  folder: string,
  reference: string,
  arches: Readonly<Record<string, { readonly digest: string }>>,
): Promise<Fault[]> {
  const { name, tag } = splitReference(reference);
  const at = (kind: "manifests" | "blobs", id: string): string => join(folder, "v2", name, kind, id);
  const text = await readIfThere(at("manifests", tag));
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
    const manifest = await readIfThere(at("manifests", digest));
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
  const contents = await findContents(folder);
  if (typeof contents === "string") {
    const problem = contents === "missing" ? `is missing: ${folder} is no mirror, or none yet` : "is spoilt: it lists no files and images";
    return { files: 0, images: 0, blobs: 0, faults: [{ path: contentsFile, problem }] };
  }
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
  const { count, spoilt } = await judgeBlobs(folder, signal, options.log);
  for (const { path, digest } of spoilt) faults.push({ path, problem: `is spoilt: its content is ${digest}` });
  return { files: files.length, images: images.length, blobs: count, faults };
}
