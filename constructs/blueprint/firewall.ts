// Who may reach whom, as a table with a reason for each row. A cloud whose machines are closed by default opens these and
// nothing else.
import type { FirewallBlock } from "./block.js";
import { apiPort } from "./names.js";

type Row = Pick<FirewallBlock, "name" | "to" | "from" | "protocol" | "ports" | "reason">;

const rows: readonly Row[] = [
  { name: "api", to: "control-plane", from: "all", protocol: "tcp", ports: [apiPort, apiPort], reason: "nodes and pods reach the API" },
  {
    name: "api-balancer",
    to: "control-plane",
    from: "balancer",
    protocol: "tcp",
    ports: [apiPort, apiPort],
    reason: "the balancer reaches the API and asks /readyz",
  },
  {
    name: "etcd",
    to: "control-plane",
    from: "control-plane",
    protocol: "tcp",
    ports: [2379, 2380],
    reason: "etcd members talk to each other",
  },
  {
    name: "birth",
    to: "control-plane",
    from: "control-plane",
    protocol: "tcp",
    ports: [2382, 2382],
    reason: "boot stages ask each other before a first start",
  },
  {
    name: "kubelet",
    to: "all",
    from: "control-plane",
    protocol: "tcp",
    ports: [10250, 10250],
    reason: "API servers reach kubelets for logs and exec",
  },
  { name: "pods", to: "all", from: "all", protocol: "ipip", ports: null, reason: "pods of different subnets reach each other" },
  { name: "routes", to: "all", from: "all", protocol: "tcp", ports: [179, 179], reason: "nodes tell each other the routes to their pods" },
];

export const firewall = (cluster: string, network: string): readonly FirewallBlock[] =>
  rows.map((row) => ({ ...row, kind: "firewall", id: `firewall/${row.name}`, name: `${cluster}-${row.name}`, network }));
