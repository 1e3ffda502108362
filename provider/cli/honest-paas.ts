#!/usr/bin/env node
import { createInterface } from "node:readline/promises";
import { version } from "../version.js";
import { commands } from "./commands.js";
import { createInterrupts } from "./interrupts.js";
import { main } from "./main.js";

const { signal, insist, press } = createInterrupts();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, press);

/** Line by line and not as a terminal: ctrl-C stays a signal. */
async function ask(question: string): Promise<string | undefined> {
  if (process.stdin.isTTY !== true) return undefined;
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  try {
    return await lines.question(question, { signal });
  } finally {
    lines.close();
  }
}

// "honest-paas mirror build | head": whoever reads has gone
process.stdout.on("error", (cause: NodeJS.ErrnoException) => process.exit(cause.code === "EPIPE" ? 0 : 1));

const code = await main(
  commands,
  process.argv.slice(2),
  {
    out: (text) => process.stdout.write(text),
    say: (line) => process.stderr.write(`${line}\n`),
    env: process.env,
    cwd: process.cwd(),
    signal,
    insist,
    ask,
    terminal: process.stdout.isTTY === true,
  },
  version,
);
// Sockets that are kept alive must not hold the tool; what was written must get out first.
process.stdout.write("", () => process.exit(code));
