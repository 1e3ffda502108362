// What both managed resources do with their objects: plan them, turn the crank, read them, take them away.
import type { Member } from "../../../constructs/blueprint/blueprint.js";
import type { ClusterSpec } from "../../../constructs/spec/gen/spec.js";
import { type Diagnostic, error, warning } from "../../framework/diagnostic.js";
import type { Context } from "../../framework/resource.js";
import { isUnknown, type ObjectValue, unknown, type Value } from "../../framework/value.js";
import { applyAll } from "../../managed/apply.js";
import type { Action } from "../../managed/change.js";
import { type Cranked, crank, pendingOf, reasonsOf } from "../../managed/crank.js";
import { blocksOf, forecast } from "../../managed/forecast.js";
import { type Inventory, Ledger } from "../../managed/instance.js";
import { type Plan, planAll, planDestroy } from "../../managed/plan.js";
import { folded, refreshAll } from "../../managed/refresh.js";
import type { LookUp } from "../../managed/resolve.js";
import { stepsOf } from "../../managed/steps.js";
import type { Evaluated } from "./evaluate.js";
import { type Makers, moving, roundContext } from "./session.js";
import { currentStock, forgetUnsaved, keepUnsaved, stockOf, unsavedPath } from "./unsaved.js";

export const inventoryOf = (value: ObjectValue | null): Inventory => stockOf(value).objects;

export interface Wanted extends Evaluated {
  readonly outside: LookUp;
  /** Everything outside is known. */
  readonly known: boolean;
}

export interface WorkPlan {
  /** What the first look says; its errors and warnings are the user's. */
  readonly now: Plan;
  /** Something would be done. */
  readonly moves: boolean;
  /** blocks, steps and what only the apply can tell. */
  readonly outcome: ObjectValue;
  readonly diagnostics: readonly Diagnostic[];
}

const rows = (changes: Plan["changes"]): Value => blocksOf(changes).map((block) => ({ ...block }));

export async function planWork(wanted: Wanted, inventory: Inventory, context: Context, makers: Makers): Promise<WorkPlan> {
  const { resources, outside, members, known } = wanted;
  const input = { resources, inventory, outside, vendorOf: makers(context, wanted.spec) };
  const now = await planAll(input);
  const fresh = Object.keys(inventory).length === 0;
  const all = fresh ? now : await forecast(input);
  // ids that are only known after apply may or may not be what they were
  const told = fresh || known;
  return {
    now,
    moves: now.changes.some(({ action }) => action !== "no-op"),
    outcome: {
      blocks: told ? rows(all.changes) : unknown,
      steps: told ? stepsOf({ blueprint: wanted.blueprint, changes: all.changes, members }) : unknown,
      ...{ pending: unknown, status: unknown, versions: unknown, inventory: unknown },
    },
    diagnostics: folded(now.diagnostics),
  };
}

export interface Work {
  readonly ledger: Ledger;
  readonly cranked: Cranked;
  /** Values of what the crank left. */
  readonly outcome: ObjectValue;
  readonly failed: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    if (signal.aborted) return done();
    const over = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", over);
      done();
    };
    const timer = setTimeout(over, ms);
    signal.addEventListener("abort", over);
  });

export interface WorkOptions {
  readonly makers: Makers;
  readonly context: Context;
  /** Null: a create. */
  readonly prior: ObjectValue | null;
  readonly planned: ObjectValue;
  /** Of the files beside the log: "prod", "prod-workers". */
  readonly key: string;
  readonly timeoutMs: number;
  readonly versions: (ledger: Ledger, context: Context) => Promise<Value>;
}

/** Notes of a create may be of a cluster that was destroyed from another computer since: then nothing of it stands, and keys of a cluster that lived give birth to none. */
async function stands(objects: Inventory, spec: ClusterSpec, context: Context, makers: Makers): Promise<boolean> {
  const ledger = new Ledger(objects);
  await refreshAll({ ledger, vendorOf: makers(roundContext(context), spec), signal: context.signal, only: ({ type }) => !moving(type) });
  return ledger.names().some((name) => !moving(ledger.current(name)?.type ?? ""));
}

export async function turnCrank(wanted: Wanted, options: WorkOptions): Promise<Work> {
  const { context, prior, planned, timeoutMs, makers, key } = options;
  const path = unsavedPath(key);
  const found = currentStock(prior, path);
  const lost = found.lost && (prior !== null || (await stands(found.stock.objects, wanted.spec, context, makers)));
  const stock = found.lost && !lost ? stockOf(null) : found.stock;
  const serial = stockOf(prior).serial + 1;
  const ledger = new Ledger(stock.objects, (objects) => keepUnsaved(path, { serial, objects }));
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(timeoutMs)]);
  const inner: Context = { ...context, signal };
  const cranked = await crank({
    ...{ resources: wanted.resources, ledger, outside: wanted.outside, signal, sleep, moving },
    vendorsOf: () => makers(roundContext(inner), wanted.spec),
    log: (message) => context.log("info", message, { cluster: wanted.spec.name }),
  });
  const failed = cranked.diagnostics.some((d) => d.severity === "error");
  const { pending, did } = cranked;
  const blocks = isUnknown(planned.blocks) ? doneBlocks(ledger, did) : (planned.blocks ?? null);
  const outcome: ObjectValue = {
    blocks,
    steps: isUnknown(planned.steps) ? doneSteps(wanted, ledger, did) : (planned.steps ?? null),
    pending,
    status: failed ? "FAILED" : pending.length > 0 ? "PENDING" : "ACTIVE",
    versions: await options.versions(ledger, roundContext({ ...context, signal: AbortSignal.timeout(10_000) })),
    inventory: JSON.stringify({ serial, objects: ledger.inventory() }),
  };
  const waits = pending.length > 0 && !failed ? [pendingWarning(wanted.spec.name, cranked)] : [];
  const other = failed || lost || pending.length > 0 ? [] : differences(planned.blocks ?? null, did);
  const taken = lost ? [takenOver(wanted.spec.name, Object.keys(stock.objects).length)] : [];
  const diagnostics = [...taken, ...cranked.diagnostics, ...waits, ...(other.length > 0 ? [otherThanPlanned(other)] : [])];
  return { ledger, cranked, outcome, failed, diagnostics };
}

const doneBlocks = (ledger: Ledger, did: ReadonlyMap<string, Action>): Value =>
  [...new Set([...ledger.names(), ...did.keys()])].sort().map((name) => ({
    name,
    type: ledger.current(name)?.type ?? null,
    action: did.get(name) ?? "no-op",
  }));

const doneSteps = ({ blueprint, members }: Wanted, ledger: Ledger, did: ReadonlyMap<string, Action>): Value =>
  stepsOf({
    blueprint,
    members,
    changes: [...did].map(([name, action]) => ({
      ...{ name, action, type: ledger.current(name)?.type ?? "", resource: null, prior: null, deposed: false },
      ...{ createFirst: false, planned: null, destroyPrivate: null, dependencies: [] },
    })),
  });

/** Lines in which the apply did something else than the plan had listed. */
function differences(blocks: Value, did: ReadonlyMap<string, Action>): readonly string[] {
  if (!Array.isArray(blocks)) return [];
  const listed = new Map((blocks as readonly ObjectValue[]).map(({ name, action }) => [String(name), String(action)]));
  return [...new Set([...listed.keys(), ...did.keys()])]
    .filter((name) => !name.endsWith(" (replaced before)"))
    .filter((name) => (listed.get(name) ?? "no-op") !== (did.get(name) ?? "no-op"))
    .map((name) => `${name}: ${listed.get(name) ?? "no-op"} was planned, ${did.get(name) ?? "no-op"} was done`)
    .sort();
}

export interface Looked {
  readonly ledger: Ledger;
  readonly inventory: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** Which of the clusters or groups, and what was understood of it. */
export interface Kept {
  /** See `WorkOptions`. */
  readonly key: string;
  /** See `Makers`. */
  readonly spec: ClusterSpec | null;
}

export async function readWork(state: ObjectValue, { key, spec }: Kept, context: Context, makers: Makers): Promise<Looked> {
  const { stock, lost } = currentStock(state, unsavedPath(key));
  const ledger = new Ledger(stock.objects);
  const { diagnostics } = await refreshAll({ ledger, vendorOf: makers(context, spec), signal: context.signal });
  const told = lost ? [takenOver(key, Object.keys(stock.objects).length)] : [];
  // of a lost apply the state has nothing yet: until it has, the file stands
  const serial = lost ? stock.serial - 1 : stock.serial;
  return { ledger, inventory: JSON.stringify({ serial, objects: ledger.inventory() }), diagnostics: [...told, ...diagnostics] };
}

export interface Taken {
  /** Null: nothing is left. */
  readonly inventory: string | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** Takes everything away, what depends on others first. */
export async function takeAway(
  prior: ObjectValue,
  { key, spec }: Kept,
  context: Context,
  timeoutMs: number,
  makers: Makers,
): Promise<Taken> {
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(timeoutMs)]);
  const path = unsavedPath(key);
  const { objects: inventory } = currentStock(prior, path).stock;
  const serial = stockOf(prior).serial + 1;
  const ledger = new Ledger(inventory, (objects) => keepUnsaved(path, { serial, objects }));
  const vendorOf = makers({ ...context, signal }, spec);
  const ends = Object.entries(inventory).flatMap(([name, { current, deposed }]) => [
    ...(current ? [planDestroy({ vendorOf }, name, current, false)] : []),
    ...deposed.map((instance) => planDestroy({ vendorOf }, name, instance, true)),
  ]);
  const planned = await Promise.all(ends);
  const diagnostics = planned.flatMap((one) => one.diagnostics);
  const plan: Plan = { changes: planned.map(({ change }) => change), read: new Map(), diagnostics };
  const log = (message: string): void => context.log("info", message);
  const applied = await applyAll({ plan, ledger, vendorOf, outside: () => undefined, signal, log });
  const left = ledger.names().length > 0;
  if (!left) forgetUnsaved(path);
  return {
    inventory: left ? JSON.stringify({ serial, objects: ledger.inventory() }) : null,
    diagnostics: folded([...diagnostics, ...applied.diagnostics]),
  };
}

/** What waits already before anything is done: the plan is empty, and says why. */
export const waitingNow = ({ now }: WorkPlan): readonly string[] => (pendingOf(now).length > 0 ? reasonsOf(now) : []);

export const namesOf = (members: readonly Member[]): readonly string[] => members.map(({ name }) => name);

const pendingWarning = (cluster: string, { pending, reasons }: Cranked): Diagnostic =>
  warning(
    "Machines wait for their new release",
    `Cluster ${cluster}: ${pending.join("; ")}. ${reasons.join(" ")} The next apply goes on where this one ended.`,
  );

const otherThanPlanned = (lines: readonly string[]): Diagnostic =>
  warning(
    "The apply did something else than the plan had listed",
    `${lines.join("; ")}. The cluster was another when it was applied than when it was planned.`,
  );

const takenOver = (cluster: string, count: number): Diagnostic =>
  warning(
    "An earlier apply was interrupted",
    `Cluster ${cluster}: Terraform never heard what it had made. ${count === 1 ? "1 object was" : `${count} objects were`} found in its own notes and taken over; nothing is made twice.`,
  );

export const continueHint = (address: string): string =>
  `What was made is kept in the state. Terraform marks a ${address} whose create failed as tainted and would make it anew: \`terraform untaint\` its address first, then the next apply goes on where this one ended.`;

export const failedCreate = (what: string): Diagnostic => error(`${what} is not complete`, continueHint(what.split(" ")[0] ?? what));
