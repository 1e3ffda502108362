// The tool in a process of its own, on a synthesized stack over a cluster that stands in.
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import type { ConvergeEvent } from "../../../provider/cli/converge/event.js";
import { type ServedProvider, serveProvider } from "../../support/served-provider.js";
import { type Fixture, fixture, type Wanted } from "../membership/fixture.js";

export interface Tool extends Fixture {
  readonly env: Readonly<Record<string, string | undefined>>;
  run(args: readonly string[], started?: (child: ChildProcess) => void): Promise<Ended>;
  /** The same with a terminal, and a person who types these lines at the questions. */
  atTerminal(args: readonly string[], answers: readonly string[]): Promise<Pick<Ended, "code" | "stdout">>;
  /** Resolves when the cluster has told of it: "stop demo-cp-b". */
  event(text: string): Promise<void>;
}
export interface Ended {
  /** 137 when it was killed. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The lines of --json. */
  readonly events: readonly ConvergeEvent[];
}

const root = join(import.meta.dirname, "../../..");

export async function tool(wanted: Wanted): Promise<Tool> {
  const f = await fixture();
  const served: ServedProvider = await serveProvider(f.cloud.provider, join(f.w.dir, "served.sock"));
  f.want(wanted);
  await f.w.init();
  await f.w.apply();
  await f.w.expectEmptyPlan();
  f.cloud.cluster.machines.events.length = 0;
  const env = { ...process.env, ...served.env };
  return {
    ...f,
    env,
    run: (args, started) =>
      new Promise((done, fail) => {
        const child = spawn(process.execPath, ["--import", "tsx", join(root, "provider/cli/honest-paas.ts"), ...args, "--stack", f.w.dir], {
          cwd: root,
          env,
          stdio: ["ignore", "pipe", "pipe"],
        });
        let [stdout, stderr] = ["", ""];
        child.stdout.on("data", (chunk: Buffer) => {
          stdout += chunk;
        });
        child.stderr.on("data", (chunk: Buffer) => {
          stderr += chunk;
        });
        child.on("error", fail);
        child.on("close", (code) => {
          const lines = stdout.split("\n").filter((line) => line.startsWith("{") && line.endsWith("}"));
          const events = args.includes("--json") && args[0] === "converge" ? lines.map((line) => JSON.parse(line) as ConvergeEvent) : [];
          done({ code: code ?? 137, stdout, stderr, events });
        });
        started?.(child);
      }),
    atTerminal: (args, answers) =>
      new Promise((done, fail) => {
        const words = [process.execPath, "--import", "tsx", join(root, "provider/cli/honest-paas.ts"), ...args, "--stack", f.w.dir];
        const child = spawn("script", ["-qec", words.map((word) => `'${word}'`).join(" "), "/dev/null"], {
          cwd: root,
          env,
          stdio: ["pipe", "pipe", "inherit"],
        });
        const left = [...answers];
        let stdout = "";
        child.stdout.on("data", (chunk: Buffer) => {
          const questions = stdout.split("is accepted:").length;
          stdout += chunk;
          if (stdout.split("is accepted:").length > questions) child.stdin.write(`${left.shift() ?? ""}\n`);
        });
        child.on("error", fail);
        child.on("close", (code) => done({ code: code ?? 137, stdout }));
      }),
    async event(text) {
      for (const end = Date.now() + 60_000; !f.cloud.cluster.machines.events.includes(text); ) {
        if (Date.now() > end) throw new Error(`no "${text}" in: ${f.cloud.cluster.machines.events.join(", ")}`);
        await new Promise((wake) => setTimeout(wake, 20));
      }
    },
    async close() {
      await served.close();
      await f.close();
    },
  };
}
