// Plan of a machine's boot data. Bytes of an existing machine move only when the pace says "take", and are made from what
// an earlier apply recorded: so both of core's plan calls give the same answer, also when an input is unknown in the first.
import { type MachineSpec, releaseOf } from "../../../constructs/blueprint/machine-spec.js";
import { overBudget, renderUserData, type UserData } from "../../boot/user-data.js";
import type { LateInputs } from "../../boot/document.js";
import { type Diagnostic, error, warning } from "../../framework/diagnostic.js";
import type { PlanRequest, PlanResponse } from "../../framework/resource.js";
import { hasUnknown, isUnknown, type ObjectValue, unknown, type Value } from "../../framework/value.js";
import type { Facts } from "../../rollout/facts.js";
import { decidePace } from "../../rollout/pace.js";
import { isObject, text, textMap, texts } from "../cluster/decode.js";

export const specOf = (value: ObjectValue): MachineSpec => value.spec as unknown as MachineSpec;

const shapeOutputs = (spec: MachineSpec): ObjectValue => ({
  instance_type: spec.shape.instance_type,
  image: spec.shape.image,
  root_disk_gib: spec.shape.root_disk_gib,
});

const outputs = ["release", "user_data", "user_data_bytes", "instance_type", "image", "root_disk_gib"] as const;

export function render(value: ObjectValue, late: ObjectValue): UserData {
  return renderUserData(
    {
      spec: specOf(value),
      late: { ...(late as unknown as LateInputs), members: textMap(late.members) },
      taints: texts(value.taints),
      labels: textMap(value.labels),
      born: value.born === true,
    },
    value.encoding === "plain" ? "plain" : "gzip_base64",
  );
}

export function budgetProblem(value: ObjectValue, data: UserData): readonly Diagnostic[] {
  const words = overBudget(data, Number(value.user_data_limit), specOf(value).name);
  return words ? [error("User-data is too large", words, ["spec"])] : [];
}

const anyUnknown = (value: ObjectValue, names: readonly string[]): boolean => names.some((name) => hasUnknown(value[name] ?? null));

export function planBoot({ prior, proposed, private: held }: PlanRequest): PlanResponse {
  if (proposed === null) return { planned: null };
  if (prior === null) return planCreate(proposed);
  // whatever decides about a release: with one of them unknown only a complete no-op is the same in both calls
  if (anyUnknown(proposed, ["spec", "roster", "roll", "encoding", "user_data_limit", "max_unavailable", "max_surge"])) {
    return { planned: prior, diagnostics: [notKnown(prior)] };
  }
  const wanted = releaseOf(specOf(proposed));
  const facts = (held.facts as Facts | undefined) ?? null;
  const decision = decidePace({
    name: specOf(proposed).name,
    role: specOf(proposed).role,
    pool: specOf(proposed).pool,
    current: text(prior.release),
    wanted,
    unknownInput: false,
    facts: facts && { ...facts, born: facts.born || proposed.born === true || prior.born === true },
    members: texts(proposed.members),
    roster: textMap(proposed.roster),
    inOneApply: proposed.roll === "in_one_apply",
    atOnce: Math.max(Number(proposed.max_unavailable ?? 1), Number(proposed.max_surge ?? 1), 1),
  });
  const before = Object.fromEntries(outputs.map((name) => [name, prior[name] ?? null]));
  const late = hasUnknown(proposed.late ?? null) ? unknown : (proposed.late ?? null);
  const settled = { ...proposed, ...before, late_seen: late, pending: null, pending_count: 0 };
  if (decision.action === "take") return planTake(prior, proposed, settled, wanted, decision.rule === 15 ? decision.reason : "");
  // a flip of `born` alone changes nothing on a machine that runs: the prior value stays, and the plan empty
  const born = prior.born ?? proposed.born ?? null;
  const pending = decision.action === "wait" ? { pending: `release ${wanted} waits for its turn`, pending_count: 1 } : {};
  const diagnostics = decision.action === "wait" ? [pendingWarning(proposed, decision.reason)] : [];
  return { planned: { ...settled, born, ...pending }, diagnostics };
}

function planCreate(proposed: ObjectValue): PlanResponse {
  if (hasUnknown(proposed.spec ?? null)) return { planned: proposed };
  const spec = specOf(proposed);
  const planned: Record<string, Value> = { ...proposed, ...shapeOutputs(spec), release: releaseOf(spec), pending: null, pending_count: 0 };
  // known already: say now, not in the middle of an apply, that the machine cannot be made
  const whole = isObject(proposed.late) && !anyUnknown(proposed, ["late", "taints", "labels", "born"]);
  const diagnostics = whole ? budgetProblem(proposed, render(proposed, proposed.late as ObjectValue)) : [];
  return { planned, diagnostics };
}

function planTake(prior: ObjectValue, proposed: ObjectValue, settled: ObjectValue, wanted: string, sentence: string): PlanResponse {
  const recorded = isObject(prior.late_seen) ? prior.late_seen : {};
  // labels and taints may come from outside too: what the machine registers with is then what it had
  const pick = (name: string): Value => (hasUnknown(proposed[name] ?? null) ? (prior[name] ?? null) : (proposed[name] ?? null));
  const born = isUnknown(proposed.born ?? null) ? (prior.born ?? null) : (proposed.born ?? prior.born ?? null);
  const inputs = { ...proposed, born, taints: pick("taints"), labels: pick("labels") };
  const data = render(inputs, recorded);
  const planned = {
    ...settled,
    ...shapeOutputs(specOf(proposed)),
    born,
    release: wanted,
    user_data: data.text,
    user_data_bytes: data.bytes,
  };
  const diagnostics = [...budgetProblem(proposed, data), ...(/ wait for/.test(sentence) ? [pendingWarning(proposed, sentence)] : [])];
  return { planned, diagnostics };
}

const notKnown = (prior: ObjectValue): Diagnostic =>
  warning(
    "A machine's spec is only known after apply",
    `Something that decides the release of ${specOf(prior).name} comes from a resource that this plan changes. The machine keeps what it has; plan again after this apply.`,
  );

/** The same summary and, within a pool, the same detail from every machine: Terraform folds them into one. */
const pendingWarning = (value: ObjectValue, reason: string): Diagnostic =>
  warning("Machines wait for their new release", `Cluster ${specOf(value).cluster}, pool ${specOf(value).pool}: ${reason}.`);
