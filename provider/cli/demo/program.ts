// The terraform that the demo runs: the user's, else OpenTofu from its Go module.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { hostArchitecture } from "../../mirror/build.js";
import { cacheRoot } from "../../mirror/cache.js";
import { buildGoModule } from "../../mirror/go-module.js";
import { UserError } from "../command.js";
import { findTerraform, howToGetOne, onPath, type Program } from "../terraform/find.js";

const openTofu = "1.12.6";

export async function ensureTerraform(
  env: Readonly<Record<string, string | undefined>>,
  allowed: boolean,
  note: (line: string) => void,
  signal: AbortSignal,
): Promise<Program> {
  const { program, rejected } = await findTerraform(env);
  if (program) return program;
  for (const line of rejected) note(`not used: ${line}`);
  if (!allowed || !onPath("go", env)) throw new UserError(`No terraform or tofu that will do. ${howToGetOne}`);
  note(`no terraform or tofu on PATH: building OpenTofu ${openTofu} from its Go module into the cache`);
  const root = cacheRoot();
  await mkdir(root, { recursive: true });
  const build = {
    module: "github.com/opentofu/opentofu",
    version: `v${openTofu}`,
    packages: [{ path: "cmd/tofu", name: "tofu" }],
    stamp: { "github.com/opentofu/opentofu/version.dev": "no" },
  };
  const folder = await buildGoModule(root, build, hostArchitecture(), ["tofu"], note, signal);
  return { path: join(folder, "tofu"), name: "tofu", version: openTofu };
}
