#!/usr/bin/env node
import { version } from "../version.js";
import { commands } from "./commands.js";
import { main } from "./main.js";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop.abort());
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
    signal: stop.signal,
    terminal: process.stdout.isTTY === true,
  },
  version,
);
// Sockets that are kept alive must not hold the tool; what was written must get out first.
process.stdout.write("", () => process.exit(code));
