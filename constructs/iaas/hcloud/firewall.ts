// Firewalls stand between a machine and the world, never between machines: rows of the table that are inside the network have
// nothing here that could hold them. So there is one firewall for each role, closed but for what the spec opens to the world.
// Both are always there: a machine keeps the public side that it was made with, and with it its firewall.
import type { FirewallBlock } from "../../blueprint/block.js";
import type { Context } from "../mapping.js";
import { type Arg, type Args, ref, type VendorResource } from "../resource.js";
import { apiAtControlPlanes, facesTheWorld, labels, numeric } from "./settings.js";

const roles = ["control-plane", "worker"] as const;
type Role = (typeof roles)[number];

const nameOf = (role: Role): string => `shared/firewall/${role}`;

export function firewalls(context: Context): readonly VendorResource[] {
  const { spec } = context;
  // refused by check(); whoever maps such a spec all the same gets none, as the contract says
  if (spec.vpc_config.firewall === "own") return [];
  return roles.map((role) => ({
    type: "hcloud_firewall",
    name: nameOf(role),
    args: {
      name: `${spec.name}-${role}`,
      labels: labels(spec),
      rule: context
        .blocks("firewall")
        .filter((row) => opens(row, role, context))
        .map(rule),
    },
  }));
}

/** Whether the row lets the world in at machines of the role. */
function opens({ direction, from, to }: FirewallBlock, role: Role, { spec }: Context): boolean {
  if (direction !== "in" || from !== "world") return false;
  // what the balancer lets in is not its machines' to say, unless they are the endpoint
  return to === "all" || to === role || (to === "balancer" && role === "control-plane" && apiAtControlPlanes(spec));
}

const rule = ({ protocol, ports, cidr, reason }: FirewallBlock): Args => ({
  direction: "in",
  protocol,
  ...(ports === null ? {} : { port: ports[0] === ports[1] ? String(ports[0]) : `${ports[0]}-${ports[1]}` }),
  source_ips: [cidr],
  description: reason,
});

/** Ids of the firewalls of a machine; the API takes none for one without a public side. */
export const firewallIds = (role: Role, { spec }: Context): readonly Arg[] =>
  facesTheWorld(spec, role)
    ? [...(spec.vpc_config.firewall === "own" ? [] : [ref(nameOf(role), "id")]), ...spec.vpc_config.security_group_ids.map(numeric)]
    : [];
