// Ranges: written as ranges, large enough, apart from each other.
import { type Cidr, formatCidr, network, overlap, parseCidr } from "../cidr.js";
import type { ClusterSpec } from "../gen/spec.js";
import type { Problem } from "../problem.js";

/** How many addresses at the start of a subnet are the cloud's, the endpoint's and the control planes'. */
export const fixedUpTo = (spec: ClusterSpec): number => spec.vpc_config.address_offset + 6;

export interface Range {
  readonly path: Problem["path"];
  readonly what: string;
  readonly text: string;
  readonly widest: number;
  readonly narrowest: number;
}

const ranges = (spec: ClusterSpec): readonly Range[] => [
  { path: ["vpc_config", "cidr"], what: "the machines' range", text: spec.vpc_config.cidr, widest: 8, narrowest: 27 },
  {
    path: ["kubernetes_network_config", "pod_ipv4_cidr"],
    what: "the pods' range",
    text: spec.kubernetes_network_config.pod_ipv4_cidr,
    widest: 8,
    narrowest: 28,
  },
  {
    path: ["kubernetes_network_config", "service_ipv4_cidr"],
    what: "the services' range",
    text: spec.kubernetes_network_config.service_ipv4_cidr,
    widest: 12,
    narrowest: 24,
  },
];

/** Ranges that no cluster may use: "this" network, loopback, link-local with the metadata address, multicast and above. */
const foreign = ["0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3"].flatMap((text) => parseCidr(text) ?? []);

export function networkRules(spec: ClusterSpec): readonly Problem[] {
  const all = ranges(spec);
  const shape = all.flatMap(shapeProblem);
  if (shape.length) return shape;
  return [...overlaps(all), ...machinesFit(spec), ...podsFit(spec)];
}

export function shapeProblem(range: Range): readonly Problem[] {
  const cidr = parseCidr(range.text);
  const base = { path: range.path, got: range.text };
  if (!cidr)
    return [{ ...base, code: "cidr.invalid", message: "is not an IPv4 range", allowed: "address/prefix, for example 10.98.0.0/24" }];
  if (network(cidr).base !== cidr.base)
    return [{ ...base, code: "cidr.host_bits", message: "has bits set after its prefix", fix: `write ${formatCidr(network(cidr))}` }];
  if (cidr.prefix < range.widest || cidr.prefix > range.narrowest) {
    const word = cidr.prefix < range.widest ? "large" : "small";
    return [{ ...base, code: "cidr.size", message: `is too ${word}`, allowed: `/${range.widest} to /${range.narrowest}` }];
  }
  if (foreign.some((other) => overlap(cidr, other)))
    return [
      {
        ...base,
        code: "cidr.foreign",
        message: "lies in a range with a meaning of its own",
        allowed: "a private range, for example below 10.0.0.0/8",
      },
    ];
  return [];
}

export function overlaps(all: readonly Range[]): readonly Problem[] {
  return all.flatMap((range, n) =>
    all.slice(0, n).flatMap((other) => {
      const [a, b] = [parseCidr(range.text), parseCidr(other.text)];
      if (!a || !b || !overlap(a, b)) return [];
      return [
        {
          code: "cidr.overlap",
          path: range.path,
          message: `overlaps with ${other.what} ${other.text} (${other.path.join(".")})`,
          got: range.text,
          fix: "use ranges that have no address in common",
        },
      ];
    }),
  );
}

/** Machines that may be there at once: the group's own and those that replace them. */
const workersAtMost = (spec: ClusterSpec): number =>
  Object.values(spec.node_groups).reduce((sum, group) => {
    const size = group.scaling_config.desired_size;
    return sum + size + Math.min(size, group.update_config.max_surge);
  }, 0);

const orWider = (prefix: number): string => `/${prefix} or wider`;

function machinesFit(spec: ClusterSpec): readonly Problem[] {
  // With subnets by zone each of them is looked at.
  if (Object.keys(spec.vpc_config.subnets).length > 0) return [];
  const cidr = parseCidr(spec.vpc_config.cidr);
  const needed = fixedUpTo(spec) + workersAtMost(spec) + 1;
  if (!cidr || needed <= cidr.size) return [];
  return [
    {
      code: "cidr.too_small",
      path: ["vpc_config", "cidr"],
      message: `is too small: ${workersAtMost(spec)} workers, those that replace them included, and the fixed addresses need ${needed}`,
      got: spec.vpc_config.cidr,
      allowed: orWider(prefixFor(needed)),
    },
  ];
}

function podsFit(spec: ClusterSpec): readonly Problem[] {
  const { pod_ipv4_cidr, node_cidr_mask } = spec.kubernetes_network_config;
  const cidr: Cidr | null = parseCidr(pod_ipv4_cidr);
  if (!cidr) return [];
  const nodes = spec.control_plane.replicas + workersAtMost(spec);
  const room = node_cidr_mask < cidr.prefix ? 0 : 2 ** (node_cidr_mask - cidr.prefix);
  if (nodes <= room) return [];
  return [
    {
      code: "cidr.too_small",
      path: ["kubernetes_network_config", "pod_ipv4_cidr"],
      message: `has room for ${room} nodes of /${node_cidr_mask} each, and there may be ${nodes}`,
      got: pod_ipv4_cidr,
      allowed: orWider(Math.max(0, node_cidr_mask - Math.ceil(Math.log2(nodes)))),
      fix: "use a wider range, or a smaller part for each node (node_cidr_mask)",
    },
  ];
}

const prefixFor = (addresses: number): number => 32 - Math.ceil(Math.log2(addresses));
