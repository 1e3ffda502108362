// The Node.js releases that everything is tested with, each from the npm package `node`, kept in the cache. Plain
// JavaScript, so that it runs under any of them.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The oldest that package.json allows, and the newest of the lines above. */
export const nodeReleases = { 20: "20.19.0", 22: "22.23.3", 24: "24.21.0" };

/** Folder for PATH whose `node` is of that line, from the cache; the first call fills it. */
export function nodeFolder(major) {
  const version = nodeReleases[major];
  if (!version) throw new Error(`Node.js ${major} is not tested; these are: ${Object.keys(nodeReleases).join(", ")}`);
  const cache = process.env.HONEST_PAAS_CACHE || join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "honest-paas");
  const folder = join(cache, "node", `${version}-${process.platform}-${process.arch}`);
  if (existsSync(join(folder, "node"))) return folder;
  mkdirSync(join(cache, "node"), { recursive: true });
  const work = mkdtempSync(join(cache, "node", `${version}.part-`));
  try {
    const npm = spawnSync("npm", ["install", "--prefix", work, "--no-audit", "--no-fund", "--prefer-offline", `node@${version}`], {
      encoding: "utf8",
    });
    const bin = join(work, "node_modules/node/bin");
    if (npm.status !== 0 || !existsSync(join(bin, "node")))
      throw new Error(`npm install node@${version} ended with ${npm.status ?? npm.error}: ${npm.stdout}${npm.stderr}`);
    try {
      renameSync(bin, folder);
    } catch (cause) {
      // another process was first, and what it made is the same
      if (!existsSync(join(folder, "node"))) throw cause;
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return folder;
}
