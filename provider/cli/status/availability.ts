// How often the Kubernetes API answered, as the agents measured it: docs/decisions/0015. Pure.
//
// The nodes of a kind are told together by the median and the worst of them: an average would hide one node that is cut off,
// and the worst alone would blame the API for that node's network. Of an even number the worse of the two in the middle is the
// median. A share is never rounded up: 100 means that no probe failed.
import { annotation, isControlPlane, moment, number, record } from "../../kube/node-status.js";
import type { KubeObject } from "../../kube/object.js";
import type { Time } from "./report.js";
import { timeOf } from "./words.js";

const availabilityAnnotation = "honest-paas.dev/availability";
/** Agents report every 15 s. What an older report calls the last day is no longer that. */
const lateMs = 5 * 60_000;

export interface SpanReport {
  /** Percent of probes that were answered. */
  readonly median_percent: number;
  readonly worst_percent: number;
  readonly worst_node: string;
  /** Longest time without an answer that any of the nodes saw. */
  readonly longest_gap_seconds: number;
  /** Begin of the oldest count. */
  readonly since: Time;
  /** How much of the time since then was measured, percent; the rest is unknown. The least of the nodes. */
  readonly measured_percent: number;
}
export interface AvailabilityReport {
  /** Workers ask the cluster's endpoint; a control plane asks its own API server. */
  readonly seen_from: "worker" | "control-plane";
  readonly asks: "endpoint" | "own API server";
  /** How many nodes' counts are in it. */
  readonly nodes: number;
  readonly day: SpanReport | null;
  readonly month: SpanReport | null;
}

interface Counted {
  readonly node: string;
  readonly probes: number;
  readonly failed: number;
  readonly gap: number;
  readonly since: number;
  readonly at: number;
  readonly pace: number;
}

const cut = (share: number): number => Math.floor(share * 100_000) / 1_000;
const sorted = (numbers: readonly number[]): readonly number[] => [...numbers].sort((a, b) => a - b);
export function availabilityReports(nodes: readonly KubeObject[], now: number): readonly AvailabilityReport[] {
  return (["worker", "control-plane"] as const).flatMap((kind) => {
    const group = nodes.filter((node) => isControlPlane(node) === (kind === "control-plane"));
    const day = group.flatMap((node) => counted(node, "day", now));
    if (day.length === 0) return [];
    const month = group.flatMap((node) => counted(node, "month", now));
    const asks = kind === "worker" ? ("endpoint" as const) : ("own API server" as const);
    return [{ seen_from: kind, asks, nodes: day.length, day: together(day), month: together(month) }];
  });
}

function counted(node: KubeObject, span: "day" | "month", now: number): readonly Counted[] {
  const said = annotation(node, availabilityAnnotation);
  const at = moment(said?.at);
  if (!said || at === null || Math.abs(now - at) > lateMs) return [];
  const part = record(said[span]);
  const [probes, failed, gap, pace] = [number(part.probes), number(part.failed), number(part.longest_gap), number(said.pace)];
  const since = moment(part.since);
  // a node can write anything here: what is no count is no report
  if (probes === null || failed === null || gap === null || pace === null || since === null) return [];
  if (probes <= 0 || failed < 0 || failed > probes || gap < 0 || pace <= 0 || since > at) return [];
  return [{ node: node.metadata.name, probes, failed, gap, since, at, pace }];
}

function together(all: readonly Counted[]): SpanReport | null {
  const share = ({ probes, failed }: Counted): number => (probes - failed) / probes;
  const [worst] = [...all].sort((a, b) => share(a) - share(b) || (a.node < b.node ? -1 : 1));
  if (!worst) return null;
  const median = sorted(all.map(share))[Math.floor((all.length - 1) / 2)] ?? share(worst);
  const measured = all.map((c) => Math.min(1, (c.probes * c.pace * 1000) / Math.max(c.at - c.since, c.pace * 1000)));
  return {
    median_percent: cut(median),
    worst_percent: cut(share(worst)),
    worst_node: worst.node,
    longest_gap_seconds: Math.max(...all.map((c) => c.gap)),
    since: timeOf(Math.min(...all.map((c) => c.since))),
    measured_percent: Math.floor(Math.min(...measured) * 1000) / 10,
  };
}
