// Specs and blueprints for tests, from what differs from the plainest cluster.
import type { Blueprint } from "../../constructs/blueprint/blueprint.js";
import { build } from "../../constructs/blueprint/build.js";
import type { ClusterSpec } from "../../constructs/spec/gen/spec.js";
import { parse } from "../../constructs/spec/parse.js";
import { wordProblem } from "../../constructs/spec/problem.js";

export function specOf(over: object = {}): ClusterSpec {
  const { spec, problems } = parse({ name: "demo", version: "1.36.3", iaas: { local: {} }, ...over });
  if (!spec) throw new Error(problems.map(wordProblem).join("\n"));
  return spec;
}

export const blueprintOf = (over: object = {}): Blueprint => build(specOf(over));
