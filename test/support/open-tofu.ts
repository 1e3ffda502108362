// OpenTofu for the tests: the one on PATH, else built once from its Go module into the cache.
import { findTerraform, onPath } from "../../provider/cli/terraform/find.js";
import { buildOpenTofu } from "../../provider/cli/terraform/open-tofu.js";

export interface OpenTofu {
  /** Why there is none here; null when there is. In CI it must be there. */
  readonly missing: string | null;
  readonly path: string;
}

export async function openTofu(): Promise<OpenTofu> {
  const found = onPath("tofu", process.env);
  const { program } = found ? await findTerraform({ HONEST_PAAS_TERRAFORM: found }) : {};
  if (program) return { missing: null, path: program.path };
  if (onPath("go", process.env)) {
    const built = await buildOpenTofu(() => undefined, new AbortController().signal);
    return { missing: null, path: built.path };
  }
  const missing = "no tofu 1.8 or newer on PATH, and no go to build it with";
  if (process.env.CI) throw new Error(missing);
  return { missing, path: "" };
}
