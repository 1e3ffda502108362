// Subnets by zone, and networks that exist already.
import { parseCidr } from "../cidr.js";
import type { ClusterSpec } from "../gen/spec.js";
import type { Problem } from "../problem.js";
import { fixedUpTo, overlaps, type Range, shapeProblem } from "./networks.js";

export function subnetRules(spec: ClusterSpec): readonly Problem[] {
  const ranges = subnetRanges(spec);
  const shape = ranges.flatMap(shapeProblem);
  if (shape.length) return shape;
  return [
    ...outside(spec, ranges),
    ...overlaps(ranges),
    ...zonesWithout(spec),
    ...room(spec),
    ...existing(spec),
    ...publicIds(spec),
    ...egress(spec),
  ];
}

const subnetRanges = ({ vpc_config: { subnets } }: ClusterSpec): readonly Range[] =>
  Object.entries(subnets).flatMap(([zone, { cidr, public_cidr }]) => [
    { path: ["vpc_config", "subnets", zone, "cidr"], what: "the subnet", text: cidr, widest: 8, narrowest: 27 },
    ...(public_cidr === null
      ? []
      : [
          {
            path: ["vpc_config", "subnets", zone, "public_cidr"],
            what: "the public subnet",
            text: public_cidr,
            widest: 8,
            narrowest: 28,
          },
        ]),
  ]);

function outside(spec: ClusterSpec, ranges: readonly Range[]): readonly Problem[] {
  const whole = parseCidr(spec.vpc_config.cidr);
  if (!whole) return [];
  return ranges.flatMap(({ path, text }) => {
    const cidr = parseCidr(text);
    if (!cidr || (cidr.base >= whole.base && cidr.base + cidr.size <= whole.base + whole.size)) return [];
    return [
      {
        code: "cidr.outside",
        path,
        message: "is no part of the network's range",
        got: text,
        allowed: `inside of ${spec.vpc_config.cidr} (vpc_config.cidr)`,
      },
    ];
  });
}

function zonesWithout(spec: ClusterSpec): readonly Problem[] {
  const known = Object.keys(spec.vpc_config.subnets);
  if (known.length === 0) return [];
  const without = (zones: readonly string[], path: Problem["path"]): readonly Problem[] =>
    zones.flatMap((zone, n) =>
      known.includes(zone)
        ? []
        : [
            {
              code: "zone.no_subnet",
              path: [...path, n],
              message: "is a zone without a subnet",
              got: zone,
              allowed: known.join(", "),
              fix: `add vpc_config.subnets.${zone}`,
            },
          ],
    );
  return [
    ...without(spec.control_plane.zones, ["control_plane", "zones"]),
    ...Object.entries(spec.node_groups).flatMap(([name, group]) => without(group.zones, ["node_groups", name, "zones"])),
  ];
}

/** The fixed addresses are in every subnet, used or not: a control plane that is added moves nobody. */
function room(spec: ClusterSpec): readonly Problem[] {
  const perZone = Object.entries(spec.vpc_config.subnets).map(([zone, { cidr }]) => ({
    path: ["vpc_config", "subnets", zone, "cidr"] as const,
    text: cidr,
    zone,
  }));
  return perZone.flatMap(({ path, text, zone }) => {
    const cidr = parseCidr(text);
    const needed = fixedUpTo(spec) + workersIn(spec, zone) + 1;
    if (!cidr || needed <= cidr.size) return [];
    return [
      {
        code: "cidr.too_small",
        path,
        message: `is too small: the workers of the zone, those that replace them included, and the fixed addresses need ${needed}`,
        got: text,
        allowed: `/${32 - Math.ceil(Math.log2(needed))} or wider`,
      },
    ];
  });
}

const workersIn = (spec: ClusterSpec, zone: string): number =>
  Object.values(spec.node_groups)
    .filter((group) => group.zones.includes(zone))
    .reduce((sum, group) => {
      const size = group.scaling_config.desired_size;
      return sum + Math.ceil(size / group.zones.length) + Math.min(size, group.update_config.max_surge);
    }, 0);

function existing({ vpc_config: { network_id, subnet_id, subnets } }: ClusterSpec): readonly Problem[] {
  const withoutNetwork = (path: Problem["path"], id: string | null): readonly Problem[] =>
    id === null || network_id !== null
      ? []
      : [
          {
            code: "network.missing",
            path,
            message: "is a subnet of no network",
            got: id,
            fix: "name its network in vpc_config.network_id",
          },
        ];
  const both: readonly Problem[] =
    subnet_id !== null && Object.keys(subnets).length > 0
      ? [
          {
            code: "subnet.both",
            path: ["vpc_config", "subnet_id"],
            message: "is given beside subnets by zone",
            got: subnet_id,
            fix: "write its id into vpc_config.subnets",
          },
        ]
      : [];
  return [
    ...both,
    ...withoutNetwork(["vpc_config", "subnet_id"], subnet_id),
    ...Object.entries(subnets).flatMap(([zone, subnet]) => [
      ...withoutNetwork(["vpc_config", "subnets", zone, "id"], subnet.id),
      ...withoutNetwork(["vpc_config", "subnets", zone, "public_id"], subnet.public_id),
    ]),
  ];
}

function publicIds({ vpc_config: { subnets } }: ClusterSpec): readonly Problem[] {
  return Object.entries(subnets).flatMap(([zone, { public_id, public_cidr }]) =>
    public_id === null || public_cidr !== null
      ? []
      : [
          {
            code: "field.missing",
            path: ["vpc_config", "subnets", zone, "public_cidr"],
            message: "is required with public_id",
            fix: "write the range of that subnet",
          },
        ],
  );
}

function egress({ vpc_config: { egress: way, network_id } }: ClusterSpec): readonly Problem[] {
  if (network_id === null || way === "none" || way === "public") return [];
  return [
    {
      code: "network.owned",
      path: ["vpc_config", "egress"],
      message: "would change routes of an existing network",
      got: way,
      allowed: "none, public",
      fix: "leave it out; the way out of that network is its owner's",
    },
  ];
}
