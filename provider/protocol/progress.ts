// What a long step waits for, for whoever started terraform: core shows "still creating" and nothing else of a provider
// until it is done. A file that the caller names and follows; a JSON object a line: {at, message, node or cluster}.
import { appendFileSync } from "node:fs";
import type { Log } from "../framework/resource.js";

/** Environment variable with the file's path; without it nothing is written. */
export const progressVariable = "HONEST_PAAS_PROGRESS";

/** Lines of level info are what a person waits for. A file that cannot be written is said once and holds nothing up. */
export function withProgress(log: Log, path: string | undefined): Log {
  if (!path) return log;
  let told = false;
  return (level, message, fields) => {
    log(level, message, fields);
    if (level !== "info") return;
    try {
      appendFileSync(path, `${JSON.stringify({ ...fields, at: new Date().toISOString(), message })}\n`);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      if (!told) log("warn", `${progressVariable}=${path} cannot be written: ${why}`);
      told = true;
    }
  };
}
