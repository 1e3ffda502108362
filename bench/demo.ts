// The warm demo against a bare script that brings up the same machines, turn about in one run; then what a second plan
// costs and how large the user-data is.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { componentsOf, defaultVersion } from "../provider/mirror/versions.js";
import { type Figures, figures } from "./start.js";

const root = resolve(import.meta.dirname, "..");
const name = "bench";
const workers = 2;

export interface DemoFigures {
  /** Seconds from the command to its end, the proof by a workload included. */
  readonly total: Figures;
  /** Seconds until all nodes are Ready and DNS answers: what the bare script is measured by. */
  readonly cluster: Figures;
  readonly bare: Figures;
  readonly ratio: number;
  readonly noOpPlan: Figures;
  readonly userData: readonly { readonly role: string; readonly bytes: number }[];
}

function run(command: string, args: readonly string[], cwd: string): string {
  const done = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: { ...process.env, HONEST_DEMO_NAME: name, CHECKPOINT_DISABLE: "1" },
  });
  if (done.status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${done.status}:\n${done.stdout}\n${done.stderr}`);
  return done.stdout;
}

const demo = (cwd: string, ...args: string[]): string =>
  run(process.execPath, [join(root, "dist/cli/honest-paas.js"), "demo", ...args], cwd);
const stageSeconds = (output: string, stage: string): number => Number(new RegExp(`(?:^|· )${stage} ([0-9.]+) s`, "m").exec(output)?.[1]);

interface BootState {
  readonly resources: readonly {
    readonly type: string;
    readonly instances: readonly { readonly attributes: { readonly user_data?: string; readonly spec?: { readonly role?: string } } }[];
  }[];
}

function userDataOf(stateFile: string): DemoFigures["userData"] {
  const state = JSON.parse(readFileSync(stateFile, "utf8")) as BootState;
  const largest = new Map<string, number>();
  for (const { instances } of state.resources.filter((r) => r.type === "honest_boot"))
    for (const { attributes } of instances) {
      const role = attributes.spec?.role ?? "";
      const bytes = Buffer.from(attributes.user_data ?? "", "base64").length;
      largest.set(role, Math.max(bytes, largest.get(role) ?? 0));
    }
  return [...largest].map(([role, bytes]) => ({ role, bytes })).sort((a, b) => (a.role < b.role ? -1 : 1));
}

export function benchDemo(rounds = 3): DemoFigures {
  const cwd = mkdtempSync(join(tmpdir(), "honest-bench-"));
  const parts = componentsOf(defaultVersion);
  if (!parts) throw new Error("the default version has no components");
  const total: number[] = [];
  const cluster: number[] = [];
  const bare: number[] = [];
  const plans: number[] = [];
  let userData: DemoFigures["userData"] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      const begun = performance.now();
      const output = demo(cwd, "--control-planes", "1", "--workers", String(workers));
      const seconds = (performance.now() - begun) / 1000;
      total.push(seconds);
      cluster.push(seconds - stageSeconds(output, "workload"));
      const stack = join(cwd, ".honest/demo/cdktf.out/stacks", name);
      for (let i = 0; i < 3; i += 1) {
        const planned = performance.now();
        run("terraform", ["plan", "-detailed-exitcode", "-input=false"], stack);
        plans.push((performance.now() - planned) / 1000);
      }
      userData = userDataOf(join(cwd, `.honest/demo/terraform.${name}.tfstate`));
      demo(cwd, "destroy");
      const steps = run("bash", [join(root, "bench/bare.sh"), defaultVersion, String(workers), parts.kubeRouter, parts.pause], root);
      bare.push(Number(/^dns ([0-9.]+)$/m.exec(steps)?.[1]));
    }
  } finally {
    demo(cwd, "destroy");
    rmSync(cwd, { recursive: true, force: true });
  }
  const all = { total: figures(total), cluster: figures(cluster), bare: figures(bare) };
  return { ...all, ratio: all.cluster.median / all.bare.median, noOpPlan: figures(plans), userData };
}
