// The cluster's own word about itself: handed over, being torn down. One ConfigMap that the barrier writes and everybody
// reads.
import type { CallOptions, KubeClient } from "./client.js";
import { configMap, type KubeObject } from "./object.js";
import { type Outcome, ok } from "./outcome.js";

export interface Marker {
  readonly complete: boolean;
  readonly tornDown: boolean;
  /** uid of honest_pki: which cluster this is. */
  readonly uid: string | null;
  /** "kube-router" or "none": with none, Ready waits for the user's network. */
  readonly cni: string | null;
}
export const noMarker: Marker = { complete: false, tornDown: false, uid: null, cni: null };
export const markerKey = configMap("honest-paas");

export function markerFrom(object: KubeObject | undefined): Marker {
  const data = (object?.data ?? {}) as Readonly<Record<string, string | undefined>>;
  return { complete: data.complete === "true", tornDown: data.torn_down === "true", uid: data.uid ?? null, cni: data.cni ?? null };
}

export async function readMarker(client: KubeClient, options?: CallOptions): Promise<Outcome<Marker>> {
  const found = await client.get(markerKey, options);
  return found.ok ? ok(markerFrom(found.value)) : found;
}

export function writeMarker(client: KubeClient, marker: Marker, options?: CallOptions): Promise<Outcome<KubeObject>> {
  const data = {
    complete: String(marker.complete),
    ...(marker.tornDown ? { torn_down: "true" } : {}),
    ...(marker.uid === null ? {} : { uid: marker.uid }),
    ...(marker.cni === null ? {} : { cni: marker.cni }),
  };
  return client.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: markerKey.name, namespace: "kube-system" }, data }, options);
}
