// Security groups: one that all machines are in, one of control planes, one of workers; and one rule for each row of the
// table, so that a changed row touches nothing else. What machines say to each other is told by groups, not by addresses.
import type { FirewallBlock, MachineSet } from "../../blueprint/block.js";
import type { Context, MapBlock } from "../mapping.js";
import { type Arg, present, ref, type VendorResource } from "../resource.js";
import { labels } from "./tags.js";

const groupOf = (set: MachineSet): string => `shared/security-group/${set}`;
const ownGroup = (id: string): string => `shared/own-security-group/${id}`;

export function sharedGroups({ spec }: Context): readonly VendorResource[] {
  const { firewall, security_group_ids } = spec.vpc_config;
  const made = (["all", "control-plane", "worker"] as const).map(
    (set): VendorResource => ({
      type: "openstack_networking_secgroup_v2",
      name: groupOf(set),
      // Neutron opens the way out of every new group; here the table says who may call whom
      args: present({ name: `${spec.name}-${set}`, delete_default_rules: true, tags: labels(spec) }),
    }),
  );
  // Nova takes groups by their names
  const own = security_group_ids.map(
    (id): VendorResource => ({
      type: "openstack_networking_secgroup_v2",
      name: ownGroup(id),
      data: true,
      args: { secgroup_id: id },
    }),
  );
  return [...(firewall === "managed" ? made : []), ...own];
}

/** Names of the resources of the groups of a machine. */
function groupsOf(role: "control-plane" | "worker", { spec }: Context): readonly string[] {
  const { firewall, security_group_ids } = spec.vpc_config;
  return [...(firewall === "managed" ? [groupOf("all"), groupOf(role)] : []), ...security_group_ids.map(ownGroup)];
}

export const groupIds = (role: "control-plane" | "worker", context: Context): readonly Arg[] =>
  groupsOf(role, context).map((name) => ref(name, "id"));
export const groupNames = (role: "control-plane" | "worker", context: Context): readonly Arg[] =>
  groupsOf(role, context).map((name) => ref(name, "name"));

const isSet = (side: string): side is MachineSet => side === "all" || side === "control-plane" || side === "worker";

export const mapFirewall: MapBlock<"firewall"> = (block, context) => {
  // the balancer's listener says itself whom it lets in; pods' packets are wrapped in those of machines
  if (block.to === "balancer" || block.from === "pods") return [];
  const [mine, other] = block.direction === "in" ? [block.to, block.from] : [block.from, block.to];
  if (!isSet(mine)) throw new TypeError(`${block.id} opens ${mine}, which is no machine`);
  return [
    {
      type: "openstack_networking_secgroup_rule_v2",
      name: block.id,
      args: present({
        security_group_id: ref(groupOf(mine), "id"),
        description: block.reason,
        direction: block.direction === "in" ? "ingress" : "egress",
        ethertype: "IPv4",
        protocol: block.protocol === "all" ? null : block.protocol,
        port_range_min: block.ports?.[0] ?? null,
        port_range_max: block.ports?.[1] ?? null,
        ...peer(other, block, context),
      }),
    },
  ];
};

function peer(other: FirewallBlock["from"] | FirewallBlock["to"], block: FirewallBlock, context: Context): Readonly<Record<string, Arg>> {
  if (isSet(other)) return { remote_group_id: ref(groupOf(other), "id") };
  if (block.cidr !== null) return { remote_ip_prefix: block.cidr };
  // the balancer's own machines have addresses of the subnet and are in no group of ours
  const [subnet] = context.blocks("subnet");
  if (!subnet) throw new TypeError("a cluster without a subnet");
  return { remote_ip_prefix: subnet.cidr };
}
