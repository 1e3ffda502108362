// A user's own project: an empty folder, the packed tarball, cdktf or cdktn from the registry, the README's program.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Finished, type RunOptions, run } from "./demo-project.js";

const root = resolve(import.meta.dirname, "../..");

export type Kit = "cdktf" | "cdktn";

/** The program as the README shows it, for either kit. */
export function readmeProgram(kit: Kit): string {
  const text = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(root, "README.md"), "utf8"))?.[1];
  if (text === undefined) throw new Error("README.md shows no program");
  return kit === "cdktf" ? text : text.replace('"cdktf"', '"cdktn"').replace('"honest-paas"', '"honest-paas/cdktn"');
}

export async function packTarball(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const packed = await must(run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], { cwd: root }));
  const [{ filename = "" } = {}] = JSON.parse(packed.stdout) as readonly { readonly filename?: string }[];
  return join(folder, filename);
}

export async function must(ending: Promise<Finished>): Promise<Finished> {
  const done = await ending;
  if (done.code !== 0) throw new Error(`ended with ${done.code}:\n${done.stdout}\n${done.stderr}`);
  return done;
}

export interface UserProject {
  readonly dir: string;
  readonly stack: string;
  npx(args: readonly string[], options?: RunOptions): Promise<Finished>;
  terraform(args: readonly string[], options?: RunOptions): Promise<Finished>;
  close(): void;
}

/** Nothing of this computer's terraform configuration may help: that is what the test is about. */
const bare = (dir: string): Readonly<Record<string, string>> => ({
  HOME: join(dir, "home"),
  TF_CLI_CONFIG_FILE: join(dir, "home", "none.tfrc"),
  npm_config_cache: process.env.npm_config_cache ?? join(process.env.HOME ?? "/root", ".npm"),
  HONEST_PAAS_CACHE:
    process.env.HONEST_PAAS_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(process.env.HOME ?? "/root", ".cache"), "honest-paas"),
});

export async function userProject(tarball: string, kit: Kit, program: string = readmeProgram(kit), name = "demo"): Promise<UserProject> {
  const dir = mkdtempSync(join(tmpdir(), `hp-user-${kit}-`));
  const env = bare(dir);
  mkdirSync(env.HOME ?? "", { recursive: true });
  writeFileSync(join(env.HOME ?? "", "none.tfrc"), "");
  const at = (options: RunOptions = {}): RunOptions => ({ cwd: dir, ...options, env: { ...env, ...options.env } });
  const quiet = ["--no-audit", "--no-fund", "--prefer-offline"];
  await must(run("npm", ["install", ...quiet, tarball, kit, "constructs@~10.7"], at()));
  writeFileSync(join(dir, "main.ts"), program);
  const stack = join(dir, "cdktf.out", "stacks", name);
  return {
    dir,
    stack,
    npx: (args, options) => run("npx", ["--yes", "--prefer-offline", ...args], at(options)),
    terraform: (args, options) => run("terraform", args, at({ cwd: stack, ...options })),
    close: () => rmSync(dir, { recursive: true, force: true }),
  };
}
