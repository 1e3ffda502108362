// From what was read to the report: the shape of --json. Names and meanings stay; fields may be added. Pure.
import { X509Certificate } from "node:crypto";
import { factsOf, type Snapshot } from "../../kube/facts.js";
import { agentStatus, etcdReport, isControlPlane, isFresh, readiness } from "../../kube/node-status.js";
import type { KubeObject } from "../../kube/object.js";
import type { VoterState } from "../../rollout/facts.js";
import { type ExpiryReport, type HealthReport, healthReports, nearestExpiry } from "./agent-reports.js";
import { type AvailabilityReport, availabilityReports } from "./availability.js";
import { type ClusterState, type WantedMachine, type WindowReport, windowReport } from "./from-state.js";
import { judge, type Problem } from "./judge.js";
import type { RunningVersions } from "./running.js";
import { type SnapshotsReport, snapshotReports } from "./snapshots.js";
import { timeOf } from "./words.js";

/** RFC 3339 in UTC, whole seconds. */
export type Time = string;

export interface MemberReport {
  readonly name: string;
  readonly state: VoterState;
  /** null = no agent says who leads. */
  readonly leader: boolean | null;
  /** Last word of its machine's agent. */
  readonly reported_at: Time | null;
}
export interface NodeReport {
  readonly name: string;
  readonly role: "control-plane" | "worker";
  readonly pool: string;
  /** Of its kubelet. */
  readonly version: string | null;
  /** Of its API server, as its pod runs; null = it has none, or the pods could not be listed. */
  readonly api_server: string | null;
  readonly kube_proxy: string | null;
  /** As its agent reports it. */
  readonly release: string | null;
  /** As the state has it; null = the state knows no such node. */
  readonly state_release: string | null;
  readonly ready: boolean;
  /** The kubelet's words. */
  readonly reason: string;
  readonly unschedulable: boolean;
  readonly draining: boolean;
  /** When its machine began to run. */
  readonly booted_at: Time | null;
  readonly agent_fresh: boolean;
  readonly agent_at: Time | null;
  /** Since when it is Ready or not. */
  readonly ready_since: Time | null;
  /** Of the boot stage: "ready", or the stage that failed and why. */
  readonly stage: string | null;
}
export interface CertificateReport {
  readonly name: string;
  /** "state": an authority. "served": what an API server shows. */
  readonly source: "state" | "served";
  readonly not_before: Time;
  readonly not_after: Time;
  /** Signed by the cluster's CA; of an authority always true. */
  readonly trusted: boolean;
}
export interface StatusReport {
  readonly format: 1;
  readonly cluster: string;
  readonly endpoint: string;
  readonly at: Time;
  /** "unreadable": the API does not answer, so nodes and members are unknown. */
  readonly verdict: "healthy" | "trouble" | "unreadable";
  /** null = it answers. */
  readonly api_error: string | null;
  /** Kubernetes version that the configuration wants. */
  readonly version: string | null;
  readonly uid: string | null;
  readonly complete: boolean | null;
  readonly torn_down: boolean | null;
  readonly members: readonly MemberReport[];
  readonly nodes: readonly NodeReport[];
  /** Machine that is going down or being replaced. */
  readonly lease: { readonly holder: string; readonly drained: boolean; readonly age_sec: number } | null;
  /** Machines that wait for their turn to take a release. */
  readonly pending: readonly { readonly name: string; readonly pool: string; readonly release: string }[];
  /** null = always open. */
  readonly window: WindowReport | null;
  readonly certificates: readonly CertificateReport[];
  /** Of all certificates on the machines the one that ends first; null = no agent has reported any. */
  readonly nearest_expiry: ExpiryReport | null;
  /** As the agents measured it; [] = nothing is measured yet. */
  readonly availability: readonly AvailabilityReport[];
  /** Of each control plane that reports snapshots. */
  readonly snapshots: readonly SnapshotsReport[];
  /** Of each node whose agent reports on what it mends. */
  readonly health: readonly HealthReport[];
  readonly problems: readonly Problem[];
}

export interface Read {
  readonly cluster: string;
  readonly endpoint: string;
  readonly state: ClusterState;
  /** Text: why there is none. */
  readonly snapshot: Snapshot | string;
  readonly served: readonly X509Certificate[];
  readonly running: RunningVersions;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const maybe = (ms: number | null): Time | null => (ms === null ? null : timeOf(ms));

export function reportOf(read: Read): StatusReport {
  const { cluster, endpoint, state, snapshot, now } = read;
  const unread = typeof snapshot === "string";
  const objects = unread ? [] : snapshot.nodes;
  const facts = unread ? null : factsOf(snapshot);
  const nodes = unread ? [] : snapshot.nodes.map((node) => nodeReport(node, read, snapshot.at)).sort(byRoleAndName);
  const lease = facts?.lease ?? null;
  const found = {
    format: 1 as const,
    cluster,
    endpoint,
    at: timeOf(now),
    api_error: unread ? snapshot : null,
    version: state.version,
    uid: state.uid,
    complete: facts?.complete ?? null,
    torn_down: facts?.tornDown ?? null,
    members: unread ? [] : memberReports(snapshot, state),
    nodes,
    lease: lease && { holder: lease.holder, drained: lease.drained, age_sec: lease.ageSec },
    pending: state.machines.filter((m) => m.pending).map(({ name, pool, wanted }) => ({ name, pool, release: wanted })),
    window: windowReport(state.window, now),
    certificates: certificates(read),
    nearest_expiry: nearestExpiry(objects),
    availability: availabilityReports(objects, now),
    snapshots: unread ? [] : snapshotReports(snapshot),
    health: healthReports(objects),
  };
  const problems = judge(found, state, now, facts?.nodes);
  const trouble = problems.some(({ severity }) => severity === "problem");
  return { ...found, verdict: unread ? "unreadable" : trouble ? "trouble" : "healthy", problems };
}

const byRoleAndName = (a: NodeReport, b: NodeReport): number =>
  (a.role === b.role ? 0 : a.role === "control-plane" ? -1 : 1) || (a.name < b.name ? -1 : 1);

function nodeReport(node: KubeObject, { state, running }: Read, now: number): NodeReport {
  const agent = agentStatus(node);
  const { ready, reason, since } = readiness(node);
  const name = node.metadata.name;
  const facts = factsOf({ nodes: [node], lease: undefined, marker: undefined, at: now }).nodes[name];
  const membership = state.memberships.find((m) => m.nodeName === name);
  return {
    name,
    role: isControlPlane(node) ? "control-plane" : "worker",
    pool: facts?.pool || (membership?.pool ?? ""),
    version: facts?.version ?? null,
    api_server: running.apiServers[name] ?? null,
    kube_proxy: running.proxies[name] ?? null,
    release: agent?.release ?? null,
    state_release: membership?.release ?? null,
    ready,
    reason,
    unschedulable: facts?.unschedulable === true,
    draining: facts?.draining === true,
    booted_at: maybe(agent?.bootedAt ?? null),
    agent_fresh: isFresh(agent?.at ?? null, now),
    agent_at: maybe(agent?.at ?? null),
    ready_since: maybe(since),
    stage: agent?.stage ?? null,
  };
}

/** etcd's own list, and whom the configuration wants in it. */
function memberReports(snapshot: Snapshot, state: ClusterState): readonly MemberReport[] {
  const { etcd } = factsOf(snapshot);
  const wanted = state.machines.filter((m: WantedMachine) => m.role === "control-plane").map((m) => m.name);
  const fresh = snapshot.nodes.flatMap((node) => etcdReport(node) ?? []).filter((report) => isFresh(report.at, snapshot.at));
  const [newest] = fresh.sort((a, b) => (b.at ?? 0) - (a.at ?? 0));
  const leads = newest?.members.find((member) => member.leader)?.name ?? null;
  return [...new Set([...Object.keys(etcd), ...wanted])].sort().map((name) => {
    const node = snapshot.nodes.find((n) => n.metadata.name === name);
    return {
      name,
      state: etcd[name] ?? "absent",
      leader: leads === null ? null : name === leads,
      reported_at: maybe(node ? (agentStatus(node)?.at ?? null) : null),
    };
  });
}

function certificates({ state, served }: Read): readonly CertificateReport[] {
  const times = (certificate: X509Certificate) => ({
    not_before: timeOf(Date.parse(certificate.validFrom)),
    not_after: timeOf(Date.parse(certificate.validTo)),
  });
  const authorities = Object.entries(state.authorities).map(([name, pem]) => ({
    name,
    source: "state" as const,
    ...times(new X509Certificate(pem)),
    trusted: true,
  }));
  const ca = state.authorities["cluster CA"];
  const key = ca === undefined ? undefined : new X509Certificate(ca).publicKey;
  const names = state.machines.filter((m) => m.role === "control-plane").map((m) => m.name);
  const shown = served.map((certificate) => {
    const alternatives = (certificate.subjectAltName ?? "").split(", ");
    const of = names.find((name) => alternatives.includes(`DNS:${name}`));
    const name = of === undefined ? "API server" : `API server ${of}`;
    return { name, source: "served" as const, ...times(certificate), trusted: key === undefined || certificate.verify(key) };
  });
  return [...authorities, ...shown.sort((a, b) => (a.name < b.name ? -1 : 1))];
}
