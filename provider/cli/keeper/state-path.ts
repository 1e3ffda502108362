// Where the state of a stack lies, when its backend is a local file.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

interface LocalBackend {
  readonly path?: string;
  readonly workspace_dir?: string;
}
interface BackendBlock {
  readonly terraform?: { readonly backend?: Readonly<Record<string, LocalBackend>> };
}

const defaultWorkspace = "default";

/** Where terraform keeps what belongs to this folder. */
export const dataFolder = (folder: string, env: Readonly<Record<string, string | undefined>>): string =>
  resolve(folder, env.TF_DATA_DIR || ".terraform");

/** By terraform's rule: TF_WORKSPACE, else what `terraform workspace select` wrote. */
export function workspaceOf(folder: string, env: Readonly<Record<string, string | undefined>>): string {
  if (env.TF_WORKSPACE) return env.TF_WORKSPACE;
  const chosen = join(dataFolder(folder, env), "environment");
  return (existsSync(chosen) && readFileSync(chosen, "utf8").trim()) || defaultWorkspace;
}

/** undefined = the backend is not "local": it keeps versions itself, or somebody else does. */
export function localStatePath(folder: string, workspace: string = defaultWorkspace): string | undefined {
  const pathOf = ({ path, workspace_dir }: LocalBackend): string =>
    workspace === defaultWorkspace
      ? resolve(folder, path ?? "terraform.tfstate")
      : resolve(folder, workspace_dir ?? "terraform.tfstate.d", workspace, "terraform.tfstate");
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (!name.endsWith(".tf.json")) continue;
    const { terraform } = JSON.parse(readFileSync(join(folder, name), "utf8")) as BackendBlock;
    const backend = terraform?.backend;
    if (!backend) continue;
    return backend.local ? pathOf(backend.local) : undefined;
  }
  return pathOf({});
}
