// What a living cluster cannot change: a stack of constructs would replace the blocks, here the plan says so instead.
import type { ClusterSpec } from "../../../constructs/spec/gen/spec.js";
import type { Problem } from "../../../constructs/spec/problem.js";
import { clusterSchema, follow, isMap, type SchemaNode } from "../../../constructs/spec/schema.js";

/** The cloud and the name are another cluster; all else that is fixed is refused. */
export const isOtherCluster = (before: ClusterSpec, now: ClusterSpec): boolean =>
  before.name !== now.name || cloudOf(before) !== cloudOf(now);

const cloudOf = ({ iaas }: ClusterSpec): string | undefined => Object.entries(iaas).find(([, given]) => given !== null)?.[0];

export const fixedChanges = (before: ClusterSpec, now: ClusterSpec): readonly Problem[] => below(clusterSchema, before, now, []);

function below(given: SchemaNode, before: unknown, now: unknown, path: Problem["path"]): readonly Problem[] {
  const node = follow(given);
  if (JSON.stringify(before) === JSON.stringify(now)) return [];
  const own = path.join(".") !== "iaas" && node["x-change"] === "replace" && !mayGrow(path, before, now);
  if (own)
    return [
      {
        code: "cluster.fixed",
        path,
        message: "cannot be changed while the cluster lives",
        got: now,
        allowed: JSON.stringify(before),
        fix: "take the change back, or make a new cluster under another name",
      },
    ];
  if (isMap(node) || !isRecord(before) || !isRecord(now)) return [];
  return Object.entries(node.properties ?? {}).flatMap(([name, member]) => below(member, before[name], now[name], [...path, name]));
}

/** Zones may be appended: each control plane stays where its disk is. */
const mayGrow = (path: Problem["path"], before: unknown, now: unknown): boolean =>
  path.join(".") === "control_plane.zones" && Array.isArray(before) && Array.isArray(now) && before.every((zone, n) => now[n] === zone);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
