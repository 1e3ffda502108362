// Start of the provider until its handshake line, against a bare node, turn about in one run.
import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import packageJson from "../package.json" with { type: "json" };

const root = resolve(import.meta.dirname, "..");
const launcher = join(root, `dist/provider/terraform-provider-honest_v${packageJson.version}`);

export interface Figures {
  readonly min: number;
  readonly median: number;
}

export function figures(values: readonly number[]): Figures {
  const sorted = [...values].sort((a, b) => a - b);
  return { min: sorted[0] ?? Number.NaN, median: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN };
}

const cookie = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";

/** Milliseconds until the first line, or until the end for a program that says nothing. */
function time(command: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((done, fail) => {
    const begun = performance.now();
    const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] });
    let taken: number | undefined;
    child.stdout.once("data", () => {
      taken = performance.now() - begun;
      child.kill("SIGKILL");
    });
    child.on("error", fail);
    child.on("exit", () => {
      const ms = taken ?? performance.now() - begun;
      done(ms);
    });
  });
}

export async function benchStart(runs = 25): Promise<{ readonly node: Figures; readonly provider: Figures; readonly ratio: number }> {
  const node: number[] = [];
  const provider: number[] = [];
  for (let i = 0; i < runs; i += 1) {
    node.push(await time(process.execPath, ["-e", "0"], {}));
    provider.push(await time(launcher, [], { TF_PLUGIN_MAGIC_COOKIE: cookie, PLUGIN_PROTOCOL_VERSIONS: "6", TF_DISABLE_PLUGIN_TLS: "" }));
  }
  const result = { node: figures(node), provider: figures(provider) };
  return { ...result, ratio: result.provider.min / result.node.min };
}
