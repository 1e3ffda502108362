// The file that an apply tells its progress to: Terraform shows nothing of a provider until it is done. Its path is known at
// plan, so that a person or a pipeline can follow it from the first line on.
import { appendFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Context } from "../../framework/resource.js";

/** Below Terraform's own folder of the configuration, which nobody commits. */
export const logPath = (name: string): string => join(process.env.TF_DATA_DIR || ".terraform", "honest-paas", `${name}.log`);

/** The context with every line of level info in the file too. A file that cannot be written is said once and holds nothing up. */
export function withLogFile(context: Context, path: string): Context {
  let told = false;
  return {
    ...context,
    log(level, message, fields) {
      context.log(level, message, fields);
      if (level !== "info") return;
      const who = fields?.node ?? fields?.cluster;
      try {
        mkdirSync(dirname(path), { recursive: true });
        appendFileSync(path, `${new Date().toISOString()} ${typeof who === "string" ? `${who}: ` : ""}${message}\n`);
      } catch (cause) {
        if (!told) context.log("warn", `${path} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`);
        told = true;
      }
    },
  };
}
