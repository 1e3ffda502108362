// The border of the core: anything in, a whole frozen spec or all of its problems out.
import { Ajv } from "ajv";
import { withDefaults } from "./defaults.js";
import type { ClusterInput, ClusterSpec } from "./gen/spec.js";
import type { Problem } from "./problem.js";
import { required } from "./required.js";
import { check } from "./rules.js";
import { clusterSchema } from "./schema.js";
import { problemOf } from "./schema-problem.js";

export type Parsed =
  | { readonly spec: ClusterSpec; readonly problems?: never }
  | { readonly problems: readonly Problem[]; readonly spec?: never };

const validate = new Ajv({ allErrors: true, verbose: true, strictSchema: false }).compile<ClusterInput>(clusterSchema);

/** `input` in snake_case, as HCL and JSON write it. */
export function parse(input: unknown): Parsed {
  const given = withoutEmpty(input);
  if (!validate(given)) {
    const problems = (validate.errors ?? []).flatMap((error) => problemOf(error) ?? []);
    return { problems: unique(problems) };
  }
  const missing = required(given);
  if (missing.length) return { problems: missing };
  const spec = withDefaults(given);
  const problems = check(spec);
  return problems.length ? { problems } : { spec };
}

/** null and undefined are "left out", as in HCL. The copy is ours, so that nobody changes it later. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null && item !== undefined)
      .map(([key, item]) => [key, withoutEmpty(item)]),
  );
}

function unique(problems: readonly Problem[]): readonly Problem[] {
  const seen = new Set<string>();
  return problems.filter((problem) => {
    const key = JSON.stringify([problem.code, problem.path]);
    return !seen.has(key) && seen.add(key);
  });
}
