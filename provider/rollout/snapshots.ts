// What is wrong with a cluster's snapshots of etcd, one sentence for each. Pure; the clock is a parameter.
import { shortestWords } from "../../constructs/spec/duration.js";
import type { NodeFacts, SnapshotsFacts } from "./facts.js";

/** Turns of the schedule that may be missed before anybody is told. */
const missed = 2;
/** A schedule of a minute is not late after two: an agent is looked at every fifteen seconds only. */
const shortestDelayMs = 5 * 60_000;

/** What an agent could not do is in its own words. */
export function snapshotConcerns(nodes: Readonly<Record<string, Pick<NodeFacts, "snapshots">>>, now: number): readonly string[] {
  const reports = Object.entries(nodes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, { snapshots }]) => (snapshots ? [{ name, snapshots }] : []));
  const own = reports.flatMap(({ name, snapshots }) => concern(snapshots, now).map((words) => `${name}: ${words}`));
  const all = reports.map(({ snapshots }) => snapshots);
  return [...own, ...uploadConcern(all, now)].map((line) => line.replace(/\.$/, ""));
}

const delayMs = ({ scheduleSeconds }: SnapshotsFacts): number => Math.max(missed * scheduleSeconds * 1000, shortestDelayMs);
const turns = ({ scheduleSeconds }: SnapshotsFacts): string => `one is due every ${shortestWords(scheduleSeconds)}`;

function concern(report: SnapshotsFacts, now: number): readonly string[] {
  const { last, since, problem, scheduleSeconds } = report;
  const told = problem === null ? [] : [problem];
  if (scheduleSeconds === 0) return told;
  if (last !== null)
    return now - last.at > delayMs(report) ? [`its last good snapshot is of ${stamp(last.at)}, and ${turns(report)}`, ...told] : told;
  return since !== null && now - since > delayMs(report) ? [`it has no good snapshot, and ${turns(report)}`, ...told] : told;
}

/** One of them sends for all, so the youngest copy counts. Why it is not sent stands in that member's own words already. */
function uploadConcern(reports: readonly SnapshotsFacts[], now: number): readonly string[] {
  const wanting = reports.filter(({ target, scheduleSeconds, last }) => target && scheduleSeconds > 0 && last !== null);
  const [first] = wanting;
  if (first === undefined || wanting.some(({ failed }) => failed.upload !== undefined)) return [];
  const youngest = Math.max(0, ...wanting.map(({ uploaded }) => uploaded?.taken ?? 0));
  if (youngest > 0)
    return now - youngest > delayMs(first) ? [`the last copy at the target is of ${stamp(youngest)}, and ${turns(first)}`] : [];
  const began = Math.min(...wanting.map(({ since }) => since ?? now));
  return now - began > delayMs(first) ? ["nothing has been sent to the target yet"] : [];
}

const stamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
