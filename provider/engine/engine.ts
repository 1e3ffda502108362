// The engine as other folders use it.
import { type BakeRequest, bakeImage } from "./bake.js";
import { type Core, createCore } from "./core.js";
import { type ExecResult, execIn } from "./exec.js";
import { parseHost } from "./host.js";
import { buildImage, type ImageOptions, imageExists, imageLabels, importImage } from "./image.js";
import { listOwned, type OwnedObject, removeOwned } from "./owned.js";
import { type Probe, probe } from "./probe.js";

export type { OwnedObject } from "./owned.js";
export type { Probe } from "./probe.js";

export interface Engine extends Core {
  probe(): Promise<Probe>;
  /** `container`: id or name. */
  execIn(container: string, argv: readonly string[]): Promise<ExecResult>;
  imageExists(tag: string): Promise<boolean>;
  imageLabels(tag: string): Promise<Readonly<Record<string, string>> | null>;
  importImage(tar: NodeJS.ReadableStream | Uint8Array, tag: string, changes?: readonly string[], options?: ImageOptions): Promise<void>;
  buildImage(
    context: NodeJS.ReadableStream | Uint8Array,
    tag: string,
    options?: ImageOptions & { readonly network?: string },
  ): Promise<void>;
  bakeImage(request: BakeRequest): Promise<void>;
  /** Everything of a cluster that the engine and its host's kernel still hold. */
  listOwned(cluster: string): Promise<readonly OwnedObject[]>;
  /** Removes all of it, whatever state it is in; gives what was there. */
  removeOwned(cluster: string): Promise<readonly OwnedObject[]>;
  withSignal(signal: AbortSignal): Engine;
}

const toEngine = (core: Core): Engine => ({
  ...core,
  probe: () => probe(core),
  execIn: (container, argv) => execIn(core, container, argv),
  imageExists: (tag) => imageExists(core, tag),
  imageLabels: (tag) => imageLabels(core, tag),
  importImage: (tar, tag, changes, options) => importImage(core, tar, tag, changes, options),
  buildImage: (context, tag, options) => buildImage(core, context, tag, options),
  bakeImage: (request) => bakeImage(core, request),
  listOwned: (cluster) => listOwned(core, cluster),
  removeOwned: (cluster) => removeOwned(core, cluster),
  withSignal: (signal) => toEngine(core.withSignal(signal)),
});

export const defaultHost = "unix:///var/run/docker.sock";

/** `host` as in DOCKER_HOST. Nothing is connected before the first call; a bad host throws at once. */
export const createEngine = (host: string = process.env.DOCKER_HOST || defaultHost): Engine => toEngine(createCore(parseHost(host)));
