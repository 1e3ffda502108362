// The life of one vendor object: plan, apply, read, destroy, adopt. Pure steps over a `Vendor`; nothing is written down here
// (executor.ts does that around them), and nothing is thrown for what a vendor or a network can do.
import { type Diagnostic, error } from "../framework/diagnostic.js";
import { equalOfType } from "../framework/equal.js";
import { hasUnknown, type ObjectValue, unknownAsNull, type Value } from "../framework/value.js";
import { hasErrors, pathText } from "./diagnostics.js";
import { differsAt } from "./differs.js";
import type { Applied, ObjectPlan, ObjectState, Planned, Seen } from "./instance-types.js";
import { definitelyRefused } from "./refusal.js";
import type { VendorSchema } from "./schema.js";
import { type AttributePath, type Vendor, VendorLost, VendorProblem, type VendorState } from "./vendor.js";

const noPrivate = new Uint8Array();

/** A vendor that is lost or cannot be used, as a diagnostic; anything else is a bug and is thrown on. */
export function lostDiagnostic(cause: unknown): Diagnostic {
  if (cause instanceof VendorProblem) return cause.diagnostic;
  if (!(cause instanceof VendorLost)) throw cause;
  return error("The vendor's provider gave no answer", cause.lastWords === "" ? cause.message : `${cause.message}\n\n${cause.lastWords}`);
}

export interface PlanOptions {
  /** Top-level arguments whose configured value counts only at create, as `ignore_changes` of Terraform. */
  readonly ignoreChanges?: readonly string[];
  /** Of a create: what the first plan of a replacement answered. */
  readonly private?: Uint8Array;
}

function withIgnored(config: ObjectValue, prior: ObjectState | null, names: readonly string[]): ObjectValue {
  if (prior === null) return config;
  const kept = names.filter((name) => Object.hasOwn(config, name)).map((name): [string, Value] => [name, prior.value[name] ?? null]);
  return Object.assign(Object.create(null), config, Object.fromEntries(kept));
}

function changedNames(schema: VendorSchema, prior: ObjectValue, planned: ObjectValue): readonly string[] {
  const differs = ([name, type]: [string, VendorSchema["type"]["object"][string]]): boolean =>
    !equalOfType(type, prior[name] ?? null, planned[name] ?? null);
  return Object.entries(schema.type.object)
    .filter(differs)
    .map(([name]) => name)
    .sort();
}

/**
 * What has to happen so that the object is as `config` says. `config` is complete (`configOf`); `prior` comes from a read.
 * Two calls with the same input give the same plan, so an apply plans again instead of keeping the first one.
 */
export async function planObject(
  vendor: Vendor,
  type: string,
  config: ObjectValue,
  prior: ObjectState | null,
  options: PlanOptions = {},
): Promise<Planned> {
  try {
    const schema = await vendor.schema(type);
    const wanted = withIgnored(config, prior, options.ignoreChanges ?? []);
    const first = await vendor.plan(type, {
      config: wanted,
      prior: prior?.value ?? null,
      private: prior?.private ?? options.private ?? noPrivate,
    });
    if (hasErrors(first.diagnostics)) return { plan: null, diagnostics: first.diagnostics };
    if (first.planned === null) return noPlan(vendor, type, first.diagnostics);
    const base = { type, prior, config: wanted, planned: first.planned, plannedPrivate: first.private };
    if (prior === null) {
      return { plan: { ...base, action: "create", changed: [], replacedBy: [] }, diagnostics: first.diagnostics };
    }
    const changed = changedNames(schema, prior.value, first.planned);
    const planned = first.planned;
    // vendors name every attribute that could never change in place, also those that stay as they are
    const replacedBy = sortedPaths(first.requiresReplace.filter((path) => differsAt(schema, path, prior.value, planned)));
    if (replacedBy.length === 0) {
      const action = changed.length === 0 ? "no-op" : "update";
      return { plan: { ...base, action, changed, replacedBy }, diagnostics: first.diagnostics };
    }
    // as core: the new object is planned from nothing, with what the first plan left
    const anew = await vendor.plan(type, {
      config: withIgnored(config, prior, options.ignoreChanges ?? []),
      prior: null,
      private: first.private,
    });
    if (hasErrors(anew.diagnostics)) return { plan: null, diagnostics: anew.diagnostics };
    if (anew.planned === null) return noPlan(vendor, type, anew.diagnostics);
    const plan: ObjectPlan = { ...base, planned: anew.planned, plannedPrivate: anew.private, action: "replace", changed, replacedBy };
    return { plan, diagnostics: anew.diagnostics };
  } catch (cause) {
    return { plan: null, diagnostics: [lostDiagnostic(cause)] };
  }
}

function noPlan(vendor: Vendor, type: string, diagnostics: readonly Diagnostic[]): Planned {
  const bug = error(
    "The vendor's provider planned nothing",
    `${vendor.name} gave no planned object for ${type} and no reason. This is a fault of that provider.`,
  );
  return { plan: null, diagnostics: [...diagnostics, bug] };
}

function sortedPaths(paths: readonly AttributePath[]): readonly AttributePath[] {
  const byText = new Map(paths.map((path) => [pathText(path), path]));
  return [...byText.keys()].sort().map((text) => byText.get(text) ?? []);
}

export const planDestroy = (type: string, prior: ObjectState): ObjectPlan => ({
  type,
  action: "delete",
  prior,
  config: null,
  planned: null,
  plannedPrivate: prior.private,
  changed: [],
  replacedBy: [],
});

/** The second half of a replacement, for a walk that destroys first and in an order of its own. */
export const createAlone = (plan: ObjectPlan): ObjectPlan =>
  plan.action === "replace" ? { ...plan, action: "create", prior: null, changed: [], replacedBy: [] } : plan;

/** Carries out a plan. A replacement whose destroy does not succeed is not created. */
export async function applyObject(vendor: Vendor, plan: ObjectPlan): Promise<Applied> {
  const { type, prior, action } = plan;
  if (action === "no-op") return { outcome: "done", state: prior, diagnostics: [] };
  if (action === "delete") return prior === null ? { outcome: "done", state: null, diagnostics: [] } : destroyObject(vendor, type, prior);
  if (action === "replace" && prior !== null) {
    const destroyed = await destroyObject(vendor, type, prior);
    if (destroyed.outcome !== "done") return destroyed;
    const created = await applyObject(vendor, createAlone(plan));
    return { ...created, diagnostics: [...destroyed.diagnostics, ...created.diagnostics] };
  }
  if (plan.config !== null && hasUnknown(plan.config)) {
    const detail = `${type} was to be applied while a part of its configuration was still unknown. This is a fault of the provider; please report it.`;
    return { outcome: "failed", state: prior, diagnostics: [error("Applied too early", detail)] };
  }
  try {
    const answer = await vendor.apply(type, {
      config: plan.config,
      prior: prior?.value ?? null,
      planned: plan.planned,
      private: plan.plannedPrivate,
    });
    return applied(vendor, plan, answer);
  } catch (cause) {
    return { outcome: cause instanceof VendorProblem ? "failed" : "unknown", state: prior, diagnostics: [lostDiagnostic(cause)] };
  }
}

function applied(vendor: Vendor, plan: ObjectPlan, answer: VendorState): Applied {
  const failed = hasErrors(answer.diagnostics);
  if (answer.state === null) {
    // an update without an object: what was there before is the best that is known
    if (plan.prior !== null) return { outcome: failed ? "failed" : "unknown", state: plan.prior, diagnostics: answer.diagnostics };
    if (failed)
      return { outcome: definitelyRefused(answer.diagnostics) ? "failed" : "unknown", state: null, diagnostics: answer.diagnostics };
    const detail = `${vendor.name} gave no object for ${plan.type} and no reason.`;
    return { outcome: "unknown", state: null, diagnostics: [error("The vendor's provider returned nothing", detail)] };
  }
  // unknown parts are stored as nulls rather than lost; the read that follows fills them
  const value = hasUnknown(answer.state) ? (unknownAsNull(answer.state) as ObjectValue) : answer.state;
  return { outcome: failed ? "failed" : "done", state: { value, private: answer.private }, diagnostics: answer.diagnostics };
}

export async function destroyObject(vendor: Vendor, type: string, state: ObjectState): Promise<Applied> {
  try {
    const answer = await vendor.apply(type, { config: null, prior: state.value, planned: null, private: state.private });
    if (!hasErrors(answer.diagnostics)) return { outcome: "done", state: null, diagnostics: answer.diagnostics };
    const left =
      answer.state === null ? state : { value: answer.state, private: answer.private.length > 0 ? answer.private : state.private };
    return { outcome: "failed", state: left, diagnostics: answer.diagnostics };
  } catch (cause) {
    return { outcome: cause instanceof VendorProblem ? "failed" : "unknown", state, diagnostics: [lostDiagnostic(cause)] };
  }
}

export async function readObject(vendor: Vendor, type: string, state: ObjectState): Promise<Seen> {
  try {
    const answer = await vendor.read(type, { state: state.value, private: state.private });
    if (hasErrors(answer.diagnostics)) return { outcome: "unknown", state, diagnostics: answer.diagnostics };
    if (answer.state === null) return { outcome: "gone", state: null, diagnostics: answer.diagnostics };
    return { outcome: "present", state: { value: answer.state, private: answer.private }, diagnostics: answer.diagnostics };
  } catch (cause) {
    return { outcome: "unknown", state, diagnostics: [lostDiagnostic(cause)] };
  }
}

/**
 * Takes an object that was created by this plan, in a run whose answer was lost, for ours: the planned object with its id, then
 * a read. An import would lose what the vendor cannot read back (raw user-data), and the next plan would replace a machine.
 */
export function adoptObject(vendor: Vendor, plan: ObjectPlan, id: string): Promise<Seen> {
  const planned = unknownAsNull(plan.planned ?? {}) as ObjectValue;
  const value: ObjectValue = Object.assign(Object.create(null), planned, { id });
  return readObject(vendor, plan.type, { value, private: plan.plannedPrivate });
}
