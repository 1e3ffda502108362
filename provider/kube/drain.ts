// Empties a node before its machine goes: cordon, then evict through the eviction API, which honours PodDisruptionBudgets.
// Pods that a DaemonSet owns, mirrors of static pods and finished ones stay: they go with the machine. Bounded.
import type { KubeClient } from "./client.js";
import { agentStatus, isFresh } from "./node-status.js";
import { type KubeObject, node as nodeKey } from "./object.js";
import { type Failure, isNotFound, type Outcome, ok } from "./outcome.js";
import { done, notYet, poll } from "./poll.js";

export interface DrainOptions {
  readonly node: string;
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
  /** Told which pods a budget keeps, when it has kept them for `heldMs` and every five minutes after that. */
  readonly held?: (words: string) => Promise<void>;
  /** @default 15000 */
  readonly heldMs?: number;
  /** @default 1000 */
  readonly everyMs?: number;
}
export interface Drained {
  readonly evicted: number;
  /** Pods that were still there when the time was over, and why; empty = all went. */
  readonly left: readonly string[];
}

/** Undefined node = nothing to cordon. */
export async function cordon(client: KubeClient, name: string, unschedulable: boolean, signal?: AbortSignal): Promise<Outcome<boolean>> {
  const patched = await client.patch(nodeKey(name), { spec: { unschedulable: unschedulable || null } }, { signal });
  if (patched.ok) return ok(true);
  return isNotFound(patched.failure) ? ok(false) : patched;
}

export async function drain(client: KubeClient, options: DrainOptions): Promise<Outcome<Drained>> {
  const evicted = new Set<string>();
  const refused = new Map<string, string>();
  let unread: Failure | undefined;
  const tell = heldTeller(options);
  const look = async () => {
    const pods = await client.list("v1", "Pod", { fieldSelector: `spec.nodeName=${options.node}`, signal: options.signal });
    unread = pods.ok ? undefined : pods.failure;
    if (!pods.ok) return pods;
    const movable = pods.value.filter(mustLeave);
    const present = new Set(movable.map(wordPod));
    for (const pod of refused.keys()) if (!present.has(pod)) refused.delete(pod);
    if (movable.length === 0) return ok(done(undefined));
    const dead = await isDead(client, options.node, options.signal);
    if (!dead.ok) return dead;
    if (dead.value) {
      options.log(`${options.node} has died: nobody is there to confirm that its pods have stopped`);
      return ok(done(undefined));
    }
    for (const pod of movable) {
      const word = wordPod(pod);
      if (pod.metadata.deletionTimestamp) {
        refused.set(word, "is shutting down");
        continue;
      }
      const outcome = await evict(client, pod, options.signal);
      if (!outcome.ok) return outcome;
      if (outcome.value === null) {
        evicted.add(pod.metadata.uid ?? word);
        refused.set(word, "is shutting down");
      } else refused.set(word, outcome.value);
    }
    await tell([...refused].filter(([, why]) => why.startsWith(kept)).map(([pod, why]) => `${pod} ${why}`));
    return ok(notYet(`${movable.length} pods left on ${options.node}: ${words(refused)}`));
  };
  const { deadline, signal, log: progress, everyMs = 1_000 } = options;
  const waited = await poll(look, { what: `draining ${options.node}`, deadline, signal, progress, everyMs });
  if (waited.ok) return ok({ evicted: evicted.size, left: [] });
  // An API that went away has not said that the node is empty.
  if (waited.failure.kind !== "timeout" || unread) return waited;
  return ok({ evicted: evicted.size, left: [...refused].map(([pod, why]) => `${pod} ${why}`) });
}

const kept = "is kept by a PodDisruptionBudget";
const againMs = 5 * 60_000;

/** A budget that gives way within seconds is no news. */
function heldTeller({ held, heldMs = 15_000 }: DrainOptions): (pods: readonly string[]) => Promise<void> {
  let since: number | undefined;
  let told = 0;
  return async (pods) => {
    if (pods.length === 0) since = undefined;
    else since ??= Date.now();
    if (!held || since === undefined || Date.now() - since < heldMs || Date.now() - told < againMs) return;
    told = Date.now();
    await held(pods.slice(0, 3).join("; ") + (pods.length > 3 ? `; and ${pods.length - 3} more` : ""));
  };
}

/** The kubelet no longer reports and the agent neither: a machine that is gone, not one that is slow to stop its pods. */
async function isDead(client: KubeClient, name: string, signal: AbortSignal): Promise<Outcome<boolean>> {
  const found = await client.get(nodeKey(name), { signal });
  if (!found.ok) return found;
  if (found.value === undefined) return ok(false);
  // "Unknown" is the node controller's word for a kubelet that stopped reporting; a sick one says "False" itself
  const { conditions = [] } = (found.value.status ?? {}) as { conditions?: readonly { type: string; status: string }[] };
  const silent = conditions.some((c) => c.type === "Ready" && c.status === "Unknown");
  return ok(silent && !isFresh(agentStatus(found.value)?.at ?? null, Date.now()));
}

/** null = accepted or already gone; text = a budget forbids it now. */
async function evict(client: KubeClient, pod: KubeObject, signal: AbortSignal): Promise<Outcome<string | null>> {
  const { name, namespace = "default", uid } = pod.metadata;
  const body = {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name, namespace },
    // A pod of the same name that was made meanwhile is another pod.
    deleteOptions: { preconditions: { uid } },
  };
  const answer = await client.post({ apiVersion: "v1", kind: "Pod", name, namespace }, "eviction", body, { signal });
  if (answer.ok || isNotFound(answer.failure)) return ok(null);
  if (answer.failure.kind !== "status") return answer;
  if (answer.failure.status === 429) return ok(`${kept} (${answer.failure.message})`);
  // Conflict: the uid changed. Server errors (two budgets for one pod answer 500): try again until the time is over.
  if (answer.failure.status === 409 || answer.failure.status >= 500) return ok(`cannot be evicted now (${answer.failure.message})`);
  return answer;
}

function mustLeave(pod: KubeObject): boolean {
  const owners = pod.metadata.ownerReferences ?? [];
  const phase = (pod.status as { phase?: string } | undefined)?.phase;
  if (owners.some((owner) => owner.kind === "DaemonSet" && owner.controller !== false)) return false;
  if (pod.metadata.annotations?.["kubernetes.io/config.mirror"] !== undefined) return false;
  return phase !== "Succeeded" && phase !== "Failed";
}

const wordPod = (pod: KubeObject): string => `${pod.metadata.namespace ?? "default"}/${pod.metadata.name}`;

function words(reasons: ReadonlyMap<string, string>): string {
  const all = [...reasons].map(([pod, why]) => `${pod} ${why}`);
  return all.length > 3 ? `${all.slice(0, 3).join("; ")}; and ${all.length - 3} more` : all.join("; ");
}
