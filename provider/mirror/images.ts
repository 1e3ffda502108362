// The images a cluster needs, by full name, and how each is made where upstream's cannot be had: a binary on nothing, or
// on a small Debian where it calls other programs.
import { createReadStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Architecture, type GoBuild, imageBuilds, kubernetesBuild } from "./artefact.js";
import { appear, hashOf, isSealed, seal, sha256Of } from "./cache.js";
import { debianRootfs, networkPackages } from "./debian.js";
import { buildGoModule } from "./go-module.js";
import { type Layer, writeLayer } from "./layer.js";
import { type ImageConfig, type MirroredImage, writeImage } from "./oci.js";
import { pauseSource } from "./pause-source.js";
import { runProgram } from "./program.js";
import { tarOf } from "./tar.js";
import type { Components } from "./versions.js";

export interface ImageNames {
  readonly apiserver: string;
  readonly controllerManager: string;
  readonly scheduler: string;
  readonly proxy: string;
  readonly coredns: string;
  readonly pause: string;
  readonly kubeRouter: string;
  readonly agnhost: string;
}

export function imageNames(c: Components): ImageNames {
  const core = (name: string): string => `registry.k8s.io/${name}:v${c.kubernetes}`;
  return {
    apiserver: core("kube-apiserver"),
    controllerManager: core("kube-controller-manager"),
    scheduler: core("kube-scheduler"),
    proxy: core("kube-proxy"),
    coredns: `registry.k8s.io/coredns/coredns:v${c.coredns}`,
    pause: `registry.k8s.io/pause:${c.pause}`,
    kubeRouter: `docker.io/cloudnativelabs/kube-router:v${c.kubeRouter}`,
    agnhost: `registry.k8s.io/e2e-test-images/agnhost:${c.agnhost}`,
  };
}

/** How an image is built here. Data, so that a change of it is seen and the image is made again. */
export interface ImageRecipe {
  readonly reference: string;
  readonly name: string;
  readonly build: GoBuild | "pause";
  /** Where the binary lies in the image. */
  readonly at: string;
  readonly debian: boolean;
  readonly config: ImageConfig;
}

/** Grows when the way of packing changes, so that images of older releases are made again. */
const packing = 2;

export const imageRecipeId = (recipe: ImageRecipe): string =>
  hashOf([packing, recipe, ...(recipe.debian ? [networkPackages] : []), ...(recipe.build === "pause" ? [pauseSource] : [])]);

export function imageRecipes(c: Components): readonly ImageRecipe[] {
  const names = imageNames(c);
  const kubernetes = kubernetesBuild(c.kubernetes);
  const extra = imageBuilds(c);
  const core = (reference: string, name: string, debian = false): ImageRecipe => {
    return { reference, name, build: kubernetes, at: `/usr/local/bin/${name}`, debian, config: {} };
  };
  const single = (reference: string, name: string, build: ImageRecipe["build"], user?: string): ImageRecipe => {
    return { reference, name, build, at: `/${name}`, debian: false, config: { entrypoint: [`/${name}`], ...(user ? { user } : {}) } };
  };
  const router = "/usr/local/bin/kube-router";
  return [
    core(names.apiserver, "kube-apiserver"),
    core(names.controllerManager, "kube-controller-manager"),
    core(names.scheduler, "kube-scheduler"),
    core(names.proxy, "kube-proxy", true),
    single(names.coredns, "coredns", extra.coredns),
    {
      reference: names.kubeRouter,
      name: "kube-router",
      build: extra.kubeRouter,
      at: router,
      debian: true,
      config: { entrypoint: [router] },
    },
    single(names.pause, "pause", "pause", "65535:65535"),
    single(names.agnhost, "agnhost", kubernetes),
  ];
}

async function buildPause(root: string, signal: AbortSignal): Promise<string> {
  const folder = join(root, "pause", hashOf(pauseSource));
  const binary = join(folder, "pause");
  if (await isSealed(binary)) return binary;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "pause.c"), pauseSource);
  await appear(binary, async (beside) => {
    await runProgram("gcc", ["-static", "-Os", "-s", "-o", beside, join(folder, "pause.c")], { signal });
  });
  await seal(binary);
  return binary;
}

/** Builds one image from Go modules and writes it below the mirror. */
export async function buildImage(
  root: string,
  mirror: string,
  recipe: ImageRecipe,
  arch: Architecture,
  log: (line: string) => void,
  signal: AbortSignal,
): Promise<MirroredImage> {
  const { build, name } = recipe;
  const binary =
    build === "pause" ? await buildPause(root, signal) : join(await buildGoModule(root, build, arch, [name], log, signal), name);
  const store = join(root, "layers");
  const layers: Layer[] = [];
  if (recipe.debian) {
    const base = await debianRootfs(root, networkPackages, log, signal);
    layers.push(await writeLayer(store, ["rootfs", base, packing], () => createReadStream(base)));
  }
  const content = await sha256Of(binary);
  const files = [{ from: binary, to: recipe.at }];
  layers.push(await writeLayer(store, [content, recipe.at, packing], () => tarOf(files, [{ path: "tmp", mode: 0o1777 }])));
  return writeImage(mirror, recipe.reference, arch, layers, recipe.config);
}
