// Who is going down or being replaced: one Lease for the whole cluster, taken by the gate, freed by the member's successor.
// Two runs at once are settled by resourceVersion.
import type { CallOptions, KubeClient } from "./client.js";
import { type KubeObject, type ObjectKey, prefix, systemNamespace } from "./object.js";
import { isConflict, isNotFound, type Outcome, ok } from "./outcome.js";

export interface RollLease {
  readonly holder: string;
  readonly drained: boolean;
  /** Milliseconds since the epoch. */
  readonly takenAt: number;
}
export const leaseKey: ObjectKey = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  namespace: systemNamespace,
  name: "honest-paas-roll",
};
const drainedAnnotation = `${prefix}drained`;

export function leaseFrom(object: KubeObject | undefined): RollLease | null {
  const spec = (object?.spec ?? {}) as { holderIdentity?: string; acquireTime?: string };
  if (!spec.holderIdentity) return null;
  const takenAt = Date.parse(spec.acquireTime ?? "");
  return {
    holder: spec.holderIdentity,
    drained: object?.metadata.annotations?.[drainedAnnotation] === "true",
    takenAt: Number.isNaN(takenAt) ? 0 : takenAt,
  };
}

export async function readLease(client: KubeClient, options?: CallOptions): Promise<Outcome<RollLease | null>> {
  const found = await client.get(leaseKey, options);
  return found.ok ? ok(leaseFrom(found.value)) : found;
}

const leaseObject = (holder: string, drained: boolean, takenAt: string, resourceVersion?: string): KubeObject => ({
  apiVersion: leaseKey.apiVersion,
  kind: leaseKey.kind,
  metadata: {
    name: leaseKey.name,
    namespace: systemNamespace,
    annotations: { [drainedAnnotation]: String(drained) },
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  },
  spec: holder === "" ? {} : { holderIdentity: holder, acquireTime: takenAt },
});

/** Kubernetes wants microseconds. */
const microTime = (ms: number): string => new Date(ms).toISOString().replace("Z", "000Z");

export interface TakeOptions extends CallOptions {
  /** A holder that cannot come back to free it: the lease is taken over from that one, and from nobody else. */
  readonly over?: string | undefined;
}

/** True when the lease is mine now; taking it again keeps its age. */
export async function takeLease(client: KubeClient, holder: string, options: TakeOptions = {}): Promise<Outcome<boolean>> {
  const found = await client.get(leaseKey, options);
  if (!found.ok) return found;
  const current = leaseFrom(found.value);
  if (current && (current.holder === holder || current.holder !== options.over)) return ok(current.holder === holder);
  const wanted = leaseObject(holder, false, microTime(Date.now()), found.value?.metadata.resourceVersion);
  const written = found.value ? await client.replace(wanted, options) : await client.create(wanted, options);
  if (written.ok) return ok(true);
  return isConflict(written.failure) ? ok(false) : written;
}

/** From now on the machine may go at any moment. */
export async function markDrained(client: KubeClient, options?: CallOptions): Promise<Outcome<unknown>> {
  return client.patch(leaseKey, { metadata: { annotations: { [drainedAnnotation]: "true" } } }, options);
}

/** Frees the lease when it is `holder`'s; somebody else's stays. */
export async function freeLease(client: KubeClient, holder: string, options?: CallOptions): Promise<Outcome<boolean>> {
  const found = await client.get(leaseKey, options);
  if (!found.ok) return found;
  if (leaseFrom(found.value)?.holder !== holder) return ok(false);
  const freed = await client.replace(leaseObject("", false, "", found.value?.metadata.resourceVersion), options);
  if (freed.ok) return ok(true);
  return isConflict(freed.failure) || isNotFound(freed.failure) ? ok(false) : freed;
}
