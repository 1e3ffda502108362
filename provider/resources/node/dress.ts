// What a membership writes on its Node: pool, labels, taints, its mark; schedulable. Idempotent. No server-side apply here:
// the kubelet co-owns the labels it registered with, so dropping one from our set would leave it; and an apply would make
// a Node that went a moment ago.
import type { CallOptions, KubeClient } from "../../kube/client.js";
import { drainingAnnotation, genAnnotation, poolLabel } from "../../kube/node-status.js";
import { type KubeObject, node as nodeKey, prefix } from "../../kube/object.js";
import { failed, isNotFound, type Outcome, ok } from "../../kube/outcome.js";
import { retiredAnnotation } from "../../kube/requests.js";

export interface Dress {
  readonly nodeName: string;
  readonly pool: string;
  readonly gen: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly string[];
  /** False leaves a cordon alone: at a label change it may be a person's. */
  readonly uncordon: boolean;
}

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}
/** What we wrote last: the only things that we ever take away. */
interface Written {
  readonly labels: readonly string[];
  readonly taints: readonly string[];
}
const writtenAnnotation = `${prefix}written`;
/** What a destroy leaves on a Node. */
const going = [drainingAnnotation, retiredAnnotation] as const;

/** "key=value:Effect" or "key:Effect"; undefined when it is neither. */
export function parseTaint(text: string): Taint | undefined {
  const [, key, value, effect] = /^([^=:]+)(?:=([^:]*))?:(NoSchedule|PreferNoSchedule|NoExecute)$/.exec(text) ?? [];
  if (key === undefined || effect === undefined) return undefined;
  return value === undefined || value === "" ? { key, effect } : { key, value, effect };
}
const identity = (taint: Taint): string => `${taint.key}:${taint.effect}`;

/** Ours replace what we wrote before; Kubernetes' own (not-ready, unschedulable) and people's stay. */
export function mergeTaints(present: readonly Taint[], before: readonly string[], wanted: readonly string[]): readonly Taint[] {
  const parse = (list: readonly string[]) => list.flatMap((text) => parseTaint(text) ?? []);
  const ours = parse(wanted);
  const names = new Set([...parse(before), ...ours].map(identity));
  return [...present.filter((taint) => !names.has(identity(taint))), ...ours];
}

/**
 * Puts the membership's mark on a Node of its name that is there already, before its machine serves: it has still its
 * predecessor's, and a destroy that finds another's mark takes its own machine for one that was succeeded.
 */
export async function claimNode(client: KubeClient, nodeName: string, gen: string, call: CallOptions): Promise<Outcome<unknown>> {
  const claimed = await client.patch(nodeKey(nodeName), { metadata: { annotations: { [genAnnotation]: gen } } }, call);
  return claimed.ok || !isNotFound(claimed.failure) ? claimed : ok(undefined);
}

export async function dressNode(client: KubeClient, dress: Dress, call: CallOptions): Promise<Outcome<KubeObject>> {
  const found = await client.get(nodeKey(dress.nodeName), call);
  if (!found.ok) return found;
  if (!found.value) return failed({ kind: "status", status: 404, reason: "NotFound", message: `Node ${dress.nodeName} is not there` });
  const patch = dressPatch(found.value, dress);
  return patch === null ? ok(found.value) : client.patch(nodeKey(dress.nodeName), patch, call);
}

/** null = the Node has everything on. */
export function dressPatch(node: KubeObject, dress: Dress): unknown {
  const { labels: has = {}, annotations = {}, resourceVersion } = node.metadata;
  const spec = (node.spec ?? {}) as { taints?: readonly Taint[]; unschedulable?: boolean };
  const before = written(annotations[writtenAnnotation]);
  const wanted = { ...dress.labels, [poolLabel]: dress.pool };
  const dropped = before.labels.filter((label) => !(label in wanted));

  const labels = Object.fromEntries([
    ...Object.entries(wanted).filter(([label, value]) => has[label] !== value),
    ...dropped.filter((label) => label in has).map((label) => [label, null] as const),
  ]);
  const now = JSON.stringify({ labels: Object.keys(wanted).sort(), taints: [...dress.taints] } satisfies Written);
  const marks = {
    ...(annotations[genAnnotation] === dress.gen ? {} : { [genAnnotation]: dress.gen }),
    ...(annotations[writtenAnnotation] === now ? {} : { [writtenAnnotation]: now }),
    ...(dress.uncordon ? Object.fromEntries(going.filter((name) => name in annotations).map((name) => [name, null])) : {}),
  };
  const present = spec.taints ?? [];
  const taints = mergeTaints(present, before.taints, dress.taints);
  const fields = {
    ...(JSON.stringify(taints) === JSON.stringify(present) ? {} : { taints: taints.length ? taints : null }),
    ...(dress.uncordon && spec.unschedulable ? { unschedulable: null } : {}),
  };
  const empty = [labels, marks, fields].every((part) => Object.keys(part).length === 0);
  // Taints are one list that the node lifecycle controller writes too: with the version a lost race is seen and tried again.
  const version = "taints" in fields ? { resourceVersion } : {};
  return empty ? null : { metadata: { ...version, labels, annotations: marks }, spec: fields };
}

function written(annotation: string | undefined): Written {
  const strings = (value: unknown) => (Array.isArray(value) ? value.filter((v): v is string => typeof v === "string") : []);
  try {
    const data = JSON.parse(annotation ?? "{}") as Partial<Written> | null;
    return { labels: strings(data?.labels), taints: strings(data?.taints) };
  } catch {
    return { labels: [], taints: [] };
  }
}
