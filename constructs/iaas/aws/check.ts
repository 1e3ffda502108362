// What AWS or K2 alone find wrong with a spec.
import { parseCidr } from "../../spec/cidr.js";
import type { ClusterSpec } from "../../spec/gen/spec.js";
import type { Problem } from "../../spec/problem.js";
import { regionOf, type Vendor } from "./vendor.js";

export const checkSpec =
  (vendor: Vendor) =>
  (spec: ClusterSpec): readonly Problem[] => [
    ...zones(vendor, spec),
    ...sizes(spec),
    ...publicSubnets(vendor, spec),
    ...operations(vendor, spec),
    ...(vendor.balancerGroups ? [] : openBalancers(vendor, spec)),
  ];

/** Types that save up their CPU time. */
const burstable = /^t\d[a-z]*\./;

/** What works and will be regretted. */
export function warnSpec({ control_plane: { instance_type } }: ClusterSpec): readonly Problem[] {
  if (!burstable.test(instance_type)) return [];
  return [
    {
      code: "machine.burstable",
      path: ["control_plane", "instance_type"],
      message: "is a type that is slow once its credits are spent, which is when the cluster is busy: etcd then loses its leader",
      got: instance_type,
      fix: "take a type with steady CPUs",
    },
  ];
}

/** A zone of another region would be an error of the first subnet, minutes into an apply. */
function zones(vendor: Vendor, spec: ClusterSpec): readonly Problem[] {
  const region = regionOf(vendor, spec);
  return Object.keys(spec.vpc_config.subnets)
    .filter((zone) => !zone.startsWith(region))
    .map((zone) => ({
      code: "zone.region",
      path: ["vpc_config", "subnets", zone],
      message: "is a zone of another region",
      got: zone,
      allowed: `zones whose names begin with "${region}" (iaas.${vendor.name}.region)`,
    }));
}

/** A VPC and a subnet of it are /16 to /28. */
function sizes({ vpc_config: { cidr, network_id, subnets } }: ClusterSpec): readonly Problem[] {
  const fits = (text: string | null, path: Problem["path"]): readonly Problem[] => {
    const range = text === null ? null : parseCidr(text);
    if (range === null || (range.size <= 2 ** 16 && range.size >= 2 ** 4)) return [];
    return [{ code: "cidr.size", path, message: "is of a size that the cloud does not have", got: text, allowed: "/16 to /28" }];
  };
  return [
    ...(network_id === null ? fits(cidr, ["vpc_config", "cidr"]) : []),
    ...Object.entries(subnets).flatMap(([zone, subnet]) => [
      ...fits(subnet.cidr, ["vpc_config", "subnets", zone, "cidr"]),
      ...fits(subnet.public_cidr, ["vpc_config", "subnets", zone, "public_cidr"]),
    ]),
  ];
}

function publicSubnets(vendor: Vendor, { vpc_config }: ClusterSpec): readonly Problem[] {
  const { subnets, egress, endpoint_public_access } = vpc_config;
  const entries = Object.entries(subnets);
  const without = entries.filter(([, subnet]) => subnet.public_cidr === null).map(([zone]) => zone);
  const missing = (path: Problem["path"], message: string, zone: string): Problem => ({
    code: "subnet.no_public",
    path,
    message,
    fix: `add vpc_config.subnets.${zone}.public_cidr, a range of its own for what faces the world`,
  });
  const [first = "ZONE"] = without;
  const none = without.length === entries.length;
  const nat = vendor.natGateway === "in_subnet";
  return [
    ...(endpoint_public_access && none
      ? [missing(["vpc_config", "endpoint_public_access"], "needs a public subnet in one zone at least", first)]
      : []),
    ...(egress === "nat" && nat && none ? [missing(["vpc_config", "egress"], "needs a public subnet in one zone at least", first)] : []),
    ...(egress === "nat_per_zone" && nat && without.length
      ? [missing(["vpc_config", "egress"], `needs a public subnet in each zone; ${without.join(", ")} has none`, first)]
      : []),
  ];
}

function operations(vendor: Vendor, { control_plane: { etcd_volume } }: ClusterSpec): readonly Problem[] {
  const type = etcd_volume.type ?? vendor.diskType;
  if (etcd_volume.iops === null || vendor.iopsTypes.includes(type)) return [];
  return [
    {
      code: "disk.iops",
      path: ["control_plane", "etcd_volume", "iops"],
      message: `cannot be chosen for a volume of type ${type}`,
      got: etcd_volume.iops,
      allowed: `with type ${vendor.iopsTypes.join(", ")}`,
      fix: `set control_plane.etcd_volume.type to ${vendor.iopsTypes[0]}, or leave it out`,
    },
  ];
}

/** Balancers in no groups: nothing can close the one inside, and only a new subnet's access list the one outside. */
function openBalancers(vendor: Vendor, { vpc_config }: ClusterSpec): readonly Problem[] {
  const { endpoint_private_access, endpoint_public_access, public_access_cidrs, subnets, firewall } = vpc_config;
  const cloud = `the cloud "${vendor.name}"`;
  const closed: readonly Problem[] = endpoint_private_access
    ? []
    : [
        {
          code: "cloud.unsupported",
          path: ["vpc_config", "endpoint_private_access"],
          message: `${cloud} cannot close a balancer to its own network`,
          got: false,
          fix: "leave it out; use a network of the cluster's own",
        },
      ];
  const restricted = endpoint_public_access && !public_access_cidrs.includes("0.0.0.0/0");
  const theirs = Object.entries(subnets).filter(([, subnet]) => subnet.public_id !== null);
  const owned: readonly Problem[] = restricted
    ? theirs.map(([zone, subnet]) => ({
        code: "cloud.unsupported",
        path: ["vpc_config", "subnets", zone, "public_id"],
        message: `${cloud} restricts a public endpoint by its subnet's access list, and an existing subnet is not changed`,
        got: subnet.public_id,
        fix: "leave out public_id and give a range for a new public subnet, or restrict in that subnet's own list and say 0.0.0.0/0 here",
      }))
    : [];
  const own: readonly Problem[] =
    restricted && firewall === "own"
      ? [
          {
            code: "cloud.unsupported",
            path: ["vpc_config", "firewall"],
            message: `${cloud} has no groups for balancers, so groups of yours cannot restrict the public endpoint`,
            got: firewall,
            fix: "leave it out, or set endpoint_public_access to false",
          },
        ]
      : [];
  return [...closed, ...owned, ...own];
}
