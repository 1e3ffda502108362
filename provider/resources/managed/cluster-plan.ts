// Plan of honest_cluster.
import type { ClusterSpec } from "../../../constructs/spec/gen/spec.js";
import { type Diagnostic, error, warning } from "../../framework/diagnostic.js";
import { equalOfType } from "../../framework/equal.js";
import type { Context, PlanRequest, PlanResponse } from "../../framework/resource.js";
import type { Attribute } from "../../framework/schema.js";
import { attributeType } from "../../framework/types.js";
import type { ObjectValue } from "../../framework/value.js";
import { nothing } from "../../managed/instance.js";
import { text } from "../cluster/decode.js";
import { clusterInputs } from "./attributes.js";
import { clusterValues, plannedValues } from "./cluster-values.js";
import { evaluateCluster } from "./evaluate.js";
import { fixedChanges, isOtherCluster } from "./immutable.js";
import { plainInputs, understand, unknownInputs, wordProblems } from "./input.js";
import { logPath } from "./log-file.js";
import type { Makers } from "./session.js";
import { inventoryOf, planWork, type WorkPlan, waitingNow } from "./work.js";

export const sameInputs = (inputs: Readonly<Record<string, Attribute>>, a: ObjectValue, b: ObjectValue): boolean =>
  Object.entries(inputs).every(([name, attribute]) => equalOfType(attributeType(attribute), a[name] ?? null, b[name] ?? null));

/** Handed over once: what is protected is a cluster that somebody may use. */
export function isProtected(prior: ObjectValue): boolean {
  const barrier = inventoryOf(prior).barrier?.current;
  return prior.deletion_protection !== false && barrier != null;
}

export const protectedError = (prior: ObjectValue): Diagnostic =>
  error(
    `Cluster ${text(prior.name)} is protected from deletion`,
    `deletion_protection of ${text(prior.name)} is true, so nothing of it is destroyed or replaced. Set deletion_protection = false, apply, then destroy.`,
    ["deletion_protection"],
  );

export async function planCluster({ prior, proposed }: PlanRequest, context: Context, makers: Makers): Promise<PlanResponse> {
  if (proposed === null) return { planned: null, diagnostics: prior && isProtected(prior) ? [protectedError(prior)] : [] };
  const refuse = (diagnostics: readonly Diagnostic[]): PlanResponse => ({ planned: prior ?? proposed, diagnostics });
  const unknowns = unknownInputs(clusterInputs, proposed);
  if (unknowns.length > 0) return refuse(unknowns);
  const input = plainInputs(clusterInputs, proposed);
  const understood = understand(input);
  if (!understood.spec) return refuse(wordProblems(understood.problems));
  const before = prior && specBefore(prior);
  const other = before != null && isOtherCluster(before, understood.spec);
  if (prior && other && isProtected(prior)) return refuse([protectedError(prior)]);
  const fixed = before && !other ? fixedChanges(before, understood.spec) : [];
  if (fixed.length > 0) return refuse(wordProblems(fixed));

  const wanted = { ...evaluateCluster(understood.spec), outside: () => undefined, known: true };
  const work = await planWork(wanted, other ? nothing : inventoryOf(prior), context, makers);
  if (work.diagnostics.some((d) => d.severity === "error")) return refuse(work.diagnostics);
  const timeouts = proposed.timeouts ?? null;
  if (prior && !other && !work.moves && sameInputs(clusterInputs, prior, proposed)) {
    return { planned: { ...prior, timeouts }, diagnostics: [...work.diagnostics, ...stillWaiting(understood.spec.name, work)] };
  }
  const planned: ObjectValue = {
    ...proposed,
    ...clusterValues(wanted, input, plannedValues(work.now)),
    ...work.outcome,
    log: logPath(understood.spec.name),
  };
  return { planned, diagnostics: work.diagnostics, ...(other ? { replace: [replacedBy(before, understood.spec)] } : {}) };
}

const replacedBy = (before: ClusterSpec, now: ClusterSpec): string => (before.name === now.name ? "iaas" : "name");

/** The spec of the last apply; null when this version of the kit does not understand it any more. */
function specBefore(prior: ObjectValue): ClusterSpec | null {
  return understand(plainInputs(clusterInputs, prior)).spec ?? null;
}

export const stillWaiting = (cluster: string, work: WorkPlan): readonly Diagnostic[] => {
  const reasons = waitingNow(work).filter((reason) => !work.diagnostics.some(({ detail }) => detail === reason));
  return reasons.length === 0 ? [] : [warning("Machines wait for their new release", `Cluster ${cluster}: ${reasons.join(" ")}`)];
};
