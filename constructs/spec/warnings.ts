// What is allowed and still better known: said at synth and at plan, and stops nothing.
import type { ClusterSpec } from "./gen/spec.js";
import type { Problem } from "./problem.js";

export function warnings(spec: ClusterSpec): readonly Problem[] {
  const { replicas, zones } = spec.control_plane;
  if (replicas === 1 || zones.length > 1) return [];
  return [
    {
      code: "zones.one",
      path: ["control_plane", "zones"],
      message: `all ${replicas} control planes are in one zone: with the zone the cluster stops`,
      got: zones,
      fix: "name three zones before the first apply; an etcd disk cannot change its zone later",
    },
  ];
}
