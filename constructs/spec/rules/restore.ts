// A snapshot that can be fetched has an end: a machine that keeps its document for years must not go back to it some day.
import type { ClusterSpec } from "../gen/spec.js";
import type { Problem } from "../problem.js";

export function restoreRules({ restore }: ClusterSpec): readonly Problem[] {
  if (restore === null) return [];
  const { url, not_after, passphrase } = restore;
  const missing = (field: string, beside: string): Problem => ({
    code: "restore.incomplete",
    path: ["restore", field],
    message: `is missing; with ${beside} it is needed`,
    fix: "take url, not_after and passphrase from honest-paas snapshot restore, or leave all three out when the restore is done",
  });
  if (url !== null && not_after === null) return [missing("not_after", "url")];
  if (url === null && not_after !== null) return [missing("url", "not_after")];
  if (url === null && passphrase !== null) return [missing("url", "passphrase")];
  return [];
}
