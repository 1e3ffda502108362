// OpenTofu for whoever has neither terraform nor tofu: built once from its Go module into the cache.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { hostArchitecture } from "../../mirror/build.js";
import { cacheRoot, withLock } from "../../mirror/cache.js";
import { buildGoModule } from "../../mirror/go-module.js";
import type { Program } from "./find.js";

/** The newest release that the public Go module proxies serve. */
export const openTofuVersion = "1.12.6";

/**
 * Builds it, or takes what an earlier run built; about two minutes on two cores the first time. Needs `go` on PATH.
 * @throws what go said, when the build fails
 */
export async function buildOpenTofu(note: (line: string) => void, signal: AbortSignal): Promise<Program> {
  const root = cacheRoot();
  await mkdir(root, { recursive: true });
  const build = {
    module: "github.com/opentofu/opentofu",
    version: `v${openTofuVersion}`,
    packages: [{ path: "cmd/tofu", name: "tofu" }],
    stamp: { "github.com/opentofu/opentofu/version.dev": "no" },
  };
  const folder = await withLock(
    join(root, "opentofu.lock"),
    () => note("another process builds OpenTofu; waiting for it"),
    signal,
    () => buildGoModule(root, build, hostArchitecture(), ["tofu"], note, signal),
  );
  return { path: join(folder, "tofu"), name: "tofu", version: openTofuVersion };
}
