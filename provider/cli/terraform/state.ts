// What the tool reads from a stack: its state, pulled through terraform, so that every backend works.
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { UserError } from "../command.js";
import { findTerraform, howToGetOne, type Program } from "./find.js";
import { withInside } from "./inside.js";

const exec = promisify(execFile);

export interface StateResource {
  readonly mode: string;
  readonly type: string;
  readonly name: string;
  readonly instances: readonly {
    readonly attributes?: Readonly<Record<string, unknown>>;
    /** "tainted": the next apply replaces it. */
    readonly status?: string;
    /** Key of an object that waits for its end behind its successor. */
    readonly deposed?: string;
  }[];
}
export interface State {
  readonly resources: readonly StateResource[];
}

const isStack = (folder: string): boolean => existsSync(folder) && readdirSync(folder).some((name) => /\.tf(\.json)?$/.test(name));

/** Whether stackFolder would find at least one. */
export const holdsStack = (folder: string): boolean => isStack(folder) || stacksBelow(folder).length > 0;

function stacksBelow(folder: string): readonly string[] {
  const stacks = join(folder, "cdktf.out", "stacks");
  return existsSync(stacks) ? readdirSync(stacks).filter((name) => isStack(join(stacks, name))) : [];
}

/** The folder itself, or the only stack below its cdktf.out. */
export function stackFolder(folder: string): string {
  if (isStack(folder)) return folder;
  const found = stacksBelow(folder);
  if (found.length === 1 && found[0]) return join(folder, "cdktf.out", "stacks", found[0]);
  throw new UserError(
    found.length === 0
      ? `${folder} holds no Terraform configuration and no cdktf.out/stacks. Go to the folder of a stack, or name it with --stack.`
      : `cdktf.out has ${found.length} stacks: ${found.join(", ")}. Choose one: --stack cdktf.out/stacks/${found[0]}.`,
  );
}

/** Who ran init in a folder: each writes the name of its own registry into the lock file. */
export function coreOf(folder: string): Program["name"] {
  const path = join(folder, ".terraform.lock.hcl");
  return existsSync(path) && /^provider "registry\.opentofu\.org\//m.test(readFileSync(path, "utf8")) ? "tofu" : "terraform";
}

export async function pullState(folder: string, env: Readonly<Record<string, string | undefined>>): Promise<State> {
  const { program, rejected } = await findTerraform(env, coreOf(folder));
  if (!program) throw new UserError(["No terraform found.", ...rejected, howToGetOne].join(" "));
  try {
    const { stdout } = await exec(program.path, ["state", "pull"], {
      cwd: folder,
      // as the user has it: TF_DATA_DIR and TF_WORKSPACE say where this stack keeps its things
      env: { ...env, CHECKPOINT_DISABLE: "1" },
      maxBuffer: 1 << 30,
    });
    const state = (stdout.trim() ? JSON.parse(stdout) : {}) as Partial<State>;
    return { resources: withInside(state.resources ?? []) };
  } catch (cause) {
    const stderr = (cause as { stderr?: string }).stderr;
    if (!stderr) throw cause;
    throw new UserError(`${program.name} state pull failed in ${folder}: ${stderr.trim()}`);
  }
}
