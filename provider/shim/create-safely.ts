// Creates an object exactly once, whatever is lost on the way: what an earlier attempt made is adopted, and made again only
// when it is certain that there is none.
import { setTimeout as sleep } from "node:timers/promises";
import { type Diagnostic, error, warning } from "../framework/diagnostic.js";
import { destroySafely } from "./change-safely.js";
import type { Applied, Found, Lookup, ObjectPlan, ObjectState, Seen } from "./instance-types.js";
import { adoptObject, applyObject, planDestroy, readObject } from "./object.js";
import { configHash, idOf, journaled, type Run, stopped } from "./run.js";
import { lookUpSettled } from "./settle.js";

/** How often an object is made in one run: once, and again after an attempt that certainly left nothing. */
const mostAttempts = 3;

export async function createSafely(run: Run, address: string, plan: ObjectPlan): Promise<Applied> {
  const lookup = run.lookups[plan.type];
  const earlier = await adoptEarlier(run, address, plan, lookup);
  if (earlier !== null) return earlier;
  const told: Diagnostic[] = [];
  for (let attempt = 1; ; attempt += 1) {
    if (run.draining()) return { outcome: "failed", state: null, diagnostics: [...told, stopped(address)] };
    const applied = await journaled(run, address, plan, "create", (vendor) => applyObject(vendor, plan));
    const next = await judge(run, address, plan, lookup, applied);
    if (next !== "again") return { ...next, diagnostics: [...told, ...next.diagnostics] };
    if (attempt === mostAttempts) return { outcome: "failed", state: null, diagnostics: [...told, ...applied.diagnostics] };
    told.push(...asWarnings(applied.diagnostics));
    run.log("info", `${address}: nothing was left of attempt ${attempt}, it is made again`);
  }
}

const asWarnings = (diagnostics: readonly Diagnostic[]): readonly Diagnostic[] =>
  diagnostics.map((d) => (d.severity === "warning" ? d : { ...d, severity: "warning" as const }));

/** What to answer, or "again": it is certain that there is no object. */
async function judge(
  run: Run,
  address: string,
  plan: ObjectPlan,
  lookup: Lookup | undefined,
  applied: Applied,
): Promise<Applied | "again"> {
  if (applied.outcome === "done") return applied;
  if (applied.state !== null) {
    // made, and then something went wrong; it may still come right
    if (!lookup?.ready) return applied;
    const settled = await settle(run, address, plan, lookup, applied.state);
    return settled === null
      ? "again"
      : settled.outcome === "done"
        ? recovered(settled, applied)
        : { ...settled, diagnostics: applied.diagnostics };
  }
  if (applied.outcome === "failed") return applied;
  if (!lookup) return { ...applied, diagnostics: [...applied.diagnostics, cannotLook(address, plan)] };
  const found = await look(run, plan, lookup, Date.now());
  const adopted = await adoptFound(run, address, plan, lookup, found);
  if (adopted === null) return "again";
  return adopted.outcome === "done"
    ? recovered(adopted, applied)
    : { ...adopted, diagnostics: [...applied.diagnostics, ...adopted.diagnostics] };
}

const recovered = (now: Applied, before: Applied): Applied => ({
  ...now,
  diagnostics: [...asWarnings(before.diagnostics), ...now.diagnostics],
});

const cannotLook = (address: string, { type }: ObjectPlan): Diagnostic =>
  warning(
    "An object may exist that nobody knows",
    `Nothing tells whether ${address} was made: a ${type} cannot be found by its name. Look for it in your cloud before the next apply.`,
  );

const look = (run: Run, plan: ObjectPlan, lookup: Lookup, since: number): Promise<Found> =>
  lookUpSettled(run.vendors.get, lookup, plan.planned ?? {}, { since, settleMs: run.pace.settleMs });

/** With another vendor when the one that was asked died of it. */
async function adopt(run: Run, plan: ObjectPlan, id: string): Promise<Seen> {
  for (;;) {
    const vendor = await run.vendors.get();
    const seen = await adoptObject(vendor, plan, id);
    if (seen.outcome !== "unknown" || vendor.alive()) return seen;
  }
}

/** What a run before this one made, or may have made. null: nothing, make it. */
async function adoptEarlier(run: Run, address: string, plan: ObjectPlan, lookup: Lookup | undefined): Promise<Applied | null> {
  const open = run.journal.open.get(address);
  const mine = open?.intent.type === plan.type && open.intent.action !== "delete" ? open : undefined;
  if (mine?.id) {
    // the vendor did answer; only the state was never written
    const known: Found = { kind: "ids", ids: [mine.id], hashes: { [mine.id]: mine.intent.hash } };
    const adopted = await adoptFound(run, address, plan, lookup, known);
    if (adopted !== null) return adopted;
  }
  if (!lookup) {
    const mayExist = mine !== undefined && mine.id === null;
    return mayExist
      ? { outcome: "unknown", state: null, diagnostics: [error("An interrupted create", cannotLook(address, plan).detail)] }
      : null;
  }
  // without a word of the journal one look is enough: nothing is on its way
  const found = await look(run, plan, lookup, mine ? run.since : 0);
  const hashes = found.kind === "ids" && mine ? Object.fromEntries(found.ids.map((id) => [id, mine.intent.hash])) : {};
  return adoptFound(run, address, plan, lookup, found.kind === "ids" ? { ...found, hashes: { ...hashes, ...found.hashes } } : found);
}

async function adoptFound(run: Run, address: string, plan: ObjectPlan, lookup: Lookup | undefined, found: Found): Promise<Applied | null> {
  if (found.kind === "none") return null;
  if (found.kind === "unknown") return { outcome: "unknown", state: null, diagnostics: found.diagnostics };
  const [first, ...others] = found.ids;
  for (const id of others) {
    run.log("warn", `${address}: a second ${plan.type} of this name, ${id}, is removed`);
    const removed = await removeFound(run, address, plan, id);
    if (removed !== null) return removed;
  }
  if (first === undefined) return null;
  const vendor = await run.vendors.get();
  const hash = found.hashes?.[first];
  if (hash !== undefined && hash !== (await configHash(vendor, plan))) {
    run.log("info", `${address}: ${first} was made of another configuration and is made anew`);
    return removeFound(run, address, plan, first);
  }
  const seen = await adopt(run, plan, first);
  if (seen.outcome === "gone") return null;
  if (seen.state === null || seen.outcome === "unknown") return { outcome: "unknown", state: null, diagnostics: seen.diagnostics };
  run.log("info", `${address}: ${first} was made by an interrupted attempt and is adopted`);
  const applied = lookup?.ready ? await settle(run, address, plan, lookup, seen.state) : done(seen.state, seen.diagnostics);
  if (applied !== null) journalAdopted(run, address, plan, applied.state, await configHash(vendor, plan));
  return applied;
}

const done = (state: ObjectState, diagnostics: readonly Diagnostic[]): Applied => ({ outcome: "done", state, diagnostics });

function journalAdopted(run: Run, address: string, plan: ObjectPlan, state: ObjectState | null, hash: string): void {
  const id = idOf(state);
  const n = run.journal.begin({ address, type: plan.type, action: "create", hash, id, vendor: null });
  run.journal.end({ n, outcome: "done", id });
}

/** null: it is gone. */
async function removeFound(run: Run, address: string, plan: ObjectPlan, id: string): Promise<Applied | null> {
  const seen = await adopt(run, plan, id);
  if (seen.outcome === "gone") return null;
  if (seen.state === null || seen.outcome === "unknown") return { outcome: "unknown", state: null, diagnostics: seen.diagnostics };
  const removed = await destroySafely(run, address, planDestroy(plan.type, seen.state));
  return removed.outcome === "done" ? null : removed;
}

/** Waits until the object has come to rest. null: it never would, and is removed. */
async function settle(run: Run, address: string, plan: ObjectPlan, lookup: Lookup, first: ObjectState): Promise<Applied | null> {
  let state = first;
  const until = Date.now() + run.pace.readyMs;
  for (;;) {
    const seen = await readObject(await run.vendors.get(), plan.type, state);
    if (seen.outcome === "gone") return null;
    state = seen.state ?? state;
    const verdict = seen.outcome === "unknown" ? "wait" : (lookup.ready?.(state.value) ?? "ready");
    if (verdict === "ready") return done(state, seen.diagnostics);
    if (verdict === "failed") {
      const removed = await destroySafely(run, address, planDestroy(plan.type, state));
      return removed.outcome === "done" ? null : removed;
    }
    if (Date.now() >= until || run.draining())
      return { outcome: "failed", state, diagnostics: seen.diagnostics.length > 0 ? seen.diagnostics : [notReady(run, address)] };
    await sleep(run.pace.pollMs);
  }
}

const notReady = (run: Run, address: string): Diagnostic =>
  error(
    "An object did not come to rest",
    `${address} exists, but was not ready after ${Math.round(run.pace.readyMs / 1000)} s. The next apply looks at it again.`,
  );
