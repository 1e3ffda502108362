// Container images as the distribution API lays them out (v2/NAME/manifests/REF, v2/NAME/blobs/DIGEST): a folder that any
// static HTTP server can serve to a container runtime. A tag is always an index, so that a second architecture joins the
// first without changing what is there.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { type Architecture, architectures } from "./artefact.js";
import { linkOrCopy, readIfThere, sha256Of, sizeOf, writeAtomic } from "./cache.js";
import { readContents } from "./contents.js";
import type { Layer } from "./layer.js";

export const indexType = "application/vnd.oci.image.index.v1+json";
export const manifestType = "application/vnd.oci.image.manifest.v1+json";
const configType = "application/vnd.oci.image.config.v1+json";
const layerType = "application/vnd.oci.image.layer.v1.tar+gzip";

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly architecture: string; readonly os: string; readonly variant?: string };
}

export interface Manifest {
  readonly mediaType?: string;
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

export interface Index {
  readonly mediaType?: string;
  readonly manifests: readonly Descriptor[];
}

export interface ImageConfig {
  readonly entrypoint?: readonly string[];
  readonly user?: string;
}

/** An image of one architecture, as it lies in a mirror. */
export interface MirroredImage {
  readonly reference: string;
  readonly digest: string;
  /** The manifest's own text: its digest is that of these bytes. */
  readonly manifest: string;
  readonly mediaType: string;
  readonly blobs: readonly { readonly digest: string; readonly file: string }[];
}

export const digestOf = (text: string | Uint8Array): string => `sha256:${createHash("sha256").update(text).digest("hex")}`;

/** "registry.k8s.io/coredns/coredns:v1" is name "coredns/coredns", tag "v1": a mirror serves names without their registry. */
export function splitReference(reference: string): { readonly registry: string; readonly name: string; readonly tag: string } {
  const colon = reference.lastIndexOf(":");
  const full = reference.slice(0, colon);
  const slash = full.indexOf("/");
  return { registry: full.slice(0, slash), name: full.slice(slash + 1), tag: reference.slice(colon + 1) };
}

export const blobPath = (mirror: string, name: string, digest: string): string => join(mirror, "v2", name, "blobs", digest);
export const manifestPath = (mirror: string, name: string, reference: string): string => join(mirror, "v2", name, "manifests", reference);

/** Puts an image made here below `mirror`/v2. `reference` is the full name with its registry: "registry.k8s.io/pause:3.10.2". */
export async function writeImage(
  mirror: string,
  reference: string,
  arch: Architecture,
  layers: readonly Layer[],
  config: ImageConfig,
): Promise<MirroredImage> {
  const { name } = splitReference(reference);
  const configJson = JSON.stringify({
    architecture: arch,
    os: "linux",
    created: "1970-01-01T00:00:00Z",
    config: {
      Env: ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
      ...(config.entrypoint ? { Entrypoint: config.entrypoint } : {}),
      ...(config.user ? { User: config.user } : {}),
    },
    rootfs: { type: "layers", diff_ids: layers.map((l) => l.diffId) },
  });
  const configDigest = digestOf(configJson);
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: manifestType,
    config: { mediaType: configType, digest: configDigest, size: Buffer.byteLength(configJson) },
    layers: layers.map((l) => ({ mediaType: layerType, digest: l.digest, size: l.size })),
  });
  for (const layer of layers) await linkOrCopy(layer.file, blobPath(mirror, name, layer.digest));
  await writeAtomic(blobPath(mirror, name, configDigest), configJson);
  return tagManifest(mirror, reference, arch, manifest, manifestType);
}

/** A manifest or index by its digest; undefined when it is missing or spoilt. */
async function intactText(mirror: string, name: string, digest: string): Promise<string | undefined> {
  const text = await readIfThere(manifestPath(mirror, name, digest));
  return text !== undefined && digestOf(text) === digest ? text : undefined;
}

/** What the index behind a tag lists; nothing when there is none, or something else is in its place. */
function listed(text: string | undefined): readonly Descriptor[] {
  if (text === undefined) return [];
  try {
    return (JSON.parse(text) as Partial<Index>).manifests ?? [];
  } catch {
    // spoilt: it is written anew with what is known
    return [];
  }
}

const describeManifest = (text: string, mediaType: string, architecture: string): Descriptor => ({
  mediaType,
  digest: digestOf(text),
  size: Buffer.byteLength(text),
  platform: { architecture, os: "linux" },
});

/** The other architectures behind a tag: as recorded, else as the tag has them; it may be what is spoilt. */
async function siblings(mirror: string, reference: string, arch: Architecture): Promise<readonly Descriptor[]> {
  const { name, tag } = splitReference(reference);
  const recorded = (await readContents(mirror)).images[reference];
  const behind = listed(await readIfThere(manifestPath(mirror, name, tag)));
  const found: Descriptor[] = [];
  for (const other of architectures) {
    const digest = recorded?.[other]?.digest ?? behind.find((m) => m.platform?.architecture === other)?.digest;
    const text = other !== arch && digest ? await intactText(mirror, name, digest) : undefined;
    if (text) found.push(describeManifest(text, (JSON.parse(text) as Manifest).mediaType ?? manifestType, other));
  }
  return found;
}

/** Names a manifest whose blobs are there: last, so that a tag never points at what is missing. */
export async function tagManifest(
  mirror: string,
  reference: string,
  arch: Architecture,
  manifest: string,
  mediaType: string,
): Promise<MirroredImage> {
  const { name, tag } = splitReference(reference);
  const digest = digestOf(manifest);
  await writeAtomic(manifestPath(mirror, name, digest), manifest);
  const path = manifestPath(mirror, name, tag);
  const own = describeManifest(manifest, mediaType, arch);
  const manifests = [...(await siblings(mirror, reference, arch)), own].sort((a, b) =>
    (a.platform?.architecture ?? "") < (b.platform?.architecture ?? "") ? -1 : 1,
  );
  const index = JSON.stringify({ schemaVersion: 2, mediaType: indexType, manifests });
  await writeAtomic(manifestPath(mirror, name, digestOf(index)), index);
  await writeAtomic(path, index);
  return describe(mirror, reference, digest, manifest, mediaType);
}

function describe(mirror: string, reference: string, digest: string, manifest: string, mediaType: string): MirroredImage {
  const { name } = splitReference(reference);
  const { config, layers } = JSON.parse(manifest) as Manifest;
  const digests = [...new Set([config.digest, ...layers.map((l) => l.digest)])];
  return { reference, digest, manifest, mediaType, blobs: digests.map((d) => ({ digest: d, file: blobPath(mirror, name, d) })) };
}

/** Undefined unless manifest and all blobs are there; `thorough` reads the blobs whole, otherwise their sizes tell. */
export async function readImage(mirror: string, reference: string, digest: string, thorough: boolean): Promise<MirroredImage | undefined> {
  const { name, tag } = splitReference(reference);
  const index = await readIfThere(manifestPath(mirror, name, tag));
  // a tag and its index under its digest are one text in two places
  if (index === undefined || (await intactText(mirror, name, digestOf(index))) === undefined) return undefined;
  if (!listed(index).some((m) => m.digest === digest)) return undefined;
  const text = await intactText(mirror, name, digest);
  if (text === undefined) return undefined;
  const manifest = JSON.parse(text) as Manifest;
  for (const blob of [manifest.config, ...manifest.layers]) {
    const file = blobPath(mirror, name, blob.digest);
    const size = await sizeOf(file);
    if (size !== blob.size || (thorough && `sha256:${await sha256Of(file)}` !== blob.digest)) return undefined;
  }
  return describe(mirror, reference, digest, text, manifest.mediaType ?? manifestType);
}
