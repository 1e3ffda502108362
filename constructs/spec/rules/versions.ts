// Versions that exist and go together.
import type { ClusterSpec } from "../gen/spec.js";
import type { Problem } from "../problem.js";
import { skewProblem, unsupported } from "../version.js";

export function versionRules(spec: ClusterSpec): readonly Problem[] {
  const control = unsupported(spec.version, ["version"]);
  const groups = Object.entries(spec.node_groups).flatMap(([name, group]) => {
    // A group without a version of its own has the cluster's: said once.
    if (group.version === spec.version) return [];
    const path = ["node_groups", name, "version"];
    return unsupported(group.version, path) ?? skewProblem(spec.version, group.version, path) ?? [];
  });
  return control ? [control, ...groups] : groups;
}
