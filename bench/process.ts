// Programs that a section runs. Each is in a process group of its own: a terminal's ctrl-C reaches the benchmark only,
// which passes it on and waits, so that nothing is left half done.
import { spawn } from "node:child_process";

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
  readonly signal?: AbortSignal;
  /** Each line of the program's output as it comes. */
  readonly line?: (line: string) => void;
}

/** The program's output; an error with the end of what it said when it does not end well. */
export async function output(program: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { cwd, env = process.env, input = "", signal, line } = options;
  signal?.throwIfAborted();
  const child = spawn(program, args, { ...(cwd === undefined ? {} : { cwd }), env, stdio: ["pipe", "pipe", "pipe"], detached: true });
  // to the whole group: a shell script hears of it only when the program that it waits for has ended
  const interrupt = (): void => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, "SIGINT");
  };
  signal?.addEventListener("abort", interrupt, { once: true });
  let [said, complained, rest] = ["", "", ""];
  child.stdout.on("data", (chunk: Buffer) => {
    said += chunk;
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const one of lines) line?.(one);
  });
  child.stderr.on("data", (chunk: Buffer) => {
    complained += chunk;
  });
  // a program that does not read to the end says why by its exit code
  child.stdin.on("error", (cause) => {
    complained += `its input was not read: ${cause.message}\n`;
  });
  child.stdin.end(input);
  try {
    const ended = await new Promise<number | string | null>((done, fail) => {
      child.on("error", fail);
      child.on("close", (code, by) => done(code ?? by));
    });
    signal?.throwIfAborted();
    if (ended !== 0)
      throw new Error(`${program} ${args.join(" ")} ended with ${ended}:\n${said.slice(-3000)}\n${complained.slice(-3000)}`.trim());
    return said;
  } finally {
    signal?.removeEventListener("abort", interrupt);
  }
}
