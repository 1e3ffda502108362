// What comes next when a plan has been made. Pure: the whole judgement of converge, table-tested.
import { type Change, fingerprint, isEmpty, type PlanView, unexpected } from "./plan-view.js";

export interface Past {
  /** Applies of this run that went through. */
  readonly applies: number;
  /** Of each of them, what it did. */
  readonly applied: readonly string[];
  /** Plans in a row in which machines waited and nothing moved. */
  readonly idle: number;
}
export const beginning: Past = { applies: 0, applied: [], idle: 0 };

export interface Rules {
  /** Most applies of this run. */
  readonly limit: number;
  /** --yes: the first plan is applied without a question. */
  readonly yes: boolean;
  /** --allow-destroy: so is one that destroys more than a roll does. */
  readonly allowDestroy: boolean;
}

export type Next =
  | { readonly kind: "done" }
  | { readonly kind: "apply" }
  /** Asks for everything, or only for what is destroyed. */
  | { readonly kind: "ask"; readonly destroys: readonly Change[] }
  /** Nobody may go now; that may pass by itself. */
  | { readonly kind: "look-again"; readonly reason: string }
  | { readonly kind: "stop"; readonly reason: string };

/** How often the same plan may come back after it was applied. */
const mostRepeats = 2;

export function decide(view: PlanView, reasons: readonly string[], past: Past, rules: Rules): Next {
  const empty = isEmpty(view);
  if (empty && view.pending === 0) return { kind: "done" };
  const why = reasons.join(" ") || "the plan does not say why";
  if (empty) {
    const reason = `${machines(view.pending)} for a new release and nobody may take it: ${why}`;
    return past.idle === 0 ? { kind: "look-again", reason } : { kind: "stop", reason };
  }
  const repeats = past.applied.filter((key) => key === fingerprint(view)).length;
  if (repeats >= mostRepeats) return { kind: "stop", reason: `${noProgress(view)}${view.pending > 0 ? ` ${why}` : ""}` };
  if (past.applies >= rules.limit)
    return {
      kind: "stop",
      reason: `${rules.limit} ${rules.limit === 1 ? "apply is" : "applies are"} done, which is --limit; more is to be done`,
    };
  const destroys = unexpected(view);
  if (destroys.length > 0 && !rules.allowDestroy) return { kind: "ask", destroys };
  if (past.applies === 0 && !rules.yes) return { kind: "ask", destroys };
  return { kind: "apply" };
}

const machines = (count: number): string => (count === 1 ? "1 machine waits" : `${count} machines wait`);

function noProgress({ changes }: PlanView): string {
  const names = changes.slice(0, 5).map(({ address }) => address);
  const more = changes.length > names.length ? ` and ${changes.length - names.length} more` : "";
  const what = names.length === 0 ? "outputs change" : `${names.join(", ")}${more} ${changes.length === 1 ? "changes" : "change"}`;
  return `the same plan came back after it was applied ${mostRepeats} times: ${what} in every plan.`;
}

/** After a plan that moved nothing, and after one that was applied. */
export const idled = (past: Past): Past => ({ ...past, idle: past.idle + 1 });
export const went = (past: Past, view: PlanView): Past => ({
  applies: past.applies + 1,
  applied: [...past.applied, fingerprint(view)],
  idle: 0,
});

/** The gate of honest_node keeps a machine up: no fault of the run, and nothing was taken down. */
const refusal = /\b(was not taken down|was not emptied)\b/;
export const isRefusal = (errors: readonly string[]): boolean => errors.length > 0 && errors.every((text) => refusal.test(text));
