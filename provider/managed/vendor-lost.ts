// A vendor that cannot be used, or that died, in the middle of a step: the step says so and the others go on.
import type { Diagnostic } from "../framework/diagnostic.js";
import { lostDiagnostic } from "../shim/object.js";

/** Runs a step; a `VendorProblem` or `VendorLost` is its diagnostic, anything else is a bug and is thrown on. */
export async function orDiagnostics(step: () => Promise<readonly Diagnostic[]>): Promise<readonly Diagnostic[]> {
  try {
    return await step();
  } catch (cause) {
    return [lostDiagnostic(cause)];
  }
}
