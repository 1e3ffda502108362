// What the safe operations on an object share: where they write, whom they ask, how long they wait.
import { createHash } from "node:crypto";
import { type Diagnostic, error } from "../framework/diagnostic.js";
import type { Log } from "../framework/resource.js";
import { stateJson } from "../protocol/state-text.js";
import type { Applied, Lookups, ObjectPlan, ObjectState } from "./instance-types.js";
import type { Journal } from "./journal.js";
import { lostDiagnostic } from "./object.js";
import { type Vendor, VendorProblem } from "./vendor.js";
import type { VendorPool } from "./vendor-pool.js";

export interface Pace {
  /** How long a request may be on its way in the cloud after its sender is dead. @default 10 000 */
  readonly settleMs: number;
  /** How long an adopted object may take to come to rest. @default 600 000 */
  readonly readyMs: number;
  /** Between two looks at an object that is not ready. @default 2000 */
  readonly pollMs: number;
  /** From `drain` to Stop, which cancels the vendor's work. @default 600 000 */
  readonly graceMs: number;
  /** Objects that are worked on at the same time. @default 10, as core */
  readonly atOnce: number;
}
/** What the safe operations share. */
export interface Run {
  readonly vendors: VendorPool;
  readonly journal: Journal;
  readonly lookups: Lookups;
  readonly log: Log;
  readonly pace: Pace;
  /** Since when nothing of an earlier run was sent; see `lookUpSettled`. */
  readonly since: number;
  readonly draining: () => boolean;
}

export const stopped = (address: string): Diagnostic =>
  error("Stopped", `${address} was not begun: Terraform asked the provider to stop. The next apply goes on here.`);

export async function configHash(vendor: Vendor, plan: ObjectPlan): Promise<string> {
  const { type } = await vendor.schema(plan.type);
  return createHash("sha256").update(stateJson(type, plan.config)).digest("hex");
}

/** Carries out the intent with a line before and a line after it. A journal that cannot be written stops the work. */
export async function journaled(
  run: Run,
  address: string,
  plan: ObjectPlan,
  action: "create" | "update" | "delete",
  work: (vendor: Vendor) => Promise<Applied>,
): Promise<Applied> {
  let vendor: Vendor;
  let n: number;
  try {
    vendor = await run.vendors.get();
    const hash = plan.config === null ? "" : await configHash(vendor, plan);
    n = run.journal.begin({ address, type: plan.type, action, hash, id: idOf(plan.prior), vendor: vendor.process });
  } catch (cause) {
    return { outcome: "failed", state: plan.prior, diagnostics: [notBegun(address, cause)] };
  }
  const applied = await work(vendor);
  run.journal.end({ n, outcome: applied.outcome, id: idOf(applied.state) });
  return applied;
}

function notBegun(address: string, cause: unknown): Diagnostic {
  const code = (cause as NodeJS.ErrnoException).code;
  if (cause instanceof VendorProblem || code === undefined) return lostDiagnostic(cause);
  return error(
    "The journal cannot be written",
    `${address} was not begun, because an interruption would lose it: ${(cause as Error).message}.`,
  );
}

export const idOf = (state: ObjectState | null): string | null => {
  const id = state?.value.id ?? null;
  return typeof id === "string" && id !== "" ? id : null;
};
