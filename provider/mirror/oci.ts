// Writes container images as the distribution API lays them out (v2/NAME/manifests/REF, v2/NAME/blobs/DIGEST): a folder
// that any static HTTP server can serve to a container runtime. Same inputs give the same digests.
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { copyFile, link, mkdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { type Pack, pack } from "tar-stream";
import type { Architecture } from "./artefact.js";
import { exists, writeAtomic } from "./cache.js";

export const manifestType = "application/vnd.oci.image.manifest.v1+json";
const configType = "application/vnd.oci.image.config.v1+json";
const layerType = "application/vnd.oci.image.layer.v1.tar+gzip";

export interface Layer {
  readonly digest: string;
  readonly size: number;
  /** Digest of the tar before compression. */
  readonly diffId: string;
  readonly file: string;
}

export interface FileEntry {
  /** Absolute path inside the image. */
  readonly to: string;
  readonly from: string;
  readonly mode?: number;
}

async function addFile(tar: Pack, entry: FileEntry): Promise<void> {
  const { size } = await stat(entry.from);
  const header = { name: entry.to.replace(/^\//, ""), size, mode: entry.mode ?? 0o755, uid: 0, gid: 0, mtime: new Date(0) };
  const sink = tar.entry(header);
  await pipeline(createReadStream(entry.from), sink);
}

/** A tar with fixed owners and times: folders first, then the files in the order given. */
export function tarOf(files: readonly FileEntry[], folders: readonly { readonly path: string; readonly mode: number }[] = []): Readable {
  const tar = pack();
  void (async () => {
    for (const f of folders) {
      tar.entry({ name: `${f.path.replace(/^\//, "")}/`, type: "directory", mode: f.mode, uid: 0, gid: 0, mtime: new Date(0) });
    }
    for (const entry of files) await addFile(tar, entry);
    tar.finalize();
  })().catch((cause: Error) => tar.destroy(cause));
  return tar as unknown as Readable;
}

/** Compresses a tar into the layer store; found again by `key`. */
export async function writeLayer(store: string, key: string, tar: () => Readable): Promise<Layer> {
  const note = join(store, `${createHash("sha256").update(key).digest("hex")}.json`);
  if (await exists(note)) {
    const layer = JSON.parse(await readFile(note, "utf8")) as Layer;
    if (await exists(join(store, layer.file))) return { ...layer, file: join(store, layer.file) };
  }
  await mkdir(store, { recursive: true });
  const part = join(store, `layer.${process.pid}.${Math.random().toString(36).slice(2)}.part`);
  const plain = createHash("sha256");
  const packed = createHash("sha256");
  let size = 0;
  await pipeline(
    tar(),
    async function* (source: AsyncIterable<Buffer>) {
      for await (const chunk of source) {
        plain.update(chunk);
        yield chunk;
      }
    },
    // level 1: binaries of 100 MB each; the time to pack them is what a first run waits for, the size is local
    createGzip({ level: 1 }),
    async function* (source: AsyncIterable<Buffer>) {
      for await (const chunk of source) {
        packed.update(chunk);
        size += chunk.length;
        yield chunk;
      }
    },
    createWriteStream(part),
  );
  const digest = `sha256:${packed.digest("hex")}`;
  const file = digest.replace(":", "-");
  await rename(part, join(store, file));
  const layer: Layer = { digest, size, diffId: `sha256:${plain.digest("hex")}`, file };
  await writeAtomic(note, JSON.stringify(layer));
  return { ...layer, file: join(store, file) };
}

export interface ImageConfig {
  readonly entrypoint?: readonly string[];
  readonly path?: string;
  readonly user?: string;
}

export interface WrittenImage {
  readonly reference: string;
  readonly digest: string;
  readonly manifest: string;
  readonly blobs: readonly { readonly digest: string; readonly file: string }[];
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  if (await exists(to)) return;
  const part = `${to}.${process.pid}.part`;
  try {
    await link(from, part);
  } catch {
    // another file system: the copy costs time, nothing else
    await copyFile(from, part);
  }
  await rename(part, to);
  await rm(part, { force: true });
}

/** Puts an image below `mirror`/v2. `reference` is the full name with its registry: "registry.k8s.io/pause:3.10.2". */
export async function writeImage(
  mirror: string,
  reference: string,
  arch: Architecture,
  layers: readonly Layer[],
  config: ImageConfig,
): Promise<WrittenImage> {
  const { name, tag } = splitReference(reference);
  const configJson = JSON.stringify({
    architecture: arch,
    os: "linux",
    created: "1970-01-01T00:00:00Z",
    config: {
      Env: [`PATH=${config.path ?? "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}`],
      ...(config.entrypoint ? { Entrypoint: config.entrypoint } : {}),
      ...(config.user ? { User: config.user } : {}),
    },
    rootfs: { type: "layers", diff_ids: layers.map((l) => l.diffId) },
  });
  const configDigest = `sha256:${createHash("sha256").update(configJson).digest("hex")}`;
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: manifestType,
    config: { mediaType: configType, digest: configDigest, size: Buffer.byteLength(configJson) },
    layers: layers.map((l) => ({ mediaType: layerType, digest: l.digest, size: l.size })),
  });
  const digest = `sha256:${createHash("sha256").update(manifest).digest("hex")}`;
  const base = join(mirror, "v2", name);
  const blobFile = (d: string): string => join(base, "blobs", d);
  await mkdir(join(base, "blobs"), { recursive: true });
  for (const layer of layers) await linkOrCopy(layer.file, blobFile(layer.digest));
  await writeAtomic(blobFile(configDigest), configJson);
  await writeAtomic(join(base, "manifests", digest), manifest);
  await writeAtomic(join(base, "manifests", tag), manifest);
  return {
    reference,
    digest,
    manifest,
    blobs: [configDigest, ...layers.map((l) => l.digest)].map((d) => ({ digest: d, file: blobFile(d) })),
  };
}

/** "registry.k8s.io/coredns/coredns:v1" is name "coredns/coredns", tag "v1": a mirror serves names without their registry. */
export function splitReference(reference: string): { readonly registry: string; readonly name: string; readonly tag: string } {
  const colon = reference.lastIndexOf(":");
  const full = reference.slice(0, colon);
  const slash = full.indexOf("/");
  return { registry: full.slice(0, slash), name: full.slice(slash + 1), tag: reference.slice(colon + 1) };
}

/** One archive in OCI layout with all the images, as container runtimes import it. */
export function imageArchive(images: readonly WrittenImage[]): Readable {
  const tar = pack();
  const text = (name: string, body: string): void => {
    tar.entry({ name, mode: 0o644, mtime: new Date(0) }, body);
  };
  void (async () => {
    text("oci-layout", JSON.stringify({ imageLayoutVersion: "1.0.0" }));
    text(
      "index.json",
      JSON.stringify({
        schemaVersion: 2,
        manifests: images.map((i) => ({
          mediaType: manifestType,
          digest: i.digest,
          size: Buffer.byteLength(i.manifest),
          annotations: { "io.containerd.image.name": i.reference, "org.opencontainers.image.ref.name": splitReference(i.reference).tag },
        })),
      }),
    );
    const written = new Set<string>();
    for (const image of images) {
      text(`blobs/sha256/${image.digest.slice(7)}`, image.manifest);
      for (const blob of image.blobs) {
        if (written.has(blob.digest)) continue;
        written.add(blob.digest);
        await addFile(tar, { to: `blobs/sha256/${blob.digest.slice(7)}`, from: blob.file, mode: 0o644 });
      }
    }
    tar.finalize();
  })().catch((cause: Error) => tar.destroy(cause));
  return tar as unknown as Readable;
}
