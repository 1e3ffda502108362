// Carries a plan out. Each object is planned again with what is known by then, as Terraform does, and what its vendor
// answers is kept at once.
import type { Diagnostic } from "../framework/diagnostic.js";
import { error } from "../framework/diagnostic.js";
import { type Change, type Operation, operations } from "./change.js";
import { evaluateAtApply } from "./expression.js";
import type { Instance, Ledger } from "./instance.js";
import { configOf, type Plan } from "./plan.js";
import type { LookUp } from "./resolve.js";
import type { VendorOf } from "./vendor.js";
import { orDiagnostics } from "./vendor-lost.js";
import { walk } from "./walk.js";

export interface ApplyInput {
  readonly plan: Plan;
  readonly ledger: Ledger;
  readonly vendorOf: VendorOf;
  readonly outside: LookUp;
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
  /** Most objects at a time. @default 10 */
  readonly limit?: number;
}
export interface Applied {
  readonly diagnostics: readonly Diagnostic[];
  /** Ids of operations that were done, and of those that never began. */
  readonly done: readonly string[];
  readonly skipped: readonly string[];
}

const failed = (diagnostics: readonly Diagnostic[]): boolean => diagnostics.some((d) => d.severity === "error");

export async function applyAll(input: ApplyInput): Promise<Applied> {
  const { plan, signal, limit = 10 } = input;
  const steps = operations(plan.changes).map((operation) => ({
    id: operation.id,
    after: operation.after,
    run: () => orDiagnostics(() => (operation.kind === "make" ? make(input, operation) : drop(input, operation))),
  }));
  const { done, skipped } = await walk(steps, { limit, signal, good: (diagnostics) => !failed(diagnostics) });
  const diagnostics = done.flatMap(({ result }) => result);
  const stopped =
    signal.aborted && skipped.length > 0
      ? [
          error(
            "Stopped",
            `${skipped.length} steps were not begun: ${skipped.join(", ")}. What was under way has ended; apply again to go on.`,
          ),
        ]
      : [];
  return {
    diagnostics: [...diagnostics, ...stopped],
    done: done.filter(({ result }) => !failed(result)).map(({ id }) => id),
    skipped,
  };
}

async function make(input: ApplyInput, { change }: Operation): Promise<readonly Diagnostic[]> {
  const { plan, ledger, vendorOf, outside, log } = input;
  const { name, type, resource, action, createFirst, dependencies } = change;
  if (!resource) throw new TypeError(`${name} is made without a resource`);
  const vendor = vendorOf(type);
  const prior = action === "update" ? change.prior : null;
  const lookUp: LookUp = (other) => ledger.current(other)?.attributes ?? plan.read.get(other) ?? outside(other);
  const config = await configOf(vendor, resource, prior, lookUp, evaluateAtApply);
  const again = await vendor.plan({ type, prior: prior?.attributes ?? null, config, private: prior?.private ?? {} });
  if (failed(again.diagnostics) || again.planned === null) return again.diagnostics;
  if (again.replace) return [unexpected(name, type)];
  if (prior && (await vendor.equal(type, prior.attributes, again.planned))) return [];
  const known = ledger.ids(type);
  if (action === "replace" && createFirst) ledger.depose(name);
  log(`${action} ${name} (${type}) begins`);
  const { planned, private: held } = again;
  const answer = await vendor.apply({ type, name, known, prior: prior?.attributes ?? null, planned, config, private: held });
  const bad = failed(answer.diagnostics);
  const version = await vendor.schemaVersion(type);
  const kept: Instance | null = answer.state && {
    ...{ type, schema_version: version, attributes: answer.state, private: answer.private, dependencies },
    ...(bad && !prior ? { tainted: true as const } : {}),
  };
  ledger.set(name, kept);
  // nothing came back and something went wrong: it may exist, and the note of it stays
  if (!bad || kept) vendor.settled?.(name);
  log(`${action} ${name} (${type}) ${bad ? "failed" : "is done"}`);
  return [...again.diagnostics.filter((d) => d.severity === "error"), ...answer.diagnostics];
}

async function drop({ ledger, vendorOf, log }: ApplyInput, { change }: Operation): Promise<readonly Diagnostic[]> {
  const { name, type, prior, destroyPrivate } = change;
  if (!prior) throw new TypeError(`${name} goes without having been`);
  const vendor = vendorOf(type);
  // what the walk has deposed in the meantime is the very object, in the shape in which it was kept
  const old = deposedOf(ledger, change);
  log(`delete ${name} (${type}) begins`);
  const known = ledger.ids(type);
  const answer = await vendor.apply({ type, name, known, prior: prior.attributes, planned: null, config: null, private: destroyPrivate });
  const left: Instance | null = answer.state && { ...prior, attributes: answer.state };
  if (old) ledger.settle(name, old, left);
  else ledger.set(name, left);
  if (left === null && !failed(answer.diagnostics)) vendor.settled?.(name);
  log(`delete ${name} (${type}) ${answer.state ? "failed" : "is done"}`);
  return answer.diagnostics;
}

function deposedOf(ledger: Ledger, { name, prior, deposed, action, createFirst }: Change): Instance | undefined {
  const all = ledger.deposed(name);
  if (deposed) return all.find((one) => one === prior);
  return action === "replace" && createFirst ? all.at(-1) : undefined;
}

const unexpected = (name: string, type: string): Diagnostic =>
  error(
    "A block would be replaced that was to be changed in place",
    `${name} (${type}): its vendor changed its mind between plan and apply. Nothing of it was changed; plan again.`,
  );
