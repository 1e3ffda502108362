// What a Node says: the kubelet's conditions and the agent's two annotations. Pure reading; the clock is a parameter.
import type { CertificatesFacts, HealthFacts, TrustFacts } from "../rollout/facts.js";
import { type KubeObject, prefix } from "./object.js";

export const statusAnnotation = `${prefix}status`;
export const certificatesAnnotation = `${prefix}certificates`;
export const trustAnnotation = `${prefix}trust`;
export const healthAnnotation = `${prefix}health`;
export const etcdAnnotation = `${prefix}etcd`;
export const genAnnotation = `${prefix}gen`;
/** A destroy has begun to empty the node; the value is the membership's mark. */
export const drainingAnnotation = `${prefix}draining`;
export const poolLabel = `${prefix}pool`;
export const controlPlaneLabel = "node-role.kubernetes.io/control-plane";

export interface AgentStatus {
  readonly machineId: string | null;
  readonly release: string | null;
  readonly bootedAt: number | null;
  readonly stage: string | null;
  readonly agent: string | null;
  /** Milliseconds since the epoch. */
  readonly at: number | null;
}
export interface EtcdReport {
  readonly members: readonly {
    readonly name: string;
    readonly id: string;
    readonly learner: boolean;
    readonly answers: boolean;
    /** False too when the agent does not know. */
    readonly leader: boolean;
  }[];
  /** Which life of the cluster its etcd is in. */
  readonly number: number | null;
  readonly at: number | null;
}

/** The agent writes every 15 s; four missed reports make it silent. */
export const freshMs = 60_000;

export const record = (value: unknown): Readonly<Record<string, unknown>> =>
  value !== null && typeof value === "object" ? (value as Record<string, unknown>) : {};
export const string = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
export const number = (value: unknown): number | null => (typeof value === "number" && Number.isFinite(value) ? value : null);
/** Milliseconds since the epoch, of an RFC 3339 time. */
export const moment = (value: unknown): number | null => {
  const ms = Date.parse(string(value) ?? "");
  return Number.isNaN(ms) ? null : ms;
};

/** A node can write anything here: what does not parse is "no report", never an error. */
export function annotation(node: KubeObject, name: string): Readonly<Record<string, unknown>> | null {
  const text = node.metadata.annotations?.[name];
  if (text === undefined) return null;
  try {
    return record(JSON.parse(text));
  } catch {
    return null;
  }
}

export function agentStatus(node: KubeObject): AgentStatus | null {
  const s = annotation(node, statusAnnotation);
  if (!s) return null;
  return {
    machineId: string(s.machine_id),
    release: string(s.release),
    bootedAt: moment(s.booted_at),
    stage: string(s.stage),
    agent: string(s.agent),
    at: moment(s.at),
  };
}

export function etcdReport(node: KubeObject): EtcdReport | null {
  const report = annotation(node, etcdAnnotation);
  if (!report) return null;
  const members = (Array.isArray(report.members) ? report.members : []).flatMap((raw) => {
    const m = record(raw);
    const name = string(m.name);
    return name
      ? [{ name, id: String(m.id ?? ""), learner: m.learner === true, answers: m.answers === true, leader: m.leader === true }]
      : [];
  });
  return { members, number: number(report.number), at: moment(report.at) };
}

/** The agent's list of certificates; null when it never sent one. */
export function certificatesReport(node: KubeObject): CertificatesFacts | null {
  const report = annotation(node, certificatesAnnotation);
  if (!report) return null;
  const ends = Object.entries(record(report.items)).flatMap(([name, raw]) => {
    const times = [moment(record(raw).not_after), moment(record(raw).served)].filter((ms) => ms !== null);
    return times.length > 0 ? [[name, Math.min(...times)] as const] : [];
  });
  return { problem: string(report.problem), ends: Object.fromEntries(ends) };
}

/** What the agent says of a rotation of the authorities; null when it knows of none. */
export function trustReport(node: KubeObject): TrustFacts | null {
  const report = annotation(node, trustAnnotation);
  const [number, state] = [report?.number, string(report?.state)];
  if (typeof number !== "number" || state === null) return null;
  // only an explicit null says that nothing is left to do
  return {
    number,
    state,
    waits: report?.waits === null ? null : (string(report?.waits) ?? "its report cannot be read"),
    document: report?.document === true,
  };
}

/** What the agent says of its machine's parts; null when it never did. */
export function healthReport(node: KubeObject): HealthFacts | null {
  const report = annotation(node, healthAnnotation);
  if (!report) return null;
  const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
  return {
    problems: list(report.problems).flatMap((words) => string(words) ?? []),
    healed: list(report.healed).flatMap((raw) => {
      const { at, what } = record(raw);
      return typeof at === "string" && typeof what === "string" ? [{ at, what }] : [];
    }),
    selfHeal: report.self_heal !== false,
    maintenance: string(report.maintenance),
  };
}

/**
 * Whether the kubelet cannot come back by itself: its client certificate, as its agent saw it last, has ended, and the node
 * is not Ready. It asks again with its join token then, which nobody believes without a grant.
 */
export const isLockedOut = (node: KubeObject, now: number): boolean => {
  const end = certificatesReport(node)?.ends["kubelet-client"];
  return end !== undefined && end < now && !readiness(node).ready;
};

export const isFresh = (at: number | null, now: number): boolean => at !== null && now - at < freshMs;

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastHeartbeatTime?: string;
  readonly lastTransitionTime?: string;
}
export interface Readiness {
  readonly ready: boolean;
  /** Why not, in the kubelet's words. */
  readonly reason: string;
  /** The kubelet's last word about itself. */
  readonly at: number | null;
  /** Since when it is Ready or not. */
  readonly since: number | null;
  /** Only the network plugin is missing. */
  readonly onlyNetworkMissing: boolean;
}

export function readiness(node: KubeObject): Readiness {
  const conditions = (record(node.status).conditions ?? []) as readonly Condition[];
  const condition = conditions.find((c) => c.type === "Ready");
  const reason = condition ? `${condition.reason ?? "NotReady"}: ${condition.message ?? ""}`.trim() : "the kubelet has not reported";
  return {
    ready: condition?.status === "True",
    reason,
    at: moment(condition?.lastHeartbeatTime),
    since: moment(condition?.lastTransitionTime),
    onlyNetworkMissing:
      condition?.status === "False" && /NetworkPluginNotReady|cni plugin not initialized|NetworkReady=false/i.test(reason),
  };
}

export const isUnschedulable = (node: KubeObject): boolean => record(node.spec).unschedulable === true;
export const isControlPlane = (node: KubeObject): boolean => node.metadata.labels?.[controlPlaneLabel] !== undefined;
export const poolOf = (node: KubeObject): string => node.metadata.labels?.[poolLabel] ?? (isControlPlane(node) ? "cp" : "");
export const genOf = (node: KubeObject): string | null => node.metadata.annotations?.[genAnnotation] ?? null;
export const kubeletVersion = (node: KubeObject): string | null =>
  string(record(record(node.status).nodeInfo).kubeletVersion)?.replace(/^v/, "") ?? null;
