// Updates and destroys of one object when answers are lost: the object itself is asked what has become of it.
import { setTimeout as sleep } from "node:timers/promises";
import { type Diagnostic, error } from "../framework/diagnostic.js";
import type { Applied, ObjectPlan, ObjectState, Seen } from "./instance-types.js";
import { applyObject, destroyObject, planObject, readObject } from "./object.js";
import { worthAnotherTry } from "./refusal.js";
import { journaled, type Run, stopped } from "./run.js";

const mostAttempts = 4;

/** Retries while something still uses the object; an object that is not there any more is destroyed. */
export async function destroySafely(run: Run, address: string, plan: ObjectPlan): Promise<Applied> {
  let state = plan.prior;
  if (state === null) return { outcome: "done", state: null, diagnostics: [] };
  for (let attempt = 1; ; attempt += 1) {
    const here: ObjectState = state;
    const applied = await journaled(run, address, { ...plan, prior: here }, "delete", (vendor) => destroyObject(vendor, plan.type, here));
    if (applied.outcome === "done") return applied;
    const seen = await see(run, plan.type, applied.state ?? here);
    if (seen.outcome === "gone") return { outcome: "done", state: null, diagnostics: [] };
    state = seen.state ?? here;
    const last = attempt === mostAttempts || run.draining() || !worthAnotherTry(applied.diagnostics);
    if (last) return { outcome: seen.outcome === "unknown" ? "unknown" : "failed", state, diagnostics: applied.diagnostics };
    run.log("info", `${address} could not be removed yet, attempt ${attempt} of ${mostAttempts}`);
    await sleep(run.pace.pollMs * 2 ** (attempt - 1));
  }
}

/** With another vendor when the one that was asked died of it. */
async function see(run: Run, type: string, state: ObjectState): Promise<Seen> {
  for (;;) {
    const vendor = await run.vendors.get();
    const seen = await readObject(vendor, type, state);
    if (seen.outcome !== "unknown" || vendor.alive()) return seen;
  }
}

/** An update whose answer is lost is planned again from what the object then is. */
export async function updateSafely(run: Run, address: string, first: ObjectPlan): Promise<Applied> {
  let plan = first;
  for (let attempt = 1; ; attempt += 1) {
    const current = plan;
    const applied = await journaled(run, address, current, "update", (vendor) => applyObject(vendor, current));
    if (applied.outcome !== "unknown" || current.prior === null || current.config === null) return applied;
    await sleep(run.pace.settleMs);
    const seen = await see(run, current.type, current.prior);
    if (seen.outcome === "gone") return { outcome: "failed", state: null, diagnostics: [...applied.diagnostics, vanished(address)] };
    if (seen.outcome === "unknown" || seen.state === null) return applied;
    const again = await planObject(await run.vendors.get(), current.type, current.config, seen.state);
    if (again.plan?.action === "no-op") return { outcome: "done", state: seen.state, diagnostics: [] };
    const failed = { outcome: "failed", state: seen.state } as const;
    if (run.draining()) return { ...failed, diagnostics: [...applied.diagnostics, stopped(address)] };
    if (again.plan?.action !== "update" || attempt === mostAttempts)
      return { ...failed, diagnostics: [...applied.diagnostics, ...again.diagnostics] };
    plan = again.plan;
  }
}

const vanished = (address: string): Diagnostic =>
  error("An object vanished while it was changed", `${address} is not there any more. The next apply makes it anew.`);
