// Plan of honest_node_group, and what its configuration means together with its cluster.
import { defaultVersion } from "../../../constructs/spec/version.js";
import { type Diagnostic, error } from "../../framework/diagnostic.js";
import type { Context, PlanRequest, PlanResponse } from "../../framework/resource.js";
import type { ObjectValue } from "../../framework/value.js";
import { nothing } from "../../managed/instance.js";
import { isObject, text } from "../cluster/decode.js";
import { nodeGroupInputs } from "./attributes.js";
import { sameInputs, stillWaiting } from "./cluster-plan.js";
import { evaluateGroup } from "./evaluate.js";
import { readHandle } from "./handle.js";
import { plainInputs, understand, unknownInputs, wordProblems } from "./input.js";
import { logPath } from "./log-file.js";
import type { Makers } from "./session.js";
import { inventoryOf, planWork, type Wanted } from "./work.js";

export type Understood =
  | { readonly wanted: Wanted; readonly problems?: never }
  | { readonly problems: readonly Diagnostic[]; readonly wanted?: never };

export function understandGroup(value: ObjectValue): Understood {
  const handle = readHandle(value.cluster);
  const name = text(value.name);
  if (handle === null) return { problems: [noHandle] };
  if (name === null) return { problems: [noName] };
  const group = plainInputs(nodeGroupInputs, value);
  const { spec, problems } = understand({ ...handle.spec, node_groups: { [name]: group } });
  if (!spec) return { problems: wordProblems(problems, ["node_groups", name]) };
  return { wanted: { ...evaluateGroup(spec, name), outside: handle.outside, known: handle.known } };
}

/** Without its cluster: what is wrong with a group whatever cluster it belongs to. */
export function groupProblems(config: ObjectValue): readonly Diagnostic[] {
  const name = text(config.name) ?? "group";
  const group = plainInputs(nodeGroupInputs, config);
  const alone = { name: "cluster", version: group.version ?? defaultVersion, iaas: { preview: {} }, node_groups: { [name]: group } };
  const { problems = [] } = understand(alone);
  return wordProblems(
    problems.filter(({ path }) => path[0] === "node_groups"),
    ["node_groups", name],
  );
}

export async function planNodeGroup({ prior, proposed }: PlanRequest, context: Context, makers: Makers): Promise<PlanResponse> {
  if (proposed === null) return { planned: null };
  const refuse = (diagnostics: readonly Diagnostic[]): PlanResponse => ({ planned: prior ?? proposed, diagnostics });
  const unknowns = unknownInputs(nodeGroupInputs, proposed);
  if (unknowns.length > 0) return refuse(unknowns);
  const { wanted, problems } = understandGroup(proposed);
  if (!wanted) return refuse(problems);
  const { spec } = wanted;
  const name = String(proposed.name);
  const other = prior !== null && (prior.cluster_name !== spec.name || prior.name !== name);
  const work = await planWork(wanted, other ? nothing : inventoryOf(prior), context, makers);
  if (work.diagnostics.some((d) => d.severity === "error")) return refuse(work.diagnostics);
  const same = prior !== null && !other && sameInputs(nodeGroupInputs, prior, proposed) && sameCluster(prior, proposed);
  if (prior && same && !work.moves) {
    const timeouts = proposed.timeouts ?? null;
    return { planned: { ...prior, timeouts }, diagnostics: [...work.diagnostics, ...stillWaiting(spec.name, work)] };
  }
  const planned: ObjectValue = {
    ...proposed,
    id: `${spec.name}:${name}`,
    cluster_name: spec.name,
    ...work.outcome,
    log: logPath(`${spec.name}-${name}`),
  };
  const moved = other && prior.name === name ? { replace: ["cluster"] } : {};
  return { planned, diagnostics: work.diagnostics, ...moved };
}

/** Given the same by its cluster. */
const sameCluster = (prior: ObjectValue, proposed: ObjectValue): boolean =>
  ["spec", "trust"].every((part) => partOf(prior, part) !== null && partOf(prior, part) === partOf(proposed, part));
const partOf = (value: ObjectValue, part: string): string | null => (isObject(value.cluster) ? text(value.cluster[part]) : null);

const noHandle = error(
  "The cluster of the group is not known",
  "cluster is honest_cluster.NAME.handle, whose spec is known at every plan. Take it from there, not from an output or a variable that is only known after apply.",
  ["cluster"],
);
const noName = error(
  "A name is only known after apply",
  "name is part of the machines' names, so it has to be known at plan. Write the name itself.",
  ["name"],
);
