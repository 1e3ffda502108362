// What a vendor's process says on standard error: log lines go on to ours, the rest is kept for the moment it dies.
import type { Log } from "../framework/resource.js";

const keptLines = 40;
const panicLines = 200;

export interface LastWords {
  line(text: string): void;
  /** The panic with its stack; else the last lines that were no log. "" when there were none. */
  text(): string;
}

const levels: Readonly<Record<string, Parameters<Log>[0]>> = {
  error: "error",
  warn: "warn",
  info: "debug",
  debug: "debug",
  trace: "debug",
};

/** A line of hclog: JSON with "@level" and "@message". */
function logLine(text: string): { readonly level: Parameters<Log>[0]; readonly message: string } | null {
  if (!text.startsWith("{")) return null;
  try {
    const line = JSON.parse(text) as { "@level"?: unknown; "@message"?: unknown };
    const level = levels[String(line["@level"])];
    return level && typeof line["@message"] === "string" ? { level, message: line["@message"] } : null;
  } catch {
    // text that only looks like JSON is text
    return null;
  }
}

export function keepLastWords(log: Log, vendor: string): LastWords {
  const recent: string[] = [];
  const panic: string[] = [];
  return {
    line(text) {
      const logged = logLine(text);
      if (logged) return log(logged.level, logged.message, { vendor });
      if (panic.length > 0 || /^(panic|fatal error|runtime): /.test(text)) {
        if (panic.length < panicLines) panic.push(text);
        return;
      }
      if (text.trim() === "") return;
      recent.push(text);
      if (recent.length > keptLines) recent.shift();
      log("debug", text, { vendor });
    },
    text: () => (panic.length > 0 ? panic : recent).join("\n").trimEnd(),
  };
}
