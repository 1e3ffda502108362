// The kubectl of the mirror, for tests that use a cluster as its users do.
import { dirname, join } from "node:path";
import { mirroredBinary } from "../../provider/mirror/build.js";
import { cacheRoot } from "../../provider/mirror/cache.js";
import { componentsOf } from "../../provider/mirror/versions.js";

/** Folder for PATH that holds it. */
export async function kubectlFolder(version = "1.36.3"): Promise<string> {
  const components = componentsOf(version);
  const path = components && (await mirroredBinary(components, "kubectl", join(cacheRoot(), "mirror")));
  if (!path)
    throw new Error(`the mirror has no kubectl ${version}; node scripts/machine-images.mjs builds what the tests of real clusters need`);
  return dirname(path);
}
