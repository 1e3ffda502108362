// Our diagnostics in the words of the protocol.
import type { Diagnostic } from "../framework/diagnostic.js";
import type { Decoded } from "./wire.js";

export function pathMessage(path: NonNullable<Diagnostic["path"]>): Decoded {
  return {
    steps: path.map((step) => {
      if (typeof step === "string") return { attributeName: step };
      return typeof step === "number" ? { elementKeyInt: step } : { elementKeyString: step.key };
    }),
  };
}

export const diagnosticMessages = (diagnostics: readonly Diagnostic[] | undefined): Decoded[] =>
  (diagnostics ?? []).map((d) => ({
    severity: d.severity === "error" ? 1 : 2,
    summary: d.summary,
    detail: d.detail,
    ...(d.path && d.path.length > 0 ? { attribute: pathMessage(d.path) } : {}),
  }));
