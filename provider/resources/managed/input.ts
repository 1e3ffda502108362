// Configuration of a managed resource → spec, or all of its problems where the user wrote them.
import { unhonoured } from "../../../constructs/iaas/honour.js";
import { mappingOf, mappings } from "../../../constructs/iaas/registry.js";
import type { ClusterSpec } from "../../../constructs/spec/gen/spec.js";
import { parse } from "../../../constructs/spec/parse.js";
import { type Problem, wordProblem } from "../../../constructs/spec/problem.js";
import { clusterSchema, isMap, memberOf, type SchemaNode } from "../../../constructs/spec/schema.js";
import { type Diagnostic, error } from "../../framework/diagnostic.js";
import type { Attribute } from "../../framework/schema.js";
import { BigDecimal, hasUnknown, isUnknown, type ObjectValue, type Value } from "../../framework/value.js";

export type Json = Readonly<Record<string, unknown>>;
type Path = NonNullable<Diagnostic["path"]>;

/** Clouds whose blocks this face makes: those of the kit itself, and those of a vendor with a provider of its own. */
export const managedClouds: readonly string[] = Object.values(mappings)
  .filter(({ name, provider, standIn }) => standIn === undefined && (provider !== null || name === "local"))
  .map(({ name }) => name);

/** The inputs that are given, as plain data. */
export function plainInputs(inputs: Readonly<Record<string, Attribute>>, value: ObjectValue): Json {
  const given = Object.keys(inputs).flatMap((name) => {
    const item = value[name] ?? null;
    return item === null ? [] : [[name, plain(item)] as const];
  });
  return Object.fromEntries(given);
}

function plain(value: Value): unknown {
  if (value instanceof BigDecimal) return Number(value.text);
  if (value === null || typeof value !== "object" || isUnknown(value)) return value;
  if (Array.isArray(value)) return value.map((item: Value) => plain(item));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null)
      .map(([key, item]) => [key, plain(item)]),
  );
}

/** How many blocks there are and what machines are made of has to be known at plan. */
export function unknownInputs(inputs: Readonly<Record<string, Attribute>>, value: ObjectValue): readonly Diagnostic[] {
  return Object.keys(inputs).flatMap((name) => unknownBelow(value[name] ?? null, [name]));
}

function unknownBelow(value: Value, path: readonly string[]): readonly Diagnostic[] {
  if (isUnknown(value))
    return [
      error(
        "A value is only known after apply",
        `${path.join(".")} decides what there is to make, so it has to be known at plan. Write the value itself, or apply the resource that it comes from first (-target).`,
        [path[0] ?? ""],
      ),
    ];
  if (!hasUnknown(value) || value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, item]) => unknownBelow(item as Value, [...path, key]));
}

export type Understood =
  | { readonly spec: ClusterSpec; readonly problems?: never }
  | { readonly problems: readonly Problem[]; readonly spec?: never };

/** Everything that is wrong with a spec, also what its cloud cannot honour. */
export function understand(input: Json): Understood {
  const parsed = parse(input);
  if (!parsed.spec) return parsed;
  const problems = [...otherCloud(parsed.spec), ...unhonoured(parsed.spec, mappingOf(parsed.spec))];
  return problems.length > 0 ? { problems } : parsed;
}

function otherCloud(spec: ClusterSpec): readonly Problem[] {
  const { name } = mappingOf(spec);
  if (managedClouds.includes(name)) return [];
  return [
    {
      code: "cloud.unmanaged",
      path: ["iaas", name],
      message: "shows what a stack of constructs would make and has no machines, so that honest_cluster makes nothing on it",
      allowed: managedClouds.join(", "),
      fix: "name another cloud; honest_cluster lists its blocks at plan anyway",
    },
  ];
}

/** `below`: where the attributes of the resource stand in the spec. */
export function wordProblems(problems: readonly Problem[], below: Problem["path"] = []): readonly Diagnostic[] {
  return problems.map((problem) => {
    const mine = below.every((part, n) => problem.path[n] === part);
    const own = mine ? problem.path.slice(below.length) : problem.path;
    const words = wordProblem({ ...problem, path: own });
    return error("Not a valid cluster", words.endsWith(".") ? words : `${words}.`, ...(mine ? [pathOf(problem.path, below.length)] : []));
  });
}

/** Path of an attribute: keys of maps are told from names. */
function pathOf(path: Problem["path"], skip: number): Path {
  let node: SchemaNode | undefined = clusterSchema;
  const all: Path = path.map((part) => {
    const here: SchemaNode | undefined = node;
    node = here && memberOf(here, part);
    return here && isMap(here) && typeof part === "string" ? { key: part } : part;
  });
  return all.slice(skip);
}
