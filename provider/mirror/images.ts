// The images a cluster needs, by full name, and how each is made from the binaries of the mirror.
import { createReadStream } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Architecture, imageBuilds, kubernetesBuild } from "./artefact.js";
import { exists } from "./cache.js";
import { debianRootfs, networkPackages } from "./debian.js";
import { buildGoModule } from "./go-module.js";
import { type Layer, tarOf, type WrittenImage, writeImage, writeLayer } from "./oci.js";
import { pauseSource } from "./pause-source.js";
import { runProgram } from "./program.js";
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

const tmpFolders = [{ path: "tmp", mode: 0o1777 }] as const;

async function buildPause(root: string, version: string, signal: AbortSignal): Promise<string> {
  const folder = join(root, "pause", version);
  const binary = join(folder, "pause");
  if (await exists(binary)) return binary;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "pause.c"), pauseSource);
  await runProgram("gcc", ["-static", "-Os", "-s", "-o", `${binary}.part`, join(folder, "pause.c")], { signal });
  await rename(`${binary}.part`, binary);
  return binary;
}

/** Builds every image of a version from Go modules and writes them below the mirror. */
export async function buildImages(
  root: string,
  mirror: string,
  c: Components,
  arch: Architecture,
  log: (line: string) => void,
  signal: AbortSignal,
): Promise<readonly WrittenImage[]> {
  const names = imageNames(c);
  const store = join(root, "layers");
  const kubernetes = kubernetesBuild(c.kubernetes);
  const wanted = ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "agnhost"];
  const binaries = await buildGoModule(root, kubernetes, arch, wanted, log, signal);
  const extra = imageBuilds(c);
  const coredns = join(await buildGoModule(root, extra.coredns, arch, ["coredns"], log, signal), "coredns");
  const kubeRouter = join(await buildGoModule(root, extra.kubeRouter, arch, ["kube-router"], log, signal), "kube-router");
  const pause = await buildPause(root, c.pause, signal);
  const base = await debianRootfs(root, "bookworm", networkPackages, log, signal);
  const baseLayer = await writeLayer(store, `rootfs ${base}`, () => createReadStream(base));
  const single = (key: string, from: string, to: string): Promise<Layer> =>
    writeLayer(store, `${key} ${arch} ${to}`, () => tarOf([{ from, to }], tmpFolders));
  const core = async (reference: string, name: string, below: readonly Layer[] = []): Promise<WrittenImage> => {
    const layer = await single(`kubernetes ${c.kubernetes} ${name}`, join(binaries, name), `/usr/local/bin/${name}`);
    return writeImage(mirror, reference, arch, [...below, layer], {});
  };
  const agnhost = await single(`agnhost ${c.kubernetes} ${c.agnhost}`, join(binaries, "agnhost"), "/agnhost");
  const corednsLayer = await single(`coredns ${c.coredns}`, coredns, "/coredns");
  const routerLayer = await single(`kube-router ${c.kubeRouter}`, kubeRouter, "/usr/local/bin/kube-router");
  const pauseLayer = await single(`pause ${c.pause}`, pause, "/pause");
  return [
    await core(names.apiserver, "kube-apiserver"),
    await core(names.controllerManager, "kube-controller-manager"),
    await core(names.scheduler, "kube-scheduler"),
    await core(names.proxy, "kube-proxy", [baseLayer]),
    await writeImage(mirror, names.coredns, arch, [corednsLayer], { entrypoint: ["/coredns"] }),
    await writeImage(mirror, names.kubeRouter, arch, [baseLayer, routerLayer], { entrypoint: ["/usr/local/bin/kube-router"] }),
    await writeImage(mirror, names.pause, arch, [pauseLayer], { entrypoint: ["/pause"], user: "65535:65535" }),
    await writeImage(mirror, names.agnhost, arch, [agnhost], { entrypoint: ["/agnhost"] }),
  ];
}
