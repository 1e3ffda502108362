// What a plan says when a cluster's snapshots are not what they should be.
import { type Diagnostic, warning } from "../../framework/diagnostic.js";
import type { NodeFacts } from "../../rollout/facts.js";
import { snapshotConcerns } from "../../rollout/snapshots.js";

/** One warning for the whole cluster, or none. */
export function snapshotWarnings(cluster: string, nodes: Readonly<Record<string, NodeFacts>>, now: number): readonly Diagnostic[] {
  const lines = snapshotConcerns(nodes, now);
  if (lines.length === 0) return [];
  return [
    warning(
      `Snapshots of cluster ${cluster} need attention`,
      `${lines.join(". ")}. What is not in a snapshot cannot be restored. honest-paas snapshot list shows what there is; docs/guides/backup.md says what to do.`,
    ),
  ];
}
