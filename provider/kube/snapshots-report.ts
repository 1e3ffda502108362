// What a control plane's agent says of its snapshots, in an annotation of its Node.
import type { SnapshotsFacts } from "../rollout/facts.js";
import { annotation, number, record, string } from "./node-status.js";
import { type KubeObject, prefix } from "./object.js";

export const snapshotsAnnotation = `${prefix}snapshots`;

const time = (value: unknown): number | null => {
  const seconds = number(value);
  return seconds === null ? null : seconds * 1000;
};

export function snapshotsReport(node: KubeObject): SnapshotsFacts | null {
  const report = annotation(node, snapshotsAnnotation);
  if (report === null) return null;
  const [last, uploaded, drill, asked] = [report.last, report.uploaded, report.drill, report.asked].map(record);
  return {
    scheduleSeconds: number(report.schedule_seconds) ?? 0,
    target: report.target === true,
    since: time(report.since),
    last: lastOf(last ?? {}),
    held: (Array.isArray(report.held) ? report.held : []).flatMap((entry) => (Array.isArray(entry) ? (string(entry[0]) ?? []) : [])),
    uploaded: uploadedOf(uploaded ?? {}),
    drill: drillOf(drill ?? {}),
    failed: Object.fromEntries(
      Object.entries(record(report.failed)).flatMap(([what, words]) => (string(words) ? [[what, String(words)]] : [])),
    ),
    problem: string(report.problem),
    asked: askedOf(asked ?? {}),
  };
}

type Part = Readonly<Record<string, unknown>>;

function lastOf(last: Part): SnapshotsFacts["last"] {
  const [name, at] = [string(last.name), time(last.at)];
  if (name === null || at === null) return null;
  return { name, at, size: number(last.size) ?? 0, revision: number(last.revision) ?? 0, keys: number(last.keys) ?? 0 };
}

function uploadedOf(uploaded: Part): SnapshotsFacts["uploaded"] {
  const [id, taken] = [string(uploaded.id), time(uploaded.taken)];
  return id === null || taken === null ? null : { id, taken };
}

function drillOf(drill: Part): SnapshotsFacts["drill"] {
  const [name, at] = [string(drill.name), time(drill.at)];
  return name === null || at === null ? null : { name, at, objects: number(drill.objects) ?? 0, seconds: number(drill.seconds) ?? 0 };
}

function askedOf(asked: Part): SnapshotsFacts["asked"] {
  const at = string(asked.at);
  return at === null ? null : { at, name: string(asked.name), problem: string(asked.problem) };
}
