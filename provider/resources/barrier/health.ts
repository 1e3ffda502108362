// What agents may mend, and what a plan says of what they found broken.
import { type Diagnostic, warning } from "../../framework/diagnostic.js";
import type { Attribute } from "../../framework/schema.js";
import type { NodeFacts } from "../../rollout/facts.js";

export const healthAttributes: Readonly<Record<string, Attribute>> = {
  self_heal: {
    type: "bool",
    optional: true,
    default: true,
    description:
      "Whether agents mend what they find broken on their machine (kubelet, containerd, etcd, etcd without space) or only report it. Default true. A change takes effect in place.",
  },
};

/** One warning for the whole cluster, or none. Of an agent that is silent nothing is said: what it said last may be over. */
export function healthWarnings(cluster: string, nodes: Readonly<Record<string, NodeFacts>>): readonly Diagnostic[] {
  const lines = Object.entries(nodes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, { health, agentFresh }]) =>
      health && agentFresh && health.problems.length > 0 ? [`${name}: ${health.problems.join("; ")}${hint(health)}`] : [],
    );
  if (lines.length === 0) return [];
  return [
    warning(
      `Machines of cluster ${cluster} are not well`,
      `${lines.join(". ")}. What the agents saw and did: kubectl get events --field-selector involvedObject.kind=Node`,
    ),
  ];
}

const hint = ({ maintenance, selfHeal }: NonNullable<NodeFacts["health"]>): string =>
  maintenance !== null ? ` (in maintenance: ${maintenance})` : selfHeal ? "" : " (self_heal is off: nobody mends it)";
