// Terraform's own expressions, of which mappings use one. Nobody here is Terraform: each is known by heart, another is refused.
import { randomUUID } from "node:crypto";
import { unknown, type Value } from "../framework/value.js";
import { VendorProblem } from "../shim/vendor.js";

/** Value of an expression as a mapping writes it. Throws `VendorProblem` for one that is not known here. */
export type Evaluate = (expression: string) => Value;

/** The beginning of a word that is another each time. */
const freshWord = /^substr\(uuid\(\), 0, ([1-8])\)$/;

function lengthOf(expression: string): number {
  const found = freshWord.exec(expression);
  if (found) return Number(found[1]);
  const detail = `The mapping of this cloud asks for ${expression}, which only Terraform itself can evaluate. Use the constructs on this cloud, which leave it to Terraform; and please report it.`;
  throw new VendorProblem("An expression cannot be evaluated", detail);
}

/** As Terraform has it: the word is only known when it is needed. */
export const evaluateAtPlan: Evaluate = (expression) => {
  lengthOf(expression);
  return unknown;
};
export const evaluateAtApply: Evaluate = (expression) => randomUUID().slice(0, lengthOf(expression));
