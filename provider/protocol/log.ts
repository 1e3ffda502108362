// What a provider may print. Core reads the handshake from standard output and log lines from standard error.
import { format } from "node:util";
import type { Log } from "../framework/resource.js";

/**
 * Printing in a dependency must not reach standard output: whatever comes before the handshake line is taken for it.
 * Gives back the one way to standard output that is left.
 */
export function keepStdoutClean(): (line: string) => void {
  const write = process.stdout.write.bind(process.stdout);
  const toStderr = (...parts: unknown[]): void => {
    process.stderr.write(`${format(...parts)}\n`);
  };
  for (const name of ["log", "info", "warn", "error", "debug", "trace", "dir"] as const) console[name] = toStderr;
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;
  return write;
}

/** hclog's JSON lines: core sorts them by level into TF_LOG. */
export function createLog(write: (line: string) => void = (line) => void process.stderr.write(line)): Log {
  return (level, message, fields) => {
    const head = { "@level": level, "@message": message, "@module": "honest", "@timestamp": new Date().toISOString() };
    write(`${JSON.stringify({ ...fields, ...head })}\n`);
  };
}
