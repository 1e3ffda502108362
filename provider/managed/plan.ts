// Plan of all objects of a managed resource: each in its turn, with what is known of those that it needs.
import type { VendorResource } from "../../constructs/iaas/resource.js";
import { type Diagnostic, error } from "../framework/diagnostic.js";
import { equalValues } from "../framework/equal.js";
import { type ObjectValue, type Unknown, unknown, type Value } from "../framework/value.js";
import type { Action, Change } from "./change.js";
import { readData } from "./data.js";
import { type Evaluate, evaluateAtPlan } from "./expression.js";
import { createdFirst, dependenciesOf, inOrder } from "./graph.js";
import type { Instance, Inventory } from "./instance.js";
import { attributeAt, type LookUp, resolveArgs } from "./resolve.js";
import type { Planned, Vendor, VendorOf } from "./vendor.js";
import { orDiagnostics } from "./vendor-lost.js";

export interface PlanInput {
  readonly resources: readonly VendorResource[];
  readonly inventory: Inventory;
  readonly vendorOf: VendorOf;
  /** What stands outside of these resources and is referred to by them. */
  readonly outside: LookUp;
  /** What a vendor is told that it kept of an object. @default as it was kept */
  readonly privateFor?: (instance: Instance) => unknown;
}
export interface Plan {
  /** In the order in which they come to be; what goes stands last. */
  readonly changes: readonly Change[];
  /** By name, what data sources said. */
  readonly read: ReadonlyMap<string, ObjectValue>;
  readonly diagnostics: readonly Diagnostic[];
}

export async function planAll(input: PlanInput): Promise<Plan> {
  const { resources, inventory, outside } = input;
  const values = new Map<string, ObjectValue | Unknown>();
  const read = new Map<string, ObjectValue>();
  const lookUp: LookUp = (name) => values.get(name) ?? outside(name);
  const first = createdFirst(resources, (name) => inventory[name]?.current?.dependencies ?? []);
  const changes: Change[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const resource of inOrder(resources)) {
    const { name } = resource;
    // what could not be planned has said so itself; those that need it are not to say it again
    values.set(name, unknown);
    const step = async (): Promise<readonly Diagnostic[]> => {
      if (resource.data) {
        const { state, diagnostics: told } = await readData(input.vendorOf(resource.type), resource, lookUp);
        if (state) read.set(name, state);
        if (state) values.set(name, state);
        return told;
      }
      const prior = inventory[name]?.current ?? null;
      const one = await planOne(input, resource, prior, lookUp, first.has(name));
      changes.push(one.change);
      if (one.change.planned) values.set(name, one.change.planned);
      return one.diagnostics;
    };
    diagnostics.push(...(await orDiagnostics(step)));
  }
  const wanted = new Set(resources.map(({ name }) => name));
  for (const [name, { current, deposed }] of Object.entries(inventory)) {
    const gone = [
      ...(current && !wanted.has(name) ? [{ instance: current, old: false }] : []),
      ...deposed.map((instance) => ({ instance, old: true })),
    ];
    for (const { instance, old } of gone) {
      const step = async (): Promise<readonly Diagnostic[]> => {
        const one = await planDestroy(input, name, instance, old);
        changes.push(one.change);
        return one.diagnostics;
      };
      diagnostics.push(...(await orDiagnostics(step)));
    }
  }
  return { changes, read, diagnostics };
}

/** The configuration of a resource: its arguments with references looked up, less what it ignores. `prior` null: a new object. */
export async function configOf(
  vendor: Vendor,
  { type, args, lifecycle }: VendorResource,
  prior: Instance | null,
  lookUp: LookUp,
  evaluate: Evaluate = evaluateAtPlan,
): Promise<ObjectValue> {
  const config = await vendor.config(type, resolveArgs(args, lookUp, evaluate));
  if (!prior || !lifecycle?.ignoreChanges?.length) return config;
  const kept = lifecycle.ignoreChanges.map((name): [string, Value] => [name, prior.attributes[name] ?? null]);
  return { ...config, ...Object.fromEntries(kept) };
}

interface One {
  readonly change: Change;
  readonly diagnostics: readonly Diagnostic[];
}

async function planOne(
  input: PlanInput,
  resource: VendorResource,
  prior: Instance | null,
  lookUp: LookUp,
  createFirst: boolean,
): Promise<One> {
  const { vendorOf, privateFor = ({ private: held }) => held } = input;
  const { type, name } = resource;
  const vendor = vendorOf(type);
  // a new object keeps nothing of the old one, not even what its changes are ignored of
  const fresh = async (held: unknown): Promise<Planned> =>
    vendor.plan({ type, prior: null, config: await configOf(vendor, resource, null, lookUp), private: held });
  const change = (action: Action, planned: ObjectValue | null, destroyPrivate: unknown): Change => ({
    ...{ name, type, action, resource, prior, deposed: false, createFirst, planned, destroyPrivate },
    dependencies: dependenciesOf(resource),
  });
  if (!prior) {
    const { planned, diagnostics } = await fresh({});
    return { change: change("create", planned, {}), diagnostics };
  }
  // half made: it goes, and another comes
  if (prior.tainted) {
    const { planned, private: held, diagnostics } = await fresh({});
    return { change: change("replace", planned, held), diagnostics: [...diagnostics, ...refusal(resource, "replace")] };
  }
  const before = await vendor.upgrade(type, prior.attributes, prior.schema_version);
  const kept = { ...prior, attributes: before };
  const config = await configOf(vendor, resource, kept, lookUp);
  const plan = await vendor.plan({ type, prior: before, config, private: privateFor(prior) });
  if (plan.diagnostics.some((d) => d.severity === "error")) return { change: change("no-op", before, null), diagnostics: plan.diagnostics };
  if (plan.replace || isTriggered(input, resource, lookUp)) {
    const second = await fresh(plan.private);
    const diagnostics = [...plan.diagnostics, ...second.diagnostics, ...refusal(resource, "replace")];
    return { change: { ...change("replace", second.planned, second.private), prior: kept }, diagnostics };
  }
  const same = plan.planned !== null && (await vendor.equal(type, before, plan.planned));
  return { change: { ...change(same ? "no-op" : "update", plan.planned, null), prior: kept }, diagnostics: plan.diagnostics };
}

/** What the resource is to be made anew for is about to change. */
const isTriggered = ({ inventory }: PlanInput, { lifecycle }: VendorResource, lookUp: LookUp): boolean =>
  (lifecycle?.replaceTriggeredBy ?? []).some(({ resource, attribute }) => {
    const before = inventory[resource]?.current?.attributes;
    const now = lookUp(resource);
    return before !== undefined && now !== undefined && !equalValues(attributeAt(before, attribute), attributeAt(now, attribute));
  });

export async function planDestroy(
  { vendorOf }: Pick<PlanInput, "vendorOf">,
  name: string,
  prior: Instance,
  deposed: boolean,
): Promise<One> {
  const { type, dependencies } = prior;
  const vendor = vendorOf(type);
  const attributes = await vendor.upgrade(type, prior.attributes, prior.schema_version);
  const held = prior.tainted ? {} : prior.private;
  const { private: destroyPrivate, diagnostics } = await vendor.plan({ type, prior: attributes, config: null, private: held });
  const change: Change = {
    ...{ name, type, action: "delete", resource: null, prior, deposed, createFirst: false, planned: null, destroyPrivate, dependencies },
  };
  return { change, diagnostics };
}

/** A replacement that would lose what cannot be made again. */
const refusal = ({ name, type, lifecycle }: VendorResource, action: Action): readonly Diagnostic[] =>
  lifecycle?.preventDestroy && action === "replace"
    ? [
        error(
          "A protected block would be replaced",
          `${name} (${type}) would be destroyed and made anew, and with it what it holds. deletion_protection forbids that; take the change back, or set deletion_protection = false and apply first.`,
        ),
      ]
    : [];
