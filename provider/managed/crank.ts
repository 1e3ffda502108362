// One apply turns the whole crank: look, plan, apply, again, until nothing is pending or a guard refuses. Who may move when
// is decided by the same planner that serves a stack of constructs (provider/rollout, through honest_boot and honest_node);
// here it is only asked until it has no more to say.
import type { VendorResource } from "../../constructs/iaas/resource.js";
import { type Diagnostic, error } from "../framework/diagnostic.js";
import { applyAll } from "./apply.js";
import type { Action, Change } from "./change.js";
import type { Ledger } from "./instance.js";
import { type Plan, planAll } from "./plan.js";
import { folded, refreshAll } from "./refresh.js";
import type { LookUp } from "./resolve.js";
import type { VendorOf } from "./vendor.js";

export interface CrankInput {
  readonly resources: readonly VendorResource[];
  readonly ledger: Ledger;
  /** Of one round: what a round has read is not believed in the next. */
  readonly vendorsOf: (round: number) => VendorOf;
  readonly outside: LookUp;
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Objects that are read again in every round; the others only in the first. */
  readonly moving: (type: string) => boolean;
  /** Looks in a row, five seconds apart, in which machines wait and nobody moves, before that is the end. @default 12 */
  readonly patience?: number;
}
export interface Cranked {
  /** What was done to each object, all rounds together. */
  readonly did: ReadonlyMap<string, Action>;
  /** Machines that still wait for a release, with the reason. Empty: all is as wanted. */
  readonly pending: readonly string[];
  /** Why they wait. */
  readonly reasons: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  readonly rounds: number;
}

const pauseMs = 5_000;
/** How often the same change of the same object may come back after it went well. */
const mostRepeats = 3;

export async function crank(input: CrankInput): Promise<Cranked> {
  const { resources, ledger, outside, signal, log, patience = 12 } = input;
  const did = new Map<string, Action>();
  const repeats = new Map<string, number>();
  let warnings: readonly Diagnostic[] = [];
  let idle = 0;
  for (let round = 1; ; round++) {
    const vendorOf = input.vendorsOf(round);
    const only = round === 1 ? undefined : ({ type }: { readonly type: string }) => input.moving(type);
    const read = await refreshAll({ ledger, vendorOf, signal, ...(only ? { only } : {}) });
    const plan = await planAll({ resources, inventory: ledger.inventory(), vendorOf, outside });
    const end = (diagnostics: readonly Diagnostic[], pending = pendingOf(plan)): Cranked => ({
      ...{ did, pending, reasons: reasonsOf(plan), rounds: round },
      diagnostics: folded([...warnings, ...diagnostics]),
    });
    const errors = [...read.diagnostics, ...plan.diagnostics].filter((d) => d.severity === "error");
    if (errors.length > 0) return end(errors);
    const changes = plan.changes.filter(({ action }) => action !== "no-op");
    if (changes.length === 0) {
      const pending = pendingOf(plan);
      if (pending.length === 0) return end(read.diagnostics);
      const closed = reasonsOf(plan).some((reason) => reason.includes("maintenance window"));
      if (closed || idle >= patience || signal.aborted) return end(read.diagnostics);
      idle += 1;
      log(`${pending.length === 1 ? "1 machine waits" : `${pending.length} machines wait`}: ${reasonsOf(plan).join(" ")}`);
      await input.sleep(pauseMs, signal);
      continue;
    }
    if (signal.aborted) return end([stopped(changes)]);
    const again = changes.filter((change) => count(repeats, keyOf(change)) > mostRepeats);
    if (again.length > 0) return end([noProgress(again)]);
    idle = 0;
    log(`round ${round}: ${changes.map(({ action, name }) => `${action} ${name}`).join(", ")}`);
    const applied = await applyAll({ plan, ledger, vendorOf, outside, signal, log });
    for (const change of changes) if (applied.done.some((id) => idsOf(change).includes(id))) note(did, change);
    warnings = folded([...warnings, ...applied.diagnostics.filter((d) => d.severity === "warning")]);
    const failures = applied.diagnostics.filter((d) => d.severity === "error");
    if (failures.length > 0) return end(failures);
  }
}

const idsOf = ({ name, deposed }: Change): readonly string[] => (deposed ? [] : [`make ${name}`, `drop ${name}`]);
const keyOf = ({ name, action }: Change): string => `${action} ${name}`;

function count(counts: Map<string, number>, key: string): number {
  const now = (counts.get(key) ?? 0) + 1;
  counts.set(key, now);
  return now;
}

/** Several rounds of one object as one word. */
function note(did: Map<string, Action>, { name, action }: Change): void {
  const before = did.get(name);
  if (before === undefined || before === "update") did.set(name, action);
  else if (before === "delete" && action === "create") did.set(name, "replace");
  else if (action === "delete") did.set(name, "delete");
}

/** Names of machines whose release waits. */
export const pendingOf = ({ changes }: Plan): readonly string[] =>
  changes.flatMap(({ planned, name }) =>
    typeof planned?.pending === "string" ? [`${name.replace(/\/boot$/, "")}: ${planned.pending}`] : [],
  );

const waiting = "Machines wait for their new release";
export const reasonsOf = ({ diagnostics }: Plan): readonly string[] => [
  ...new Set(diagnostics.filter(({ summary }) => summary === waiting).map(({ detail }) => detail)),
];

const stopped = (left: readonly Change[]): Diagnostic =>
  error("Stopped", `Still to be done: ${left.map(keyOf).join(", ")}. What was under way has ended; apply again to go on.`);

const noProgress = (changes: readonly Change[]): Diagnostic =>
  error(
    "No progress",
    `The same changes came back after they were made ${mostRepeats} times: ${changes.map(keyOf).join(", ")}. Something outside undoes them, or an answer of the cluster is not what was written; the log says what each apply did.`,
  );
