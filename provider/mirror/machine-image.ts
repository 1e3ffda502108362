// The machine image of the local IaaS: Debian with cloud-init, the binaries of one Kubernetes version, and the images of
// that version already in containerd's store, as a cloud's prebuilt images have them. Importing images is the slowest
// step of a cold start (7-19 s a machine), so it is done once, here.
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { bakeScript, cloudConfig, crictlConfig, disksScript, disksUnit } from "./bake-script.js";
import { type BuildOptions, buildLock, fillMirror, hostArchitecture, type Progress, type Source } from "./build.js";
import { cacheRoot, hashOf, sweepParts, withLock } from "./cache.js";
import { debianDockerfile, debianRootfs, machinePackages } from "./debian.js";
import { imageArchive } from "./image-archive.js";
import { machineFiles } from "./machine-files.js";
import { itemsOf } from "./plan.js";
import { MirrorFailed } from "./problem.js";
import { tarOf } from "./tar.js";
import { hasDebianTool } from "./tools.js";
import { type Components, componentsOf, supportedVersions } from "./versions.js";

export interface BakeRequest {
  readonly from: string;
  readonly tag: string;
  /** Files put into the container before it starts, as a tar relative to "/". */
  readonly files: () => Readable;
  readonly command: readonly string[];
  /** A folder that is a volume while baking and no part of the image. */
  readonly volume: string;
  readonly changes: readonly string[];
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

/** What the engine has to offer; provider/engine implements it. */
export interface ImageEngine {
  imageExists(tag: string): Promise<boolean>;
  /** null when there is no such image. An engine that cannot tell keeps whatever image it has. */
  imageLabels?(tag: string): Promise<Readonly<Record<string, string>> | null>;
  importImage(tar: Readable, tag: string, changes: readonly string[]): Promise<void>;
  /** Needed where mmdebstrap is missing. */
  buildImage?(context: Readable, tag: string, options: { readonly network: string; readonly log: (line: string) => void }): Promise<void>;
  /** Runs a container to its end and commits it as `tag`. A failed command's output is in the error. */
  bakeImage(request: BakeRequest): Promise<void>;
}

export const machineImageTag = (version: string): string => `honest-paas/machine:${version}`;
/** The version in a tag of ours, or undefined for any other image. */
export const versionOfTag = (tag: string): string | undefined => /^honest-paas\/machine:(\d+\.\d+\.\d+)$/.exec(tag)?.[1];

export const recipeLabel = "honest-paas.dev/recipe";

/** Changes with everything that decides what is in the image, as far as it is decided here. */
export const machineRecipe = (c: Components): string =>
  hashOf([
    c,
    bakeScript,
    [cloudConfig, crictlConfig, disksScript, disksUnit],
    machinePackages,
    itemsOf(c, hostArchitecture()).map((i) => i.recipe),
  ]);

export interface MachineImageOptions {
  readonly engine: ImageEngine;
  /** "honest-paas/machine:1.36.3" */
  readonly tag: string;
  /** @default "auto" */
  readonly source?: Source;
  readonly root?: string;
  /** @default "mirror" below the cache */
  readonly folder?: string;
  /** As in BuildOptions. */
  readonly prepare?: () => Promise<void>;
  readonly log: (progress: Progress) => void;
  readonly signal: AbortSignal;
}

type Note = (text: string) => void;

async function isCurrent(engine: ImageEngine, tag: string, c: Components): Promise<boolean> {
  if (!engine.imageLabels) return engine.imageExists(tag);
  return (await engine.imageLabels(tag))?.[recipeLabel] === machineRecipe(c);
}

/** Debian with everything that a machine needs of it, as an image of its own: shared by all Kubernetes versions. */
async function ensureBase({ engine, prepare, signal }: MachineImageOptions, root: string, note: Note): Promise<string> {
  const dockerfile = debianDockerfile(machinePackages);
  const base = `honest-paas/base:${hashOf(dockerfile).slice(0, 12)}`;
  if (await engine.imageExists(base)) return base;
  if (!(await hasDebianTool()) && engine.buildImage) {
    note("mmdebstrap is not installed: the engine builds Debian from its debian image");
    try {
      await engine.buildImage(tarOf([{ to: "Dockerfile", text: dockerfile, mode: 0o644 }]), base, { network: "default", log: () => {} });
      return base;
    } catch (cause) {
      signal.throwIfAborted();
      if (!prepare) throw cause;
      note(`the engine cannot (${cause instanceof Error ? cause.message : cause})`);
    }
  }
  if (!(await hasDebianTool())) await prepare?.();
  if (!(await hasDebianTool()))
    throw new MirrorFailed("making a Debian root file system needs mmdebstrap, missing on this computer (Debian package: mmdebstrap)");
  const rootfs = await debianRootfs(root, machinePackages, note, signal);
  await engine.importImage(createReadStream(rootfs), base, ['CMD ["/lib/systemd/systemd"]']);
  return base;
}

async function bake(options: MachineImageOptions, c: Components, root: string, note: Note): Promise<void> {
  const { engine, tag, source = "auto", folder = join(root, "mirror"), prepare, log, signal } = options;
  // a byte that flipped on the disk keeps size and time; read once here, it is not copied into every machine
  const fill: BuildOptions = { versions: [c], source, root, folder, thorough: true, log, signal, ...(prepare ? { prepare } : {}) };
  const built = await fillMirror(fill);
  const base = await ensureBase(options, root, note);
  const arch = hostArchitecture();
  await sweepParts(join(root, "bake"));
  const work = join(root, "bake", `${c.kubernetes}.${process.pid}.part`);
  await mkdir(work, { recursive: true });
  try {
    const begun = Date.now();
    note("putting binaries and images into the machine image");
    const archive = join(work, "images.tar");
    await pipeline(imageArchive(built.images.get(c.kubernetes) ?? []), createWriteStream(archive));
    const files = [
      ...(await machineFiles(work, built.folder, c, arch)),
      { from: archive, to: "/bake-input/images.tar", mode: 0o644 },
    ] as const;
    await engine.bakeImage({
      from: base,
      tag,
      files: () => tarOf(files),
      command: ["/bin/sh", "/bake-input/bake.sh"],
      volume: "/bake",
      changes: ['CMD ["/lib/systemd/systemd"]', "LABEL honest-paas.dev/owner=honest-paas", `LABEL ${recipeLabel}=${machineRecipe(c)}`],
      // what it says matters when it fails, and is in the error then
      log: () => {},
      signal,
    });
    note(`made ${tag} in ${((Date.now() - begun) / 1000).toFixed(0)} s`);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Builds the image unless the engine has it as this release makes it. Two processes at once: the second waits for the first. */
export async function ensureMachineImage(options: MachineImageOptions): Promise<void> {
  const { engine, tag, signal } = options;
  const version = versionOfTag(tag);
  const c = version === undefined ? undefined : componentsOf(version);
  if (!c) {
    if (await engine.imageExists(tag)) return;
    throw new MirrorFailed(`no recipe for the image ${tag}: images are built for Kubernetes ${supportedVersions.join(", ")}`);
  }
  if (await isCurrent(engine, tag, c)) return;
  const root = options.root ?? cacheRoot();
  const note: Note = (text) => options.log({ stage: "machine image", item: tag, done: 0, total: 1, note: text });
  if (await engine.imageExists(tag))
    note(`${tag} was made by another release of honest-paas; making it again (machines keep what they have)`);
  await withLock(
    buildLock(root),
    () => note("another process builds images; waiting for it"),
    signal,
    async () => {
      if (!(await isCurrent(engine, tag, c))) await bake(options, c, root, note);
    },
  );
  options.log({ stage: "machine image", item: tag, done: 1, total: 1 });
}
