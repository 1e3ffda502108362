// Which terraform or tofu to run.
import { execFile } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const exec = promisify(execFile);

/** Both have provider protocol 6 with functions since 1.8; below that nothing is tested. */
export const oldest = { major: 1, minor: 8 } as const;

export interface Program {
  readonly path: string;
  readonly name: "terraform" | "tofu";
  readonly version: string;
}

export function onPath(name: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  for (const folder of (env.PATH ?? "").split(delimiter)) {
    if (!folder) continue;
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      if (statSync(path).isFile()) return path;
    } catch {
      // not in this folder
    }
  }
  return undefined;
}

export const newEnough = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > oldest.major || (major === oldest.major && minor >= oldest.minor);
};

async function versionOf(path: string): Promise<string | undefined> {
  try {
    const { stdout } = await exec(path, ["version", "-json"], { env: { ...process.env, CHECKPOINT_DISABLE: "1" } });
    return (JSON.parse(stdout) as { terraform_version?: string }).terraform_version;
  } catch {
    // something else under that name: as good as none
    return undefined;
  }
}

export interface Found {
  readonly program?: Program;
  /** Those that were there and will not do. */
  readonly rejected: readonly string[];
}

/** terraform before tofu unless said otherwise; HONEST_PAAS_TERRAFORM names one. */
export async function findTerraform(
  env: Readonly<Record<string, string | undefined>>,
  preferred: Program["name"] = "terraform",
): Promise<Found> {
  const rejected: string[] = [];
  const named = env.HONEST_PAAS_TERRAFORM;
  const candidates = named
    ? [named]
    : inOrder(preferred)
        .map((name) => onPath(name, env))
        .filter((path) => path !== undefined);
  for (const path of candidates) {
    const version = await versionOf(path);
    const name = /tofu[^/]*$/.test(path) ? "tofu" : "terraform";
    if (version && newEnough(version)) return { program: { path, name, version }, rejected };
    rejected.push(version ? `${path} is version ${version}` : `${path} does not say its version`);
  }
  return { rejected };
}

const inOrder = (preferred: Program["name"]): readonly Program["name"][] =>
  preferred === "tofu" ? ["tofu", "terraform"] : ["terraform", "tofu"];

export const howToGetOne =
  "Needed: terraform 1.8 or newer, or OpenTofu 1.8 or newer, on PATH. Get one from developer.hashicorp.com/terraform/install or opentofu.org/docs/intro/install, or set HONEST_PAAS_TERRAFORM to its path.";
