// The firewall of a cluster as the clouds' pages show it: the rows of the blueprint, in its order.
import { firewallRows, type Row } from "../../constructs/blueprint/firewall.js";
import type { ClusterSpec } from "../../constructs/spec/gen/spec.js";

const who: Readonly<Record<string, string>> = {
  all: "all machines",
  "control-plane": "control planes",
  worker: "workers",
  balancer: "balancers",
  pods: "pods",
  network: "the network",
  world: "the world",
};

const words = (row: Row, side: string): string => (row.cidr !== null && side === "world" ? row.cidr : (who[side] ?? side));

function what({ protocol, ports }: Row): string {
  if (protocol === "ipip") return "IP in IP (protocol 4)";
  if (protocol === "all") return "all";
  if (ports === null) return protocol;
  return `${protocol} ${ports[0] === ports[1] ? ports[0] : `${ports[0]}-${ports[1]}`}`;
}

/** Lines of a table: rule, who is opened, for whom, what, why. */
export const firewallTable = (spec: ClusterSpec): readonly string[] =>
  firewallRows(spec).map((row) => `| ${row.name} | ${words(row, row.to)} | ${words(row, row.from)} | ${what(row)} | ${row.reason} |`);
