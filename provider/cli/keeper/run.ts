// The keeper: runs terraform so that neither ctrl-C, a closed terminal nor kill -9 loses what it knows.
//  - a process group of its own: the terminal's ctrl-C does not reach it; we pass on exactly one SIGINT, because the
//    second makes terraform abort without writing its state;
//  - output goes to a file, not a pipe: when we die, terraform lives on and finishes, instead of dying of SIGPIPE;
//  - each state that can be parsed is copied, and put back before a run when the file was lost.
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { terraformEnvironment } from "./environment.js";
import { restoreState } from "./state-file.js";
import { localStatePath, workspaceOf } from "./state-path.js";
import { followLines } from "./tail.js";
import { watchState } from "./watch.js";

export interface KeeperOptions {
  /** Path of terraform or tofu. */
  readonly program: string;
  /** Folder of the stack: terraform's working directory. */
  readonly folder: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** "user": variables that choose workspace, data folder and arguments reach terraform. @default "kit" */
  readonly stackOf?: "kit" | "user";
  /** Where terraform's output goes. */
  readonly logFile: string;
  readonly line: (line: string) => void;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
  /** Called with terraform's process id. */
  readonly started?: (pid: number) => void;
}

/** Exit code of terraform; 130 when it was stopped, 137 and the like when something killed it. */
export async function runTerraform(options: KeeperOptions): Promise<number> {
  options.signal.throwIfAborted();
  const env = terraformEnvironment(options.env, options.stackOf);
  const stateFile = localStatePath(options.folder, workspaceOf(options.folder, env));
  const restored = stateFile === undefined ? undefined : restoreState(stateFile);
  if (restored) options.say(`terraform's state was put back from its copy (serial ${restored.serial}): ${restored.reason}`);
  mkdirSync(dirname(options.logFile), { recursive: true });
  const log = openSync(options.logFile, "w", 0o600);
  const follow = followLines(options.logFile, options.line);
  const keep = stateFile === undefined ? undefined : watchState(stateFile, options.say);
  try {
    return await new Promise<number>((done, fail) => {
      const child = spawn(options.program, options.args, {
        cwd: options.folder,
        env,
        stdio: ["ignore", log, log],
        detached: true,
      });
      const interrupt = (): void => {
        options.say("stopping: terraform finishes what it has begun and writes its state");
        child.kill("SIGINT");
      };
      options.signal.addEventListener("abort", interrupt, { once: true });
      child.on("error", (cause) => {
        options.signal.removeEventListener("abort", interrupt);
        fail(cause);
      });
      child.on("exit", (code, by) => {
        options.signal.removeEventListener("abort", interrupt);
        done(code ?? 128 + (by === "SIGKILL" ? 9 : 15));
      });
      if (child.pid !== undefined) options.started?.(child.pid);
    });
  } finally {
    keep?.stop();
    closeSync(log);
    await follow.stop();
  }
}
