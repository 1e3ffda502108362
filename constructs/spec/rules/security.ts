// The user's own firewall rules.
import type { ClusterSpec } from "../gen/spec.js";
import type { Problem } from "../problem.js";
import { rangeProblem } from "./endpoint.js";

export function securityRules({ vpc_config: { security_rules, security_group_ids, firewall } }: ClusterSpec): readonly Problem[] {
  const own: readonly Problem[] =
    firewall === "own" && security_group_ids.length === 0
      ? [
          {
            code: "firewall.none",
            path: ["vpc_config", "security_group_ids"],
            message: "is empty, and the cluster has no rules of its own: its machines could not talk to each other",
            fix: 'name groups that open what docs/clouds lists, or set firewall to "managed"',
          },
        ]
      : [];
  return [
    ...own,
    ...Object.entries(security_rules).flatMap(([name, rule]): readonly Problem[] => {
      const path = ["vpc_config", "security_rules", name];
      const { protocol, from_port, to_port } = rule;
      if (firewall === "own")
        return [
          { code: "firewall.none", path, message: "is a rule, but the cluster has none of its own", fix: "open it in your own group" },
        ];
      if (protocol === "icmp" && from_port !== null)
        return [
          {
            code: "rule.ports",
            path: [...path, "from_port"],
            message: "is given, but icmp has no ports",
            got: from_port,
            fix: "leave it out",
          },
        ];
      if (protocol !== "icmp" && from_port === null)
        return [{ code: "field.missing", path: [...path, "from_port"], message: `is required with ${protocol}` }];
      if (to_port !== null && to_port < (from_port ?? to_port + 1))
        return [
          {
            code: "rule.ports",
            path: [...path, "to_port"],
            message: "is below the first port",
            got: to_port,
            allowed: `${from_port} or above`,
          },
        ];
      return rangeProblem(rule.cidr, [...path, "cidr"]);
    }),
  ];
}
