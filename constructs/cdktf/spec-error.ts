// What a wrong spec ends in at synth: one error with all problems, in the user's own spelling.
import { inCamel } from "../spec/casing.js";
import { type Problem, wordProblem } from "../spec/problem.js";

export class SpecError extends Error {
  override readonly name = "SpecError";

  constructor(
    readonly where: string,
    readonly problems: readonly Problem[],
  ) {
    super(
      `${where}: ${problems.length === 1 ? "1 problem" : `${problems.length} problems`}\n${problems.map((p) => `  - ${wordProblem(inCamel(p))}`).join("\n")}`,
    );
  }
}
