// A user's own project: an empty folder, the packed tarball, cdktf or cdktn from the registry, and what the README says,
// word for word, so that neither can drift.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { type Finished, type RunOptions, run } from "./demo-project.js";

const root = resolve(import.meta.dirname, "../..");

export type Kit = "cdktf" | "cdktn";

/** The first block of a language in README's part "Use it" that holds the words. */
function readmeBlock(language: string, words: string): string {
  const part = /^## Use it\n([\s\S]*?)^## /m.exec(readFileSync(join(root, "README.md"), "utf8"))?.[1] ?? "";
  const blocks = [...part.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
  const found = blocks.find(([, tongue, text = ""]) => tongue === language && text.includes(words))?.[2];
  if (found === undefined) throw new Error(`README.md shows no ${language} block with ${words} below "Use it"`);
  return found;
}

/** The program as the README shows it, for either kit. */
export function readmeProgram(kit: Kit): string {
  const text = readmeBlock("ts", "new Cluster");
  return kit === "cdktf" ? text : text.replace('"cdktf"', '"cdktn"').replace('"honest-paas"', '"honest-paas/cdktn"');
}

/** The README's program with another name, to stand beside a demo, and one worker, which is what two cores can hold. */
export const smallProgram = (kit: Kit, name: string): string =>
  readmeProgram(kit).replaceAll('"demo"', `"${name}"`).replace("desiredSize: 2", "desiredSize: 1");

/** From synth to the nodes, for a stack of that name. */
export const readmeCommands = (name: string): string =>
  readmeBlock("sh", "terraform apply").replaceAll("cdktf.out/stacks/demo", `cdktf.out/stacks/${name}`);

/** What deploys by the CLI, for a stack of that name. */
export const readmeDeploy = (name: string): string => readmeBlock("sh", "cdktf-cli").replace("deploy demo", `deploy ${name}`);

export const readmeCdktfJson = (): string => readmeBlock("json", '"app"');

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
  /** In the stack's folder. */
  terraform(args: readonly string[], options?: RunOptions): Promise<Finished>;
  /** Lines of a shell; the first that fails ends them. Where terraform would ask for a yes it gets one. */
  shell(lines: string, options?: RunOptions): Promise<Finished>;
  close(): void;
}

export interface UserProjectOptions {
  readonly tarball: string;
  readonly kit: Kit;
  /** @default the README's */
  readonly program?: string;
  /** Name of the stack. @default "demo" */
  readonly name?: string;
  /** Folders before those of PATH. */
  readonly path?: readonly string[];
  /** @default "terraform" */
  readonly terraform?: string;
}

/** Nothing of this computer's terraform configuration may help: that is what the test is about. */
const bare = (dir: string, path: readonly string[]): Readonly<Record<string, string>> => ({
  HOME: join(dir, "home"),
  PATH: [...path, process.env.PATH ?? ""].join(delimiter),
  TF_CLI_CONFIG_FILE: join(dir, "home", "none.tfrc"),
  npm_config_cache: process.env.npm_config_cache ?? join(process.env.HOME ?? "/root", ".npm"),
  npm_config_yes: "true",
  npm_config_prefer_offline: "true",
  HONEST_PAAS_CACHE:
    process.env.HONEST_PAAS_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(process.env.HOME ?? "/root", ".cache"), "honest-paas"),
});

export async function userProject(options: UserProjectOptions): Promise<UserProject> {
  const { tarball, kit, program = readmeProgram(kit), name = "demo", path = [], terraform = "terraform" } = options;
  const dir = mkdtempSync(join(tmpdir(), `hp-user-${kit}-`));
  const env = bare(dir, path);
  mkdirSync(env.HOME ?? "", { recursive: true });
  writeFileSync(join(env.HOME ?? "", "none.tfrc"), "");
  const at = (more: RunOptions = {}): RunOptions => ({ cwd: dir, ...more, env: { ...env, ...more.env } });
  const install = readmeBlock("sh", "npm install").trim().split(/\s+/).slice(1);
  const packages = install.map((word) => (word === "honest-paas" ? tarball : word === "cdktf" ? kit : word));
  await must(run("npm", [...packages, "--no-audit", "--no-fund"], at()));
  writeFileSync(join(dir, "main.ts"), program);
  const stack = join(dir, "cdktf.out", "stacks", name);
  const yes = { TF_CLI_ARGS_apply: "-auto-approve -no-color -input=false" };
  return {
    dir,
    stack,
    npx: (args, more) => run("npx", args, at(more)),
    terraform: (args, more) => run(terraform, args, at({ cwd: stack, ...more })),
    shell: (lines, more = {}) => run("sh", ["-ec", lines], at({ ...more, env: { ...yes, ...more.env } })),
    close: () => rmSync(dir, { recursive: true, force: true }),
  };
}
