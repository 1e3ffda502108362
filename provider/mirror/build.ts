// Fills a mirror for one or more Kubernetes versions: files first, then images. Done work is found again by name, so an
// interrupted build goes on where it was.
import { createWriteStream } from "node:fs";
import { copyFile, mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { type Architecture, type Artefact, artefactsOf } from "./artefact.js";
import { cacheRoot, exists, sha256Of, withLock, writeAtomic } from "./cache.js";
import { buildGoModule } from "./go-module.js";
import { buildImages } from "./images.js";
import { tarOf, type WrittenImage } from "./oci.js";
import { fetchUpstream, UpstreamFailed } from "./upstream.js";
import type { Components } from "./versions.js";

export type Source = "auto" | "upstream" | "gomod";

export interface Progress {
  readonly stage: "files" | "images" | "machine image";
  readonly item: string;
  readonly done: number;
  readonly total: number;
  /** A sentence when there is something to say: a fall back, a build time. */
  readonly note?: string;
}

export interface BuildOptions {
  readonly versions: readonly Components[];
  readonly source: Source;
  readonly arch?: Architecture;
  /** @default "mirror" below the cache */
  readonly folder?: string;
  readonly root?: string;
  /** See UpstreamOptions.base. */
  readonly upstreamBase?: string;
  readonly log: (progress: Progress) => void;
  readonly signal: AbortSignal;
}

export interface BuiltMirror {
  readonly folder: string;
  /** By Kubernetes version. */
  readonly images: ReadonlyMap<string, readonly WrittenImage[]>;
}

export const hostArchitecture = (): Architecture => (process.arch === "arm64" ? "arm64" : "amd64");

async function pack(target: string, artefact: readonly Artefact[], folders: ReadonlyMap<Artefact, string>): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const part = `${target}.${process.pid}.part`;
  const files = artefact.flatMap((a) => a.binaries.map((name) => ({ from: join(folders.get(a) ?? "", name), to: `${a.prefix}${name}` })));
  if (artefact[0]?.form === "binary") await copyFile(files[0]?.from ?? "", part);
  else await pipeline(tarOf(files), createGzip({ level: 1 }), createWriteStream(part));
  await rename(part, target);
  await writeAtomic(`${target}.sha256`, `${await sha256Of(target)}\n`);
}

async function buildFile(
  root: string,
  mirror: string,
  parts: readonly Artefact[],
  arch: Architecture,
  options: BuildOptions,
  note: (line: string) => void,
) {
  const first = parts[0];
  if (!first) return;
  const target = join(mirror, first.path);
  if ((await exists(target)) && (await exists(`${target}.sha256`))) return;
  const folders = new Map<Artefact, string>();
  for (const part of parts) folders.set(part, await buildGoModule(root, part.build, arch, part.binaries, note, options.signal));
  await pack(target, parts, folders);
}

export async function buildMirror(options: BuildOptions): Promise<BuiltMirror> {
  const root = options.root ?? cacheRoot();
  const folder = options.folder ?? join(root, "mirror");
  const arch = options.arch ?? hostArchitecture();
  const images = new Map<string, readonly WrittenImage[]>();
  await mkdir(root, { recursive: true });
  const waiting = (): void =>
    options.log({ stage: "files", item: "waiting", done: 0, total: 1, note: "another process builds this mirror; waiting for it" });
  await withLock(join(root, `mirror-${arch}.lock`), waiting, options.signal, async () => {
    for (const c of options.versions) {
      const byPath = new Map<string, Artefact[]>();
      for (const artefact of artefactsOf(c, arch)) byPath.set(artefact.path, [...(byPath.get(artefact.path) ?? []), artefact]);
      let useUpstream = options.source !== "gomod";
      let done = 0;
      for (const [path, parts] of byPath) {
        const report = (note?: string): void =>
          options.log({ stage: "files", item: path, done, total: byPath.size, ...(note ? { note } : {}) });
        report();
        const [first] = parts;
        if (useUpstream && first) {
          try {
            await fetchUpstream(folder, first, {
              signal: options.signal,
              ...(options.upstreamBase ? { base: options.upstreamBase } : {}),
            });
          } catch (cause) {
            if (!(cause instanceof UpstreamFailed) || options.source === "upstream") throw cause;
            useUpstream = false;
            report(`upstream cannot be used (${cause.message}); building from Go modules instead`);
          }
        }
        if (!useUpstream) await buildFile(root, folder, parts, arch, options, report);
        done += 1;
        report();
      }
      const note = (line: string): void => options.log({ stage: "images", item: c.kubernetes, done: 0, total: 1, note: line });
      note(`images of ${c.kubernetes}`);
      images.set(c.kubernetes, await buildImages(root, folder, c, arch, note, options.signal));
      options.log({ stage: "images", item: c.kubernetes, done: 1, total: 1 });
    }
  });
  return { folder, images };
}

/** Path of one program of the mirror, for use on this computer: kubectl, etcdctl. Undefined when it is not there. */
export async function mirroredBinary(c: Components, name: string, folder = join(cacheRoot(), "mirror")): Promise<string | undefined> {
  const artefact = artefactsOf(c, hostArchitecture()).find((a) => a.form === "binary" && a.binaries.includes(name));
  const path = artefact && join(folder, artefact.path);
  return path && (await exists(path)) ? path : undefined;
}
