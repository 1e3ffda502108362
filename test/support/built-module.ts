// Programs that tests use and that nobody ships in a form which can be had here: built once from their Go module into the
// cache.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { onPath } from "../../provider/cli/terraform/find.js";
import type { GoBuild } from "../../provider/mirror/artefact.js";
import { hostArchitecture } from "../../provider/mirror/build.js";
import { cacheRoot, withLock } from "../../provider/mirror/cache.js";
import { buildGoModule } from "../../provider/mirror/go-module.js";

export interface BuiltProgram {
  /** Why it is not there; null when it is. In CI it must be there. */
  readonly missing: string | null;
  readonly path: string;
}

/** The only program of that build; built when it is missing. */
export async function builtProgram(build: GoBuild, log: (line: string) => void): Promise<BuiltProgram> {
  const name = build.packages[0]?.name;
  if (name === undefined || build.packages.length > 1) throw new TypeError(`${build.module} has not one program`);
  if (!onPath("go", process.env)) {
    const missing = `no go to build ${name} with`;
    if (process.env.CI) throw new Error(missing);
    return { missing, path: "" };
  }
  const root = cacheRoot();
  await mkdir(root, { recursive: true });
  const signal = new AbortController().signal;
  const folder = await withLock(
    join(root, `${name}.lock`),
    () => log(`another process builds ${name}; waiting for it`),
    signal,
    () => buildGoModule(root, build, hostArchitecture(), [name], log, signal),
  );
  return { missing: null, path: join(folder, name) };
}
