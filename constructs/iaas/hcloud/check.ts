// What Hetzner Cloud cannot do, said before anything is made.
import { addressAt, parseCidr } from "../../spec/cidr.js";
import type { ClusterSpec } from "../../spec/gen/spec.js";
import type { Problem } from "../../spec/problem.js";
import { facesTheWorld, settings } from "./settings.js";

/** Network zones and their locations. A location that is not among them is left to the cloud. */
const locations: Readonly<Record<string, readonly string[]>> = {
  "eu-central": ["fsn1", "hel1", "nbg1"],
  "us-east": ["ash"],
  "us-west": ["hil"],
  "ap-southeast": ["sin"],
};

const smallestVolumeGib = 10;
const largestVolumeGib = 10_240;
/** Servers and balancers. */
const mostInNetwork = 100;

export function check(spec: ClusterSpec): readonly Problem[] {
  return [...zones(spec), ...endpoint(spec), ...volumes(spec), ...range(spec), ...room(spec), ...ids(spec), ...withoutPublicSide(spec)];
}

/** What works, and is better known. */
export function warn({ vpc_config: { network_id } }: ClusterSpec): readonly Problem[] {
  if (network_id === null) return [];
  return [
    {
      code: "hcloud.open_inside",
      path: ["vpc_config", "network_id"],
      message:
        "is a network that others may be in, and nothing filters inside of it: they reach every port of every machine of the cluster",
      got: network_id,
      fix: "let nobody into it whom you would not let into the cluster",
    },
  ];
}

function zones(spec: ClusterSpec): readonly Problem[] {
  const { network_zone } = settings(spec);
  const known = Object.entries(locations);
  const wrong = (names: readonly string[], path: Problem["path"]): readonly Problem[] =>
    names.flatMap((location, n) => {
      const zone = known.find(([, members]) => members.includes(location))?.[0];
      if (zone === undefined || zone === network_zone) return [];
      return [
        {
          code: "hcloud.network_zone",
          path: [...path, n],
          message: `lies in another network zone (${zone}) than the network (${network_zone})`,
          got: location,
          allowed: (locations[network_zone] ?? [`locations of ${network_zone}`]).join(", "),
          fix: "choose locations of one network zone, and name it in iaas.hcloud.network_zone",
        },
      ];
    });
  return [
    ...wrong(spec.control_plane.zones, ["control_plane", "zones"]),
    ...Object.entries(spec.node_groups).flatMap(([name, { zones: names }]) => wrong(names, ["node_groups", name, "zones"])),
  ];
}

function endpoint(spec: ClusterSpec): readonly Problem[] {
  const { endpoint_public_access, endpoint_private_access, public_access_cidrs } = spec.vpc_config;
  const { public_endpoint } = settings(spec);
  const closed: readonly Problem[] = endpoint_private_access
    ? []
    : [
        {
          code: "cloud.unsupported",
          path: ["vpc_config", "endpoint_private_access"],
          message: 'the cloud "hcloud" filters nothing inside a network: whoever is in it reaches the API',
          got: false,
          fix: "leave it out, and let nobody else into the network",
        },
      ];
  if (!endpoint_public_access) return closed;
  if (public_endpoint === "control_planes")
    return spec.access.endpoint !== null
      ? closed
      : [
          ...closed,
          {
            code: "field.missing",
            path: ["access", "endpoint"],
            message: 'is required with iaas.hcloud.public_endpoint "control_planes": the API has one public address for each of them',
            fix: "write https://NAME:6443 with a name of your own whose A records are these addresses (docs/clouds/hetzner.md)",
          },
        ];
  if (public_access_cidrs.length === 1 && public_access_cidrs[0] === "0.0.0.0/0") return closed;
  return [
    ...closed,
    {
      code: "cloud.unsupported",
      path: ["vpc_config", "public_access_cidrs"],
      message: 'a balancer of the cloud "hcloud" takes the whole world or nobody',
      got: public_access_cidrs,
      allowed: "0.0.0.0/0 alone, or none",
      fix:
        'set iaas.hcloud.public_endpoint to "control_planes" (their firewall holds these ranges), or write 0.0.0.0/0 if the API may ' +
        "be asked by everybody, or leave it out and reach the private endpoint by a way of your own",
    },
  ];
}

function volumes({ control_plane: { etcd_volume } }: ClusterSpec): readonly Problem[] {
  const { size_gib } = etcd_volume;
  if (size_gib >= smallestVolumeGib && size_gib <= largestVolumeGib) return [];
  return [
    {
      code: "hcloud.volume_size",
      path: ["control_plane", "etcd_volume", "size_gib"],
      message: 'is no size of a volume of the cloud "hcloud"',
      got: size_gib,
      allowed: `${smallestVolumeGib} to ${largestVolumeGib}`,
      fix: `write ${smallestVolumeGib}; what it costs is in docs/clouds/hetzner.md`,
    },
  ];
}

const privateRanges = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"].flatMap((text) => parseCidr(text) ?? []);

function range({ vpc_config: { cidr: text, subnet_id, address_offset } }: ClusterSpec): readonly Problem[] {
  const cidr = parseCidr(text);
  if (!cidr) return [];
  const path = ["vpc_config", "cidr"];
  if (!privateRanges.some((one) => cidr.base >= one.base && cidr.base + cidr.size <= one.base + one.size))
    return [
      {
        code: "hcloud.private",
        path,
        message: 'is no private range; a network of the cloud "hcloud" takes no other',
        got: text,
        allowed: "inside of 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16",
      },
    ];
  const last = address_offset + 6;
  if (subnet_id !== null || last < cidr.size / 2) return [];
  return [
    {
      code: "cidr.too_small",
      path,
      message: `is too small: the fixed addresses, up to ${addressAt(cidr, last)}, have to lie in its lower half, workers are in the upper one`,
      got: text,
      allowed: `/${32 - Math.ceil(Math.log2((last + 1) * 2))} or wider`,
    },
  ];
}

/** Everything that a network carries at once, successors of workers beside their predecessors. */
function room({ control_plane: { replicas }, node_groups }: ClusterSpec): readonly Problem[] {
  const workers = Object.values(node_groups).reduce(
    (sum, { scaling_config: { desired_size }, update_config: { max_surge } }) => sum + desired_size + Math.min(desired_size, max_surge),
    0,
  );
  const all = replicas + workers + 1;
  if (all <= mostInNetwork) return [];
  return [
    {
      code: "hcloud.network_full",
      path: ["node_groups"],
      message: `make ${all} servers and balancers at once, those that replace others included; a network of the cloud "hcloud" takes fewer`,
      got: all,
      allowed: `at most ${mostInNetwork}`,
      fix: "use fewer and larger machines, or several clusters",
    },
  ];
}

function ids({ vpc_config: { network_id, subnet_id, security_group_ids } }: ClusterSpec): readonly Problem[] {
  const wrong = (path: Problem["path"], got: string, allowed: string): readonly Problem[] => [
    { code: "hcloud.id", path, message: 'is no id of the cloud "hcloud"', got, allowed },
  ];
  return [
    ...(network_id === null || /^\d+$/.test(network_id)
      ? []
      : wrong(["vpc_config", "network_id"], network_id, "the number of a network (hcloud network list)")),
    ...(subnet_id === null || /^\d+-\d+(\.\d+){3}\/\d+$/.test(subnet_id)
      ? []
      : wrong(["vpc_config", "subnet_id"], subnet_id, "number of the network, dash, range: 4711-10.0.1.0/24")),
    ...security_group_ids.flatMap((id, n) =>
      /^\d+$/.test(id) ? [] : wrong(["vpc_config", "security_group_ids", n], id, "the number of a firewall (hcloud firewall list)"),
    ),
  ];
}

/** A rule that could never hold anything back or let anything in, and firewalls that cannot be exchanged. */
function withoutPublicSide(spec: ClusterSpec): readonly Problem[] {
  const { security_rules, security_group_ids, firewall } = spec.vpc_config;
  if (firewall === "own")
    return [
      {
        code: "cloud.unsupported",
        path: ["vpc_config", "firewall"],
        message: 'the cluster\'s own firewalls on the cloud "hcloud" let nothing in by themselves, and what several let in adds up',
        got: firewall,
        fix: "leave it out, and name yours in security_group_ids",
      },
    ];
  const none = (role: "control-plane" | "worker"): boolean => !facesTheWorld(spec, role);
  const message = 'has no effect: a firewall of the cloud "hcloud" stands at the public side, and these machines have none';
  const fix = 'leave it out, or set vpc_config.egress to "public"';
  return [
    ...Object.entries(security_rules).flatMap(([name, { to }]) =>
      (to === "all" ? none("control-plane") && none("worker") : none(to))
        ? [{ code: "firewall.nowhere", path: ["vpc_config", "security_rules", name], message, got: to, fix }]
        : [],
    ),
    ...(security_group_ids.length > 0 && none("control-plane") && none("worker")
      ? [{ code: "firewall.nowhere", path: ["vpc_config", "security_group_ids"], message, got: security_group_ids, fix }]
      : []),
  ];
}
