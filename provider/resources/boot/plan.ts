// Plan of a machine's boot data. Bytes of an existing machine move only when the pace says "take", and are made from what
// an earlier apply recorded: so both of core's plan calls give the same answer, also when an input is unknown in the first.
import { releaseOf } from "../../../constructs/blueprint/machine-spec.js";
import { generationIn } from "../../boot/document.js";
import { type Diagnostic, warning } from "../../framework/diagnostic.js";
import { equalValues } from "../../framework/equal.js";
import type { PlanRequest, PlanResponse } from "../../framework/resource.js";
import { hasUnknown, type ObjectValue, unknown, type Value } from "../../framework/value.js";
import { groupSentence } from "../../rollout/group.js";
import { decidePace, type PaceInput } from "../../rollout/pace.js";
import { controlPlaneVersionProblem } from "../../rollout/versions.js";
import { isObject, text, textMap, texts } from "../cluster/decode.js";
import { isLost } from "../cluster/lost.js";
import { versionRefused } from "../cluster/words.js";
import { documentsSentence, olderThanRetired, takesNow } from "./authorities.js";
import { type HeldFacts, heldFacts } from "./facts.js";
import { planNoOp, unknownInputs } from "./no-op.js";
import { budgetProblem, inputProblems, render, specOf, versionProblem } from "./render.js";
import { etcdNumberOf, isRestoring, restoreProblems, restoreWarning, sourceFor } from "./restore.js";

/** What moves with the release and with nothing else. */
const outputs = [
  ...["authorities", "release", "version", "etcd_number"],
  ...["user_data", "user_data_bytes", "instance_type", "image", "root_disk_gib"],
] as const;

const newOutputs = (value: ObjectValue, authorities: number): ObjectValue => ({
  ...specOf(value).shape,
  authorities,
  release: releaseOf({ ...specOf(value), authorities }),
  version: specOf(value).version,
  etcd_number: etcdNumberOf(value),
});
const settledPace: ObjectValue = { pending: null, pending_count: 0 };

export function planBoot({ prior, config, proposed, private: held }: PlanRequest): PlanResponse {
  if (proposed === null) return { planned: null };
  if (prior === null) return planCreate(proposed);
  const outdated = olderThanRetired(prior, proposed);
  if (outdated !== null) return { planned: prior, diagnostics: [outdated] };
  const late = unknownInputs(proposed);
  if (late.length > 0) return planNoOp(prior, config ?? proposed, late, specOf(prior).name);

  const facts = heldFacts(held, proposed);
  const wrong = restoreProblems(prior, proposed, facts, Date.now());
  if (wrong.length > 0) return { planned: prior, diagnostics: wrong };
  const input = paceInput(prior, proposed, facts);
  const decision = takesNow(decidePace(input), prior, proposed);
  const refused = decision.action === "keep" ? null : refusedVersion(proposed, input);
  if (refused !== null) return { planned: prior, diagnostics: [refused] };
  const before = Object.fromEntries(outputs.map((name) => [name, prior[name] ?? null]));
  const settled = { ...proposed, ...before, ...settledPace, late_seen: recorded(proposed.late ?? null) };
  // a restore takes them at once
  const notes = input.restoring ? [] : lateWarning(prior, proposed);
  switch (decision.action) {
    case "take": {
      const problems = versionProblem(proposed);
      if (problems.length > 0) return { planned: prior, diagnostics: problems };
      const taken = planTake(prior, proposed, settled, facts);
      const back = input.restoring ? [restoreWarning(proposed, facts)] : [];
      return {
        ...taken,
        diagnostics: [...(taken.diagnostics ?? []), ...back, ...pendingWarning(proposed, groupSentence(input)), ...notes],
      };
    }
    case "wait": {
      const pending = { pending: `release ${input.wanted} waits for its turn`, pending_count: 1 };
      // too large is too large whenever its turn comes
      const sentence = documentsSentence(prior, proposed) ?? groupSentence(input);
      const diagnostics = [...inputProblems(proposed), ...pendingWarning(proposed, sentence), ...notes];
      return { planned: { ...settled, ...pending, born: keptBorn(prior, proposed) }, diagnostics };
    }
    case "keep":
      // the same release has the same version: a state of before this output learns it here
      return { planned: { ...settled, version: specOf(proposed).version, born: keptBorn(prior, proposed) }, diagnostics: notes };
    case "no-op":
      return { planned: prior };
    default:
      return decision.action satisfies never;
  }
}

function paceInput(prior: ObjectValue, proposed: ObjectValue, facts: HeldFacts | null): PaceInput {
  const spec = specOf(proposed);
  return {
    name: spec.name,
    role: spec.role,
    pool: spec.pool,
    version: spec.version,
    current: text(prior.release),
    wanted: releaseOf(spec),
    unknownInput: false,
    restoring: isRestoring(prior, proposed),
    facts: facts && { ...facts, born: facts.born || proposed.born === true || prior.born === true },
    members: texts(proposed.members),
    roster: textMap(proposed.roster),
    lost: isLost(spec.name),
    inOneApply: proposed.roll === "in_one_apply",
    atOnce: Math.max(Number(proposed.max_unavailable ?? 1), Number(proposed.max_surge ?? 1), 1),
  };
}

/** A birth that never came up has no version yet; of a cluster that lives the machines say what it runs. */
function refusedVersion(proposed: ObjectValue, { role, facts, members, restoring }: PaceInput): Diagnostic | null {
  // The snapshot's version counts, and the machine refuses one that is newer than itself.
  if (role !== "control-plane" || facts === null || !facts.complete || restoring) return null;
  const { cluster, version } = specOf(proposed);
  const names = [...new Set([...members, ...Object.keys(facts.etcd)])];
  const problem = controlPlaneVersionProblem(version, Object.fromEntries(names.map((name) => [name, facts.nodes[name]?.version ?? null])));
  return problem && versionRefused(cluster, problem, ["spec", "version"]);
}

function planCreate(proposed: ObjectValue): PlanResponse {
  if (hasUnknown(proposed.spec ?? null)) return { planned: { ...proposed, ...settledPace } };
  const pki = isObject(proposed.late) ? (proposed.late.pki ?? null) : unknown;
  // a machine that is added in the middle of a rotation carries what documents carry now, and takes the rest later
  const authorities = hasUnknown(pki) ? (specOf(proposed).authorities ?? 0) : generationIn(pki);
  const planned = { ...proposed, ...settledPace, ...newOutputs(proposed, authorities) };
  return { planned, diagnostics: inputProblems(proposed) };
}

function planTake(prior: ObjectValue, proposed: ObjectValue, settled: ObjectValue, facts: HeldFacts | null): PlanResponse {
  // All machines go at once, and a lost etcd disk comes back under another id: what an earlier apply recorded is of no use.
  const now = isRestoring(prior, proposed) && isObject(proposed.late);
  const seen = now ? proposed.late : prior.late_seen;
  const late = isObject(seen) ? seen : {};
  if (hasUnknown(late))
    return {
      planned: { ...settled, ...newOutputs(proposed, generationIn(late.pki)), user_data: unknown, user_data_bytes: unknown },
      diagnostics: inputProblems(proposed),
    };
  const data = render(proposed, late, bornBefore(prior, proposed, facts), sourceFor(proposed, facts));
  const planned = {
    ...settled,
    ...newOutputs(proposed, generationIn(late.pki)),
    user_data: data.text,
    user_data_bytes: data.bytes,
  };
  return { planned, diagnostics: budgetProblem(proposed, data) };
}

/** No ticket for a machine of a cluster that anybody has seen alive. */
const bornBefore = (prior: ObjectValue, proposed: ObjectValue, facts: HeldFacts | null): boolean =>
  prior.born === true || proposed.born === true || facts?.born === true || facts?.complete === true;

/** A flip of `born` alone changes nothing on a machine that runs: the prior value stays, and the plan is empty. */
const keptBorn = (prior: ObjectValue, proposed: ObjectValue): Value =>
  (proposed.born ?? null) === null ? null : (prior.born ?? proposed.born ?? null);

/** Part by part, so that an address that is still to come does not hide that nothing else changes. */
function recorded(late: Value): Value {
  return isObject(late) ? { ...late } : hasUnknown(late) ? unknown : late;
}

/** The same summary and, within a pool, the same detail from every machine: Terraform folds them into one. */
function pendingWarning(value: ObjectValue, sentence: string | null): readonly Diagnostic[] {
  if (sentence === null) return [];
  const { cluster, pool } = specOf(value);
  return [warning("Machines wait for their new release", `Cluster ${cluster}, pool ${pool}: ${sentence}.`)];
}

/** A member list is birth data and keys are rotated otherwise: the rest of `late` reaches a machine with its next release. */
function lateWarning(prior: ObjectValue, proposed: ObjectValue): readonly Diagnostic[] {
  const seen = isObject(prior.late_seen) ? prior.late_seen : {};
  const late = isObject(proposed.late) ? proposed.late : {};
  const changed = ["endpoint_address", "address", "etcd_disk", "pki"].filter((name) => {
    const value = late[name] ?? null;
    return !hasUnknown(value) && !equalValues(value, seen[name] ?? null);
  });
  if (changed.length === 0) return [];
  const { cluster, pool } = specOf(proposed);
  return [
    warning(
      "Late inputs reach machines with their next release",
      `Cluster ${cluster}, pool ${pool}: ${changed.join(", ")} changed. This apply records it; machines that run keep what they booted with, and a release made after this apply carries it.`,
    ),
  ];
}
