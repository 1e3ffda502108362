// Fills a mirror for one or more Kubernetes versions. Done work is found again by name and content, so an interrupted build
// goes on where it was.
import { createWriteStream } from "node:fs";
import { chmod, mkdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { type Architecture, artefactsOf } from "./artefact.js";
import { dropSpoiltBlobs } from "./blobs.js";
import { appear, cacheRoot, exists, linkOrCopy, sweepParts, withLock } from "./cache.js";
import { readContents, recordFile, recordImage } from "./contents.js";
import { createFetcher, type Fetcher, UpstreamFailed } from "./fetcher.js";
import { buildGoModule } from "./go-module.js";
import { buildImage } from "./images.js";
import { type MirroredImage, readImage } from "./oci.js";
import { buildsOf, type FileItem, type Item, itemsOf, type Source, stateOf } from "./plan.js";
import { MirrorFailed } from "./problem.js";
import { pullImage } from "./registry.js";
import { tarOf } from "./tar.js";
import { missingTools } from "./tools.js";
import { fetchUpstream } from "./upstream.js";
import type { Components } from "./versions.js";

export type { Source } from "./plan.js";

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
  /** @default this computer's */
  readonly arch?: Architecture;
  /** @default "mirror" below the cache */
  readonly folder?: string;
  readonly root?: string;
  /** Another mirror in place of upstream: "http://mirror.example:8080". */
  readonly upstreamBase?: string;
  /** Milliseconds until an upstream that does not answer is given up. @default 5000 */
  readonly connectMs?: number;
  /** Read everything that is there and do what is spoilt again; otherwise sizes and times tell. @default false */
  readonly thorough?: boolean;
  /** Called when something has to be built and tools for that are missing (tools.ts); may install them, or throw. */
  readonly prepare?: () => Promise<void>;
  /** Called when something has to be built from source, before the first build; may throw. */
  readonly beforeBuild?: () => Promise<void>;
  readonly log: (progress: Progress) => void;
  readonly signal: AbortSignal;
}

export interface BuiltMirror {
  readonly folder: string;
  /** By Kubernetes version. */
  readonly images: ReadonlyMap<string, readonly MirroredImage[]>;
}

export const hostArchitecture = (): Architecture => (process.arch === "arm64" ? "arm64" : "amd64");

interface Run {
  readonly options: BuildOptions;
  readonly root: string;
  readonly folder: string;
  readonly arch: Architecture;
  readonly fetcher: Fetcher;
  /** Hosts that did not answer; they are not asked again in this run. */
  readonly silent: Set<string>;
}

type Note = (note: string) => void;

async function fetchItem(run: Run, item: Item): Promise<void> {
  const { folder, arch, fetcher } = run;
  const { upstreamBase } = run.options;
  if (item.kind === "file") {
    await fetchUpstream(folder, item.parts[0], fetcher, upstreamBase);
    if (item.parts[0].form === "binary") await chmod(join(folder, item.name), 0o755);
    await recordFile(folder, item.name, "upstream", "");
  } else {
    const { digest } = await pullImage(folder, item.name, arch, fetcher, upstreamBase);
    await recordImage(folder, item.name, arch, { digest, source: "upstream", recipe: "" });
  }
}

/** True when it was had; false, with the reason said, when it has to be built. */
async function tryUpstream(run: Run, item: Item, note: Note): Promise<boolean> {
  const { source, upstreamBase } = run.options;
  if (source === "gomod") return false;
  const host = upstreamBase ?? item.name.slice(0, item.name.indexOf("/"));
  if (run.silent.has(host)) return false;
  try {
    await fetchItem(run, item);
    return true;
  } catch (cause) {
    if (!(cause instanceof UpstreamFailed) || source === "upstream") throw cause;
    if (cause.unreachable) run.silent.add(host);
    note(`upstream cannot be used (${cause.message}); building from Go modules instead`);
    return false;
  }
}

async function packFile(run: Run, item: FileItem, note: Note): Promise<void> {
  const { root, folder, arch, options } = run;
  const target = join(folder, item.name);
  await mkdir(dirname(target), { recursive: true });
  const files: { from: string; to: string }[] = [];
  for (const part of item.parts) {
    const built = await buildGoModule(root, part.build, arch, part.binaries, note, options.signal);
    for (const name of part.binaries) files.push({ from: join(built, name), to: `${part.prefix}${name}` });
  }
  const [first] = files;
  if (item.parts[0].form === "binary" && first) await linkOrCopy(first.from, target);
  else await appear(target, (beside) => pipeline(tarOf(files), createGzip({ level: 1 }), createWriteStream(beside)));
  await recordFile(folder, item.name, "gomod", item.recipe);
}

async function buildItem(run: Run, item: Item, note: Note): Promise<void> {
  if (item.kind === "file") return packFile(run, item, note);
  const { root, folder, arch, options } = run;
  const { digest } = await buildImage(root, folder, item.image, arch, note, options.signal);
  await recordImage(folder, item.name, arch, { digest, source: "gomod", recipe: item.recipe });
}

async function checkBuildable({ arch, options }: Run, reason: string): Promise<void> {
  if (arch !== hostArchitecture())
    throw new MirrorFailed(
      `${reason}, and ${arch} cannot be built on this computer (${hostArchitecture()}): build it on an ${arch} computer, or where upstream can be reached`,
    );
  if (options.prepare && (await missingTools())) await options.prepare();
  const missing = await missingTools();
  if (missing) throw new MirrorFailed(`${reason}, and ${missing}`);
}

async function fillVersion(run: Run, c: Components): Promise<void> {
  const { options, folder, arch } = run;
  const items = itemsOf(c, arch);
  const contents = await readContents(folder);
  let done = 0;
  const report = (item: Item, note?: string): void =>
    options.log({
      stage: item.kind === "file" ? "files" : "images",
      item: item.name,
      done,
      total: items.length,
      ...(note ? { note } : {}),
    });
  const finish = (item: Item): void => {
    done += 1;
    report(item);
  };
  const toBuild: Item[] = [];
  let reason = "--source gomod was asked for";
  for (const item of items) {
    options.signal.throwIfAborted();
    const state = await stateOf(folder, contents, item, arch, options.source, options.thorough ?? false);
    if (state === "broken") report(item, `${item.name} is missing or spoilt; making it anew`);
    if (state === "whole") finish(item);
    else if (
      await tryUpstream(run, item, (note) => {
        reason = note.replace(/; building.*/, "");
        report(item, note);
      })
    )
      finish(item);
    else toBuild.push(item);
  }
  const [first] = toBuild;
  if (!first) return;
  await options.beforeBuild?.();
  await checkBuildable(run, reason);
  for (const { build, wanted } of buildsOf(toBuild))
    await buildGoModule(run.root, build, arch, wanted, (note) => report(first, note), options.signal);
  for (const item of toBuild) {
    await buildItem(run, item, (note) => report(item, note));
    finish(item);
  }
}

/** The images of a version in a mirror that has been filled. */
export async function mirroredImages(folder: string, c: Components, arch: Architecture): Promise<readonly MirroredImage[]> {
  const contents = await readContents(folder);
  const images: MirroredImage[] = [];
  for (const item of itemsOf(c, arch)) {
    if (item.kind === "file") continue;
    const digest = contents.images[item.name]?.[arch]?.digest;
    const image = digest && (await readImage(folder, item.name, digest, false));
    if (!image) throw new Error(`${folder} lacks the image ${item.name}`);
    images.push(image);
  }
  return images;
}

/** Fills without taking the lock: for a caller that holds it. */
export async function fillMirror(options: BuildOptions): Promise<BuiltMirror> {
  const root = options.root ?? cacheRoot();
  const folder = options.folder ?? join(root, "mirror");
  const arch = options.arch ?? hostArchitecture();
  const { signal, connectMs } = options;
  for (const name of ["go", "debian", "layers", "pause"]) await sweepParts(join(root, name));
  await sweepParts(folder);
  if (options.thorough)
    for (const { path } of await dropSpoiltBlobs(folder, signal))
      options.log({ stage: "images", item: path, done: 0, total: 1, note: `${path} is spoilt; it was thrown away` });
  const fetcher = createFetcher({ signal, ...(connectMs ? { connectMs } : {}) });
  const images = new Map<string, readonly MirroredImage[]>();
  try {
    const run: Run = { options, root, folder, arch, fetcher, silent: new Set() };
    for (const c of options.versions) {
      await fillVersion(run, c);
      images.set(c.kubernetes, await mirroredImages(folder, c, arch));
    }
  } finally {
    await fetcher.close();
  }
  return { folder, images };
}

export const buildLock = (root: string): string => join(root, "build.lock");

export async function buildMirror(options: BuildOptions): Promise<BuiltMirror> {
  const root = options.root ?? cacheRoot();
  const folder = options.folder ?? join(root, "mirror");
  await mkdir(root, { recursive: true });
  const waiting = (): void =>
    options.log({ stage: "files", item: "waiting", done: 0, total: 1, note: "another process builds this mirror; waiting for it" });
  const fill = (): Promise<BuiltMirror> => fillMirror(options);
  // a mirror elsewhere may be filled by processes with caches of their own
  const inside = !relative(root, folder).startsWith("..");
  const fillLocked = inside ? fill : () => withLock(join(folder, ".build.lock"), waiting, options.signal, fill);
  return withLock(buildLock(root), waiting, options.signal, fillLocked);
}

/** Path of one program of the mirror, for use on this computer: kubectl, kubeadm. Undefined when it is not there. */
export async function mirroredBinary(c: Components, name: string, folder = join(cacheRoot(), "mirror")): Promise<string | undefined> {
  const artefact = artefactsOf(c, hostArchitecture()).find((a) => a.form === "binary" && a.binaries.includes(name));
  const path = artefact && join(folder, artefact.path);
  return path && (await exists(path)) ? path : undefined;
}
