// Where the state of a stack lies, when its backend is a local file.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

interface BackendBlock {
  readonly terraform?: { readonly backend?: Readonly<Record<string, { readonly path?: string }>> };
}

/** undefined = the backend is not "local": it keeps versions itself, or somebody else does. */
export function localStatePath(folder: string): string | undefined {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (!name.endsWith(".tf.json")) continue;
    const { terraform } = JSON.parse(readFileSync(join(folder, name), "utf8")) as BackendBlock;
    const backend = terraform?.backend;
    if (!backend) continue;
    return backend.local ? resolve(folder, backend.local.path ?? "terraform.tfstate") : undefined;
  }
  return join(folder, "terraform.tfstate");
}
