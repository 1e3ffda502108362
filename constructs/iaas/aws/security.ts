// Groups and their rules: machines are known by group, never by address; each row of the table is a rule of its own.
import type { BlockOf, MachineSet } from "../../blueprint/block.js";
import type { Context, MapBlock } from "../mapping.js";
import { type Arg, type Args, present, ref, type VendorResource } from "../resource.js";
import { ownedBy, tagsOf } from "./tags.js";
import type { Vendor } from "./vendor.js";

type Side = MachineSet | "balancer";

const groups: Readonly<Record<Side, { readonly name: string; readonly suffix: string; readonly what: string }>> = {
  all: { name: "shared/group-nodes", suffix: "nodes", what: "All machines" },
  "control-plane": { name: "shared/group-control-plane", suffix: "control-plane", what: "Control planes" },
  worker: { name: "shared/group-workers", suffix: "workers", what: "Workers" },
  balancer: { name: "shared/group-balancer", suffix: "balancer", what: "Balancers of the API" },
};

const group = (side: Side): Arg => ref(groups[side].name, "id");

export const securityGroups =
  (vendor: Vendor) =>
  (context: Context): readonly VendorResource[] => {
    const { cluster, firewall } = context.blueprint;
    if (firewall === "own") return [];
    const sides = (Object.keys(groups) as Side[]).filter((side) => side !== "balancer" || vendor.balancerGroups);
    return sides.map((side): VendorResource => {
      const { name, suffix, what } = groups[side];
      return {
        type: "aws_security_group",
        name,
        args: {
          name: `${cluster}-${suffix}`,
          ...(vendor.descriptions ? { description: `${what} of the cluster ${cluster}` } : {}),
          vpc_id: context.idOf("network"),
          // A controller that opens a port to machines wants exactly one of their groups to be the cluster's.
          ...tagsOf(context, `${cluster}-${suffix}`, side === "all" ? ownedBy(cluster) : {}),
        },
      };
    });
  };

/** Groups of a machine, or of the balancers; null: the network's own. */
export function groupsOf({ blueprint }: Context, side: "control-plane" | "worker" | "balancer"): Arg {
  const managed = blueprint.firewall === "own" ? [] : side === "balancer" ? [group(side)] : [group("all"), group(side)];
  // Groups of the user's open machines; balancers are in them only when the cluster makes none.
  const own = side === "balancer" && blueprint.firewall === "managed" ? [] : blueprint.securityGroupIds;
  const all = [...managed, ...own];
  return all.length ? all : null;
}

const sides: readonly string[] = Object.keys(groups);
const isSide = (who: string): who is Side => sides.includes(who);

/** A rule says it as EC2 takes it: up to 255 of some characters. */
const described = (text: string): string => text.replaceAll(/[^A-Za-z0-9 ._\-:/()#,@[\]+=&;{}!$*]/g, "_").slice(0, 255);

const numbers: Readonly<Record<BlockOf<"firewall">["protocol"], string>> = { tcp: "tcp", udp: "udp", icmp: "icmp", ipip: "4", all: "-1" };

interface Rule {
  readonly name: string;
  readonly direction: "in" | "out";
  readonly group: Side;
  readonly peer: Side | readonly string[];
}

export const mapFirewall =
  (vendor: Vendor): MapBlock<"firewall"> =>
  (block, context) =>
    rulesOf(vendor, block, context).map((rule) => (vendor.rules === "described" ? describedRule : plainRule)(rule, block, context));

function rulesOf(vendor: Vendor, block: BlockOf<"firewall">, context: Context): readonly Rule[] {
  const { id: name, from, to, cidr } = block;
  if (block.direction === "out") return isSide(from) ? [{ name, direction: "out", group: from, peer: rangesOf(cidr) }] : [];
  if (!isSide(to)) return [];
  // Balancers without groups: the access list of their subnets (balancer.ts) says who reaches them.
  if (to === "balancer" && !vendor.balancerGroups) return [];
  if (!isSide(from)) return [{ name, direction: "in", group: to, peer: rangesOf(cidr) }];
  if (from !== "balancer") return [{ name, direction: "in", group: to, peer: from }];
  if (!vendor.balancerGroups) return [{ name, direction: "in", group: to, peer: balancerRanges(context) }];
  return [
    { name, direction: "in", group: to, peer: from },
    // What a group may call is a rule too.
    { name: `${name}-out`, direction: "out", group: from, peer: to },
  ];
}

function rangesOf(cidr: string | null): readonly string[] {
  if (cidr === null) throw new TypeError("a row of the firewall from nowhere");
  return [cidr];
}

/** Where balancers without groups send from. */
function balancerRanges(context: Context): readonly string[] {
  const places = new Set([
    ...context.blocks("balancer").flatMap(({ places }) => places.map(({ subnet }) => subnet)),
    ...context.blocks("address").flatMap(({ side, subnet }) => (side === "public" ? [subnet] : [])),
  ]);
  return context.blocks("subnet").flatMap(({ id, cidr }) => (places.has(id) ? [cidr] : []));
}

function describedRule({ name, direction, group: of, peer }: Rule, block: BlockOf<"firewall">, context: Context): VendorResource {
  const [from, to] = block.ports ?? (block.protocol === "icmp" ? [-1, -1] : [null, null]);
  const [range] = typeof peer === "string" ? [null] : peer;
  return {
    type: direction === "in" ? "aws_vpc_security_group_ingress_rule" : "aws_vpc_security_group_egress_rule",
    name,
    args: present({
      security_group_id: group(of),
      ip_protocol: numbers[block.protocol],
      from_port: from,
      to_port: to,
      ...(typeof peer === "string" ? { referenced_security_group_id: group(peer) } : { cidr_ipv4: range ?? null }),
      description: described(block.reason),
      ...tagsOf(context, block.name),
    }),
  };
}

function plainRule({ name, direction, group: of, peer }: Rule, block: BlockOf<"firewall">): VendorResource {
  const [from, to] = block.ports ?? (block.protocol === "icmp" ? [-1, -1] : [0, 0]);
  const source: Args =
    typeof peer !== "string" ? { cidr_blocks: peer } : peer === of ? { self: true } : { source_security_group_id: group(peer) };
  return {
    type: "aws_security_group_rule",
    name,
    args: {
      type: direction === "in" ? "ingress" : "egress",
      security_group_id: group(of),
      protocol: numbers[block.protocol],
      from_port: from,
      to_port: to,
      ...source,
    },
  };
}
