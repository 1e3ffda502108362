// Snapshots of etcd in the report: what each control plane has, has sent and has tried. Pure.
import type { Snapshot } from "../../kube/facts.js";
import { isControlPlane } from "../../kube/node-status.js";
import { snapshotsReport } from "../../kube/snapshots-report.js";
import type { SnapshotsFacts } from "../../rollout/facts.js";
import { ago, span, table, timeOf } from "./words.js";

export interface SnapshotsReport {
  readonly node: string;
  /** 0 = none by schedule. */
  readonly schedule_seconds: number;
  /** The last good one on its disk. */
  readonly last: {
    readonly name: string;
    readonly at: string;
    readonly size: number;
    readonly revision: number;
    readonly keys: number;
  } | null;
  /** How many good ones its disk has. */
  readonly held: number;
  /** What it has sent last; only one control plane sends. null when there is no target, too. */
  readonly uploaded: { readonly id: string; readonly taken_at: string } | null;
  readonly target: boolean;
  readonly drill: { readonly name: string; readonly at: string; readonly objects: number; readonly seconds: number } | null;
  /** All that is wrong; null = nothing. */
  readonly problem: string | null;
}

/** Control planes whose agents say something of snapshots, by name. */
export const snapshotReports = ({ nodes }: Snapshot): readonly SnapshotsReport[] =>
  nodes
    .filter(isControlPlane)
    .flatMap((node) => {
      const facts = snapshotsReport(node);
      return facts ? [reportOf(node.metadata.name, facts)] : [];
    })
    .sort((a, b) => (a.node < b.node ? -1 : 1));

const reportOf = (node: string, { last, held, uploaded, drill, ...facts }: SnapshotsFacts): SnapshotsReport => ({
  node,
  schedule_seconds: facts.scheduleSeconds,
  last: last && { ...last, at: timeOf(last.at) },
  held: held.length,
  uploaded: uploaded && { id: uploaded.id, taken_at: timeOf(uploaded.taken) },
  target: facts.target,
  drill: drill && { ...drill, at: timeOf(drill.at) },
  problem: facts.problem,
});

export function snapshotLines(reports: readonly SnapshotsReport[], at: string): readonly string[] {
  if (reports.length === 0) return [];
  const now = Date.parse(at);
  return table(
    ["SNAPSHOTS", "LAST", "SIZE", "HELD", "EVERY", "SENT", "DRILL"],
    reports.map(({ node, last, held, schedule_seconds, uploaded, target, drill }) => [
      node,
      last === null ? "NONE" : ago(last.at, now),
      last === null ? "-" : `${(last.size / (1 << 20)).toFixed(1)} MiB`,
      String(held),
      schedule_seconds === 0 ? "off" : span(schedule_seconds * 1000),
      uploaded === null ? (target ? "-" : "no target") : ago(uploaded.taken_at, now),
      drill === null ? "-" : `${ago(drill.at, now)}, ${drill.objects} objects`,
    ]),
  );
}
