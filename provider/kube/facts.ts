// One reading of a cluster, as the planner judges it: four lists in parallel, five seconds, one answer for all.
import type { Facts, NodeFacts, VoterState } from "../rollout/facts.js";
import type { KubeClient } from "./client.js";
import { leaseFrom, leaseKey } from "./lease.js";
import { markerFrom, markerKey } from "./marker.js";
import {
  agentStatus,
  certificatesReport,
  drainingAnnotation,
  type EtcdReport,
  etcdReport,
  genOf,
  healthReport,
  isFresh,
  isLockedOut,
  isUnschedulable,
  kubeletVersion,
  poolOf,
  readiness,
  trustReport,
} from "./node-status.js";
import type { KubeObject } from "./object.js";
import { type Outcome, ok } from "./outcome.js";
import { snapshotsReport } from "./snapshots-report.js";

export const factsLimitMs = 5_000;

export interface Snapshot {
  readonly nodes: readonly KubeObject[];
  readonly lease: KubeObject | undefined;
  readonly marker: KubeObject | undefined;
  /** When it was read, milliseconds since the epoch. */
  readonly at: number;
}

export async function readSnapshot(client: KubeClient, signal?: AbortSignal): Promise<Outcome<Snapshot>> {
  const call = { signal, timeoutMs: factsLimitMs };
  const [nodes, lease, marker] = await Promise.all([
    client.list("v1", "Node", call),
    client.get(leaseKey, call),
    client.get(markerKey, call),
  ]);
  if (!nodes.ok) return nodes;
  if (!lease.ok) return lease;
  if (!marker.ok) return marker;
  return ok({ nodes: nodes.value, lease: lease.value, marker: marker.value, at: Date.now() });
}

/** The maintenance window is no matter of the cluster: it is reported open, and whoever has one judges it. */
export async function readFacts(client: KubeClient, signal?: AbortSignal): Promise<Outcome<Facts>> {
  const snapshot = await readSnapshot(client, signal);
  return snapshot.ok ? ok(factsOf(snapshot.value)) : snapshot;
}

export function factsOf(snapshot: Snapshot): Facts {
  const lease = leaseFrom(snapshot.lease);
  const marker = markerFrom(snapshot.marker);
  const number = freshReports(snapshot)[0]?.number ?? null;
  return {
    reachable: true,
    born: true,
    complete: marker.complete,
    tornDown: marker.tornDown,
    windowOpen: true,
    lease: lease && { holder: lease.holder, drained: lease.drained, ageSec: Math.max(0, Math.round((snapshot.at - lease.takenAt) / 1000)) },
    ...(number === null ? {} : { number }),
    etcd: etcdStates(snapshot),
    nodes: Object.fromEntries(snapshot.nodes.map((node) => [node.metadata.name, nodeFacts(node, snapshot.at)])),
  };
}

function nodeFacts(node: KubeObject, now: number): NodeFacts {
  const agent = agentStatus(node);
  const certificates = certificatesReport(node);
  const trust = trustReport(node);
  const snapshots = snapshotsReport(node);
  const health = healthReport(node);
  return {
    ...(health ? { health } : {}),
    ...(certificates ? { certificates } : {}),
    ...(trust ? { trust } : {}),
    ...(snapshots ? { snapshots } : {}),
    ...(isLockedOut(node, now) ? { lockedOut: true } : {}),
    pool: poolOf(node),
    ready: readiness(node).ready,
    release: agent?.release ?? null,
    version: kubeletVersion(node),
    machineId: agent?.machineId ?? null,
    agentFresh: isFresh(agent?.at ?? null, now),
    gen: genOf(node),
    unschedulable: isUnschedulable(node),
    draining: node.metadata.annotations?.[drainingAnnotation] !== undefined,
  };
}

const freshReports = (snapshot: Snapshot): readonly EtcdReport[] =>
  snapshot.nodes
    .flatMap((node) => etcdReport(node) ?? [])
    .filter((report) => isFresh(report.at, snapshot.at))
    .sort((a, b) => (b.at ?? 0) - (a.at ?? 0));

/** etcd's id of the member of that name, as the youngest fresh report has it; null = it has none. */
export const memberIdOf = (snapshot: Snapshot, name: string): string | null =>
  freshReports(snapshot)[0]?.members.find((member) => member.name === name)?.id ?? null;

/**
 * etcd's members as its control planes see them. The youngest fresh report gives the list and has the word on who answers: the
 * last report of a machine that died says for a minute that its own member is well, and another one would be taken down beside
 * it. Nor is one silent witness, which may itself be cut off, enough to call a member dead.
 */
function etcdStates(snapshot: Snapshot): Record<string, VoterState> {
  const reports = freshReports(snapshot);
  const answering = new Set(reports.flatMap((report) => report.members.filter((m) => m.answers).map((m) => m.name)));
  const states: Record<string, VoterState> = {};
  for (const { name, learner, answers } of reports[0]?.members ?? []) {
    states[name] = learner ? "learner" : answers ? "answers" : answering.has(name) ? "disputed" : "dead";
  }
  return states;
}
