// One archive in OCI layout with many images, as container runtimes import it.
import type { Readable } from "node:stream";
import { type MirroredImage, splitReference } from "./oci.js";
import { type FileEntry, tarOf } from "./tar.js";

export function imageArchive(images: readonly MirroredImage[]): Readable {
  const index = {
    schemaVersion: 2,
    manifests: images.map((i) => ({
      mediaType: i.mediaType,
      digest: i.digest,
      size: Buffer.byteLength(i.manifest),
      annotations: { "io.containerd.image.name": i.reference, "org.opencontainers.image.ref.name": splitReference(i.reference).tag },
    })),
  };
  const text = (to: string, body: string): FileEntry => ({ to, text: body, mode: 0o644 });
  const blobs = new Map<string, FileEntry>();
  const at = (digest: string): string => `blobs/${digest.replace(":", "/")}`;
  for (const image of images) {
    blobs.set(image.digest, text(at(image.digest), image.manifest));
    for (const { digest, file } of image.blobs) blobs.set(digest, { to: at(digest), from: file, mode: 0o644 });
  }
  return tarOf([
    text("oci-layout", JSON.stringify({ imageLayoutVersion: "1.0.0" })),
    text("index.json", JSON.stringify(index)),
    ...blobs.values(),
  ]);
}
