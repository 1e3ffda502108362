// Runs a program that builds something and gives its output; a failure carries the last lines, which is what a person needs.
import { spawn } from "node:child_process";

export class ProgramFailed extends Error {
  constructor(
    readonly program: string,
    readonly code: number | null,
    readonly tail: string,
    signal: NodeJS.Signals | null = null,
  ) {
    const hint = signal === "SIGKILL" ? " (often the kernel, out of memory: building Kubernetes takes about 4 GB)" : "";
    super(`${program} ${code === null ? `was ended by ${signal ?? "a signal"}${hint}` : `ended with ${code}`}: ${tail}`);
  }
}

export interface ProgramOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export function runProgram(program: string, args: readonly string[], options: ProgramOptions = {}): Promise<string> {
  return new Promise((done, fail) => {
    const child = spawn(program, args, {
      ...(options.cwd ? { cwd: options.cwd } : {}),
      ...(options.signal ? { signal: options.signal } : {}),
      env: { ...process.env, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let out = "";
    let err = "";
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk;
    });
    child.stderr.on("data", (chunk: Buffer) => {
      err = (err + chunk).slice(-4000);
    });
    child.on("error", (cause) =>
      fail((cause as NodeJS.ErrnoException).code === "ENOENT" ? new ProgramFailed(program, 127, "it is not installed") : cause),
    );
    child.on("close", (code, signal) =>
      code === 0 ? done(out) : fail(new ProgramFailed(program, code, (err || out).trim().split("\n").slice(-6).join("\n"), signal)),
    );
  });
}
