// What a saved plan says about a roll, read from `terraform show -json`. Pure. Holds no values but names, versions of a
// release and counts: the plan itself is full of keys.
import { expectedRolls, isExpected, type PlanConfiguration } from "./expected.js";

export type Action = "create" | "update" | "delete" | "replace" | "forget";

export interface Change {
  readonly address: string;
  readonly type: string;
  readonly action: Action;
  /** A machine, membership or attachment that makes place for its successor: what a roll is made of. */
  readonly expected: boolean;
}

export interface Machine {
  readonly cluster: string;
  readonly pool: string;
  readonly name: string;
  /** Runs the release that the configuration wants, as far as earlier applies went. */
  readonly done: boolean;
  /** This plan brings it there. */
  readonly now: boolean;
  /** This plan leaves it on its old release. */
  readonly waits: boolean;
}

export interface PlanView {
  readonly changes: readonly Change[];
  readonly machines: readonly Machine[];
  /** Sum of pending_count over every honest_boot of the stack, which is what the outputs of that name are made of. */
  readonly pending: number;
  /** Some output has another value after the apply. */
  readonly outputsChange: boolean;
}

type Values = Readonly<Record<string, unknown>>;
export interface ResourceChange {
  readonly address: string;
  readonly mode?: string;
  readonly type: string;
  /** What is left of a replacement that was cut. */
  readonly deposed?: string;
  readonly change: { readonly actions: readonly string[]; readonly before: Values | null; readonly after: Values | null };
}
export interface PlanJson {
  readonly resource_changes?: readonly ResourceChange[];
  readonly output_changes?: Readonly<Record<string, { readonly actions: readonly string[] }>>;
  readonly configuration?: PlanConfiguration;
}

function actionOf(actions: readonly string[]): Action | undefined {
  const has = (name: string): boolean => actions.includes(name);
  if (has("delete") && has("create")) return "replace";
  return (["create", "update", "delete", "forget"] as const).find(has);
}

const values = (value: unknown): Values => (value !== null && typeof value === "object" ? (value as Values) : {});

export function readPlan(plan: PlanJson): PlanView {
  const managed = (plan.resource_changes ?? []).filter((change) => change.mode === undefined || change.mode === "managed");
  const rolls = expectedRolls(plan.configuration);
  const changes = managed.flatMap((resource): readonly Change[] => {
    const action = actionOf(resource.change.actions);
    if (!action) return [];
    const { address, type } = resource;
    const makesPlace = action === "replace" || (action === "delete" && resource.deposed !== undefined);
    return [{ address, type, action, expected: makesPlace && isExpected(rolls, resource) }];
  });
  const boots = managed.filter((r) => r.type === "honest_boot" && r.deposed === undefined && r.change.after !== null);
  return {
    changes,
    machines: boots.flatMap((boot) => machineOf(boot, managed)),
    pending: boots.reduce((sum, boot) => sum + Number(boot.change.after?.pending_count ?? 0), 0),
    outputsChange: Object.values(plan.output_changes ?? {}).some(({ actions }) => actionOf(actions) !== undefined),
  };
}

function machineOf({ change }: ResourceChange, all: readonly ResourceChange[]): readonly Machine[] {
  const after = change.after ?? {};
  const { cluster, pool, name } = values(after.spec);
  if (typeof cluster !== "string" || typeof pool !== "string" || typeof name !== "string") return [];
  const wanted = values(after.roster)[name];
  // The membership is made last: with it a machine runs its release, with boot data alone it may not stand yet.
  const member = all.find(
    (r) => r.type === "honest_node" && r.deposed === undefined && r.change.before?.name === name && r.change.before.cluster === cluster,
  );
  const before = member ? member.change.before?.release : undefined;
  const waits = Number(after.pending_count ?? 0) > 0;
  const done = typeof wanted === "string" && before === wanted;
  const takes = after.release === undefined || after.release === wanted;
  return [{ cluster, pool, name, done, waits, now: !done && !waits && takes }];
}

export const isEmpty = (view: PlanView): boolean => view.changes.length === 0 && !view.outputsChange;

/** What is destroyed and is no part of a roll. */
export const unexpected = (view: PlanView): readonly Change[] =>
  view.changes.filter(({ action, expected }) => (action === "delete" || action === "replace") && !expected);

/** The same for two plans that do the same to the same things at the same point of a roll. */
export const fingerprint = (view: PlanView): string =>
  JSON.stringify([view.changes.map(({ address, action }) => `${action} ${address}`).sort(), view.machines, view.pending]);
