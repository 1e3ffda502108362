// Terraform of converge: on the user's own stack, under the keeper, always by way of a saved plan.
import { execFile } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type RunFiles, terraform } from "../demo/terraform.js";
import { terraformEnvironment } from "../keeper/environment.js";
import { dataFolder } from "../keeper/state-path.js";
import type { Planned, Ran, TerraformRunner } from "./loop.js";
import { type PlanJson, readPlan } from "./plan-view.js";

const exec = promisify(execFile);

export interface Files extends RunFiles {
  readonly folder: string;
  readonly plan: string;
  readonly lock: string;
}

/** Beside terraform's own data, which belongs to this folder and is kept out of repositories. */
export function filesOf(stack: string, env: Readonly<Record<string, string | undefined>>): Files {
  const folder = join(dataFolder(stack, env), "honest-paas");
  const at = (name: string): string => join(folder, name);
  return {
    stack,
    folder,
    plan: at("converge.tfplan"),
    log: at("converge.log"),
    progress: at("converge.progress"),
    pid: at("converge.pid"),
    lock: at("converge.lock"),
  };
}

export interface RunnerOptions {
  /** Path of terraform or tofu. */
  readonly program: string;
  readonly files: Files;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Further arguments of every plan: variables. */
  readonly planArgs: readonly string[];
  readonly note: (text: string) => void;
  readonly signal: AbortSignal;
  readonly insist: AbortSignal;
}

/** Every machine says the same of its pool; terraform's JSON repeats it for each. */
const waiting = /^(Machines wait for their new release|Cluster \S+ could not be read)\b/;

export function createRunner(options: RunnerOptions): TerraformRunner {
  const { program, files, env, planArgs, note } = options;
  /** Terraform's apply repeats what its plan warned of. */
  let warned: readonly string[] = [];

  const run = async (args: readonly string[], signal: AbortSignal) => {
    mkdirSync(files.folder, { recursive: true, mode: 0o700 });
    const warnings = new Set<string>();
    const warned = ({ text }: { readonly text: string }): unknown => warnings.add(text);
    const ran = await terraform({ program, layout: files, env, stackOf: "user", note, warned, signal }, args);
    return { ...ran, warnings: [...warnings] };
  };

  return {
    async plan(): Promise<Ran<Planned>> {
      const args = ["plan", "-json", "-input=false", "-detailed-exitcode", "-lock-timeout=10m", `-out=${files.plan}`, ...planArgs];
      const { code, errors, warnings } = await run(args, options.signal);
      if (code !== 0 && code !== 2) return { ok: false, errors };
      warned = warnings;
      const view = readPlan(await showPlan());
      if (code === 0) rmSync(files.plan, { force: true });
      return { ok: true, value: { view, warnings, reasons: warnings.filter((text) => waiting.test(text)) } };
    },
    async apply(): Promise<Ran<undefined>> {
      try {
        const { code, errors, warnings } = await run(["apply", "-json", "-input=false", "-lock-timeout=10m", files.plan], options.insist);
        for (const text of warnings.filter((one) => !warned.includes(one))) note(`warning: ${text}`);
        return code === 0 ? { ok: true, value: undefined } : { ok: false, errors };
      } finally {
        // a plan holds what the state holds
        rmSync(files.plan, { force: true });
      }
    },
  };

  async function showPlan(): Promise<PlanJson> {
    const shown = await exec(program, ["show", "-json", files.plan], {
      cwd: files.stack,
      env: terraformEnvironment(env, "user"),
      maxBuffer: 1 << 30,
      signal: options.signal,
    });
    return JSON.parse(shown.stdout) as PlanJson;
  }
}
