// Log lines as core reads them from a provider's standard error.
import type { Log } from "./services.js";

/** Printing in a dependency must not reach standard output: core reads the handshake there. */
export function keepStdoutClean(): void {
  const toStderr = (...parts: unknown[]): void => {
    process.stderr.write(`${parts.map(String).join(" ")}\n`);
  };
  for (const name of ["log", "info", "warn", "error", "debug"] as const) console[name] = toStderr;
}

export function createLog(write: (line: string) => void = (line) => void process.stderr.write(line)): Log {
  return (level, message, fields) => {
    const entry = { "@level": level, "@message": message, "@module": "honest", "@timestamp": new Date().toISOString(), ...fields };
    write(`${JSON.stringify(entry)}\n`);
  };
}
