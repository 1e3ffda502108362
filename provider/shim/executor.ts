// Carries out plans so that no object is lost: every call stands in the journal before and after it, and an answer that is lost
// is looked for before anything is made again.
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../framework/resource.js";
import type { ObjectValue } from "../framework/value.js";
import { destroySafely, updateSafely } from "./change-safely.js";
import { createSafely } from "./create-safely.js";
import type { Applied, Executor, Known, Lookups, ObjectPlan, Stray } from "./instance-types.js";
import type { Journal } from "./journal.js";
import { createAlone, lostDiagnostic, planDestroy } from "./object.js";
import { stillRunning } from "./process-identity.js";
import { type Pace, type Run, stopped } from "./run.js";
import type { VendorPool } from "./vendor-pool.js";

const usual: Pace = { settleMs: 10_000, readyMs: 600_000, pollMs: 2000, graceMs: 600_000, atOnce: 10 };

export interface ExecutorOptions {
  readonly vendors: VendorPool;
  readonly journal: Journal;
  readonly lookups: Lookups;
  readonly log: Log;
  readonly pace?: Partial<Pace>;
}

export function createExecutor(options: ExecutorOptions): Executor {
  const pace = { ...usual, ...options.pace };
  let draining = false;
  let since = Date.now();
  const inFlight = new Set<Promise<unknown>>();
  const waiting: (() => void)[] = [];
  const run = (): Run => ({ ...options, pace, since, draining: () => draining });

  const limited = async (work: () => Promise<Applied>): Promise<Applied> => {
    while (inFlight.size >= pace.atOnce) await new Promise<void>((free) => waiting.push(free));
    const job = work();
    inFlight.add(job);
    try {
      return await job;
    } finally {
      inFlight.delete(job);
      waiting.shift()?.();
    }
  };

  const carryOut = async (address: string, plan: ObjectPlan): Promise<Applied> => {
    if (plan.action === "no-op") return { outcome: "done", state: plan.prior, diagnostics: [] };
    if (draining) return { outcome: "failed", state: plan.prior, diagnostics: [stopped(address)] };
    if (plan.action === "create") return createSafely(run(), address, plan);
    if (plan.action === "update") return updateSafely(run(), address, plan);
    if (plan.prior === null) return { outcome: "done", state: null, diagnostics: [] };
    const destroyed = await destroySafely(run(), address, planDestroy(plan.type, plan.prior));
    if (plan.action === "delete" || destroyed.outcome !== "done") return destroyed;
    if (draining) return { outcome: "failed", state: null, diagnostics: [...destroyed.diagnostics, stopped(address)] };
    const created = await createSafely(run(), address, createAlone(plan));
    return { ...created, diagnostics: [...destroyed.diagnostics, ...created.diagnostics] };
  };

  return {
    async ready() {
      const open = [...options.journal.open.values()];
      if (open.length === 0) return;
      since = Date.now();
      for (const { intent } of open) {
        if (intent.vendor === null || stillRunning(intent.vendor) !== true) continue;
        options.log("warn", `ending process ${intent.vendor.pid}: it is the vendor's provider of a run that was killed`);
        process.kill(intent.vendor.pid, "SIGKILL");
      }
      options.log(
        "info",
        `an earlier run was interrupted: waiting ${Math.round(pace.settleMs / 1000)} s until what it sent has come to rest`,
      );
      await sleep(pace.settleMs);
    },
    apply: (address, plan) => limited(() => carryOut(address, plan).catch((cause) => givenUp(plan, cause))),
    strays: (objects) => findStrays(options, objects),
    settled: (addresses) => options.journal.forget(addresses),
    async drain() {
      draining = true;
      const ended = async (): Promise<boolean> => {
        while (inFlight.size > 0) await Promise.allSettled(inFlight);
        return true;
      };
      const cancel = new AbortController();
      const patience = sleep(pace.graceMs, false, { signal: cancel.signal }).catch(() => false);
      const over = await Promise.race([ended(), patience]);
      cancel.abort();
      if (over) return;
      options.log("warn", "the vendor's work has not ended in time and is cancelled; what it leaves is looked for");
      await (await options.vendors.get()).stop();
      await ended();
    },
  };
}

/** The vendor keeps dying in the middle of it: what is in the cloud stays for the next run to look for. */
const givenUp = (plan: ObjectPlan, cause: unknown): Applied => ({
  outcome: "unknown",
  state: plan.prior,
  diagnostics: [lostDiagnostic(cause)],
});

async function findStrays({ vendors, lookups }: ExecutorOptions, objects: readonly Known[]): Promise<readonly Stray[]> {
  const found = objects.map(async ({ address, type, wanted, id }): Promise<readonly Stray[]> => {
    const lookup = lookups[type];
    if (!lookup) return [];
    const answer = await lookup.find(await vendors.get(), wanted as ObjectValue);
    return answer.kind === "ids" ? answer.ids.filter((other) => other !== id).map((other) => ({ address, type, id: other })) : [];
  });
  return (await Promise.all(found)).flat();
}
