// Disk space of a demo: what is still to be made, where it goes, and what is free there. A disk that runs full in the
// middle costs the work of half an hour, and nodes on a full disk take no pods.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { defaultHost, type Engine } from "../../engine/engine.js";
import { EngineError } from "../../engine/error.js";
import { engineFolder, type FreeSpace, freeAt, wordBytes } from "../../engine/free-space.js";
import { filterOf } from "../../engine/labels.js";
import { hostArchitecture } from "../../mirror/build.js";
import { cacheRoot } from "../../mirror/cache.js";
import { readContents } from "../../mirror/contents.js";
import { machineImageTag, machineRecipe, recipeLabel } from "../../mirror/machine-image.js";
import { itemsOf, stateOf } from "../../mirror/plan.js";
import type { Components } from "../../mirror/versions.js";
import { UserError } from "../command.js";

/** Measured with Kubernetes 1.36 and 1.37 on amd64, rounded up. */
export const sizes = { mirror: 0.8e9, image: 1.4e9, goBuild: 10e9, cluster: 1e9 } as const;

export interface Need {
  readonly what: string;
  readonly path: string;
  readonly bytes: number;
  /** null: the folder is on another computer, so nothing is known. */
  readonly free: FreeSpace | null;
}

/** What Go keeps of a build: a second one finds it again. */
export const goCache = (env: NodeJS.ProcessEnv): string => env.GOCACHE || join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "go-build");

/** Of the mirror, in parts of what a version has; what is there as this release makes it is not made again. */
export async function mirrorNeed(c: Components): Promise<Need> {
  const root = cacheRoot();
  const folder = join(root, "mirror");
  const [items, contents] = [itemsOf(c, hostArchitecture()), await readContents(folder)];
  let missing = 0;
  for (const item of items) if ((await stateOf(folder, contents, item, hostArchitecture(), "auto", false)) !== "whole") missing += 1;
  const bytes = Math.ceil((sizes.mirror * missing) / items.length);
  return { what: `files and images of Kubernetes ${c.kubernetes}`, path: root, bytes, free: await freeAt(root) };
}

/** Where an engine that does not run yet will keep its data: Docker's own default. */
const defaultFolder = "/var/lib/docker";

/** Of images and machines. An engine that does not answer yet is one that the demo starts on this computer, or nobody's. */
export async function engineNeeds(engine: Engine, c: Components, cluster: string): Promise<readonly Need[]> {
  const answers = await engine.probe().then(
    () => true,
    (cause: unknown) => {
      if (cause instanceof EngineError && cause.kind === "unreachable") return false;
      throw cause;
    },
  );
  if (!answers && engine.host !== defaultHost) return [];
  const { path, free } = answers ? await engineFolder(engine) : { path: defaultFolder, free: await freeAt(defaultFolder) };
  const tag = machineImageTag(c.kubernetes);
  const current = answers && (await engine.imageLabels(tag))?.[recipeLabel] === machineRecipe(c);
  const query = { all: true, filters: filterOf(cluster, "machine") };
  const machines = answers ? await engine.json<readonly unknown[]>("/containers/json", { query }) : [];
  return [
    { what: `the machine image ${tag}`, path, bytes: current ? 0 : sizes.image, free },
    { what: `the machines of cluster "${cluster}"`, path, bytes: machines.length > 0 ? 0 : sizes.cluster, free },
  ];
}

/** Of a build from source; what an earlier one left in Go's cache is not written again. */
export async function goNeed(env: NodeJS.ProcessEnv): Promise<Need> {
  const path = goCache(env);
  // du counts what it can read, and says so by its exit code, while a build beside this one removes files
  const told = existsSync(path) ? await promisify(execFile)("du", ["-sk", path]).catch((cause: { stdout?: string }) => cause) : {};
  const used = Number(told.stdout?.split(/\s/)[0] || 0) * 1024;
  return {
    what: "Go's build cache (artefacts are built from Go modules)",
    path,
    bytes: Math.max(0, sizes.goBuild - used),
    free: await freeAt(path),
  };
}

/** One sentence for each file system that has less than is needed there; [] is good. */
export function shortages(needs: readonly Need[]): readonly string[] {
  const devices = new Map<number, Need[]>();
  for (const need of needs)
    if (need.bytes > 0 && need.free) devices.set(need.free.device, [...(devices.get(need.free.device) ?? []), need]);
  return [...devices.values()].flatMap((group) => {
    const wanted = group.reduce((sum, need) => sum + need.bytes, 0);
    const free = group[0]?.free?.bytes ?? 0;
    if (free >= wanted) return [];
    const parts = group.map((need) => `${wordBytes(need.bytes)} in ${need.path} for ${need.what}`);
    return [`${group[0]?.path} has ${wordBytes(free)} free; ${wordBytes(wanted)} are needed: ${parts.join(", ")}.`];
  });
}

/** Throws before anything is made there. */
export function refuseShortage(needs: readonly Need[]): void {
  const short = shortages(needs);
  if (short.length === 0) return;
  const how =
    "Free some space (docker system df and du show what takes it), or put the cache elsewhere: HONEST_PAAS_CACHE, and GOCACHE for Go's.";
  throw new UserError(`There is not enough disk space.\n${short.join("\n")}\n${how} --no-space-check goes on all the same.`);
}

/** For an error that says no more than "no space left": each place that is written to, what is free and what a version wants there. */
export async function wordFullDisk(env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const places = [
    { path: cacheRoot(env), wants: `${wordBytes(sizes.mirror)} for each Kubernetes version` },
    { path: goCache(env), wants: `${wordBytes(sizes.goBuild)} when artefacts are built from Go modules` },
    { path: tmpdir(), wants: `${wordBytes(sizes.mirror)} while something is built` },
  ];
  const lines: string[] = [];
  for (const { path, wants } of places) {
    const { bytes } = await freeAt(path);
    lines.push(`  ${path}: ${wordBytes(bytes)} free (${bytes} bytes); wanted are ${wants}`);
  }
  return ["The disk is full.", ...lines, "Free some space and run the same command again: it goes on where it was."];
}

export const engineHost = (env: Readonly<Record<string, string | undefined>>): string => env.DOCKER_HOST || defaultHost;
