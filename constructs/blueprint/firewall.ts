// Who may reach whom, as a table with a reason for each row. A cloud whose machines are closed by default opens these and
// nothing else.
import type { ClusterSpec } from "../spec/gen/spec.js";
import type { FirewallBlock } from "./block.js";
import { apiPort } from "./names.js";

export type Row = Omit<FirewallBlock, "kind" | "id" | "network">;

const inside = { direction: "in", cidr: null, protocol: "tcp" } as const;

/** What pods reach on control planes. etcd is not among it: workloads have no business there. */
const controlPlanePorts = [
  { name: "api-pods", protocol: "tcp", port: apiPort, reason: "pods reach the API" },
  { name: "kubelet-pods", protocol: "tcp", port: 10250, reason: "pods that gather metrics ask kubelets" },
  { name: "dns-pods-tcp", protocol: "tcp", port: 53, reason: "pods ask DNS pods that run on control planes" },
  { name: "dns-pods-udp", protocol: "udp", port: 53, reason: "pods ask DNS pods that run on control planes" },
] as const;

/** Between the cluster's own machines, the same in every cluster but for the pods' range. */
const between = (pods: string): readonly Row[] => [
  { ...inside, name: "api", to: "control-plane", from: "all", ports: [apiPort, apiPort], reason: "nodes and pods reach the API" },
  {
    ...inside,
    name: "api-balancer",
    to: "control-plane",
    from: "balancer",
    ports: [apiPort, apiPort],
    reason: "the balancer reaches the API and asks /readyz",
  },
  { ...inside, name: "endpoint", to: "balancer", from: "all", ports: [apiPort, apiPort], reason: "machines reach the endpoint" },
  {
    ...inside,
    name: "etcd",
    to: "control-plane",
    from: "control-plane",
    ports: [2379, 2380],
    reason: "etcd members talk to each other",
  },
  {
    ...inside,
    name: "birth",
    to: "control-plane",
    from: "control-plane",
    ports: [2382, 2382],
    reason: "boot stages ask each other before a first start",
  },
  {
    ...inside,
    name: "kubelet",
    to: "all",
    from: "control-plane",
    ports: [10250, 10250],
    reason: "API servers reach kubelets for logs and exec",
  },
  { ...inside, name: "pods", to: "all", from: "all", protocol: "ipip", ports: null, reason: "pods of different subnets reach each other" },
  {
    ...inside,
    name: "pod-traffic",
    to: "worker",
    from: "pods",
    cidr: pods,
    protocol: "all",
    ports: null,
    reason: "pods reach pods and nodes by their own addresses within a subnet",
  },
  {
    ...inside,
    name: "node-traffic",
    to: "worker",
    from: "all",
    protocol: "all",
    ports: null,
    reason: "nodes and API servers reach pods on workers: webhooks, metrics, host networks",
  },
  ...controlPlanePorts.map(
    ({ name, protocol, port, reason }) =>
      ({ ...inside, name, to: "control-plane", from: "pods", cidr: pods, protocol, ports: [port, port], reason }) as const,
  ),
  ...(["tcp", "udp"] as const).map(
    (protocol) =>
      ({
        ...inside,
        name: `dns-${protocol}`,
        to: "control-plane",
        from: "all",
        protocol,
        ports: [53, 53],
        reason: "nodes ask DNS pods that run on control planes",
      }) as const,
  ),
  { ...inside, name: "routes", to: "all", from: "all", ports: [179, 179], reason: "nodes tell each other the routes to their pods" },
];

/** "203.0.113.0/24" → "203-0-113-0-24" */
const inName = (cidr: string): string => cidr.replaceAll(/[./]/g, "-");

function endpointRows({ vpc_config: wanted }: ClusterSpec): readonly Row[] {
  const open = { ...inside, to: "balancer", ports: [apiPort, apiPort] } as const;
  return [
    ...(wanted.endpoint_private_access
      ? [
          {
            ...open,
            name: "endpoint-network",
            from: "network",
            cidr: wanted.cidr,
            reason: "others in the network reach the endpoint (endpoint_private_access)",
          } as const,
        ]
      : []),
    ...wanted.public_access_cidrs.map(
      (cidr) =>
        ({
          ...open,
          name: `endpoint-${inName(cidr)}`,
          from: "world",
          cidr,
          reason: `${cidr} reaches the endpoint (public_access_cidrs)`,
        }) as const,
    ),
  ];
}

/** Answers to nobody are open: this is for what machines begin themselves. */
const outRow = ({ vpc_config: { egress, network_id, cidr } }: ClusterSpec): Row => {
  const world = egress !== "none" || network_id !== null;
  return {
    name: "out",
    direction: "out",
    from: "all",
    to: "world",
    cidr: world ? "0.0.0.0/0" : cidr,
    protocol: "all",
    ports: null,
    reason: world ? "machines and pods fetch images, time and names" : "machines reach each other and mirrors in the network",
  };
};

const ownRows = ({ vpc_config: { security_rules } }: ClusterSpec): readonly Row[] =>
  Object.keys(security_rules)
    .sort()
    .flatMap((name) => {
      const rule = security_rules[name];
      if (!rule) return [];
      const { to, protocol, cidr, from_port, to_port, reason } = rule;
      const ports = from_port === null ? null : ([from_port, to_port ?? from_port] as const);
      return [{ name: `extra-${name}`, direction: "in", to, from: "world", cidr, protocol, ports, reason } as const];
    });

/** All rows of a cluster; none where the user has groups of their own instead. */
export function firewallRows(spec: ClusterSpec): readonly Row[] {
  if (spec.vpc_config.firewall === "own") return [];
  return [...between(spec.kubernetes_network_config.pod_ipv4_cidr), ...endpointRows(spec), outRow(spec), ...ownRows(spec)];
}

export const firewall = (spec: ClusterSpec, network: string): readonly FirewallBlock[] =>
  firewallRows(spec).map((row) => ({ ...row, kind: "firewall", id: `firewall/${row.name}`, name: `${spec.name}-${row.name}`, network }));
