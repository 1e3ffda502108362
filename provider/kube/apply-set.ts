// A named set of objects, kept whole: everything in it is applied by server-side apply, and what the set had before and
// has no more is deleted. The inventory (a ConfigMap) is widened before the first write and narrowed after the last
// delete, so that an interrupted run never forgets an object.
import type { CallOptions, KubeClient } from "./client.js";
import { type KubeObject, keyOf, type ObjectKey, systemNamespace, wordKey } from "./object.js";
import { type Failure, failed, isNotFound, type Outcome, ok } from "./outcome.js";

export interface ApplySet {
  /** Name of the inventory ConfigMap. */
  readonly inventory: string;
  readonly objects: readonly KubeObject[];
  /** Asked before each object; what it waits for may need those before it. */
  readonly before?: (object: KubeObject) => Promise<Outcome<unknown>>;
}
export interface Applied {
  readonly applied: number;
  readonly pruned: readonly ObjectKey[];
}

const text = (key: ObjectKey): string => [key.apiVersion, key.kind, key.namespace ?? "", key.name].join(" ");

function keyFrom(line: string): ObjectKey | undefined {
  const [apiVersion, kind, namespace, name] = line.split(" ");
  if (!apiVersion || !kind || !name) return undefined;
  return namespace ? { apiVersion, kind, namespace, name } : { apiVersion, kind, name };
}

export async function applySet(client: KubeClient, set: ApplySet, options: CallOptions = {}): Promise<Outcome<Applied>> {
  const wanted = set.objects.map(keyOf);
  const before = await readInventory(client, set.inventory, options);
  if (!before.ok) return before;
  const widened = await writeInventory(client, set.inventory, [...before.value, ...wanted], options);
  if (!widened.ok) return widened;

  for (const object of set.objects) {
    const may = (await set.before?.(object)) ?? ok(undefined);
    if (!may.ok) return may;
    const done = await applyOne(client, object, options);
    if (!done.ok) return named(done.failure, `could not apply ${wordKey(keyOf(object))}`);
  }
  const names = new Set(wanted.map(text));
  const pruned = before.value.filter((key) => !names.has(text(key)));
  for (const key of pruned.toReversed()) {
    const gone = await client.delete(key, options);
    // A kind that the cluster serves no more has no objects left.
    if (!gone.ok && !isNotFound(gone.failure)) return named(gone.failure, `could not delete ${wordKey(key)}`);
  }
  const narrowed = await writeInventory(client, set.inventory, wanted, options);
  return narrowed.ok ? ok({ applied: wanted.length, pruned }) : narrowed;
}

/** A role binding's roleRef cannot be changed: such an object is made anew. */
async function applyOne(client: KubeClient, object: KubeObject, options: CallOptions): Promise<Outcome<KubeObject>> {
  const first = await client.apply(object, options);
  const immutable = !first.ok && first.failure.kind === "status" && first.failure.status === 422 && object.kind.endsWith("RoleBinding");
  if (!immutable) return first;
  const gone = await client.delete(keyOf(object), options);
  return gone.ok ? client.apply(object, options) : gone;
}

async function readInventory(client: KubeClient, name: string, options: CallOptions): Promise<Outcome<readonly ObjectKey[]>> {
  const found = await client.get({ apiVersion: "v1", kind: "ConfigMap", namespace: systemNamespace, name }, options);
  if (!found.ok) return found;
  const lines = String((found.value?.data as Record<string, unknown> | undefined)?.objects ?? "").split("\n");
  return ok(lines.flatMap((line) => keyFrom(line) ?? []));
}

function writeInventory(client: KubeClient, name: string, keys: readonly ObjectKey[], options: CallOptions): Promise<Outcome<KubeObject>> {
  const lines = [...new Set(keys.map(text))];
  return client.apply(
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: systemNamespace }, data: { objects: `${lines.join("\n")}\n` } },
    options,
  );
}

const named = (failure: Failure, what: string): { readonly ok: false; readonly failure: Failure } =>
  failed({ ...failure, message: `${what}: ${failure.message}` });
