// Network, subnet, and a router where anything passes between them and the world.
import type { NetworkBlock, SubnetBlock } from "../../blueprint/block.js";
import { addressAt, network as hostless, parseCidr } from "../../spec/cidr.js";
import type { ClusterSpec } from "../../spec/gen/spec.js";
import type { Context, MapBlock } from "../mapping.js";
import { type Arg, present, ref, type VendorResource } from "../resource.js";
import { labels } from "./tags.js";

const router = "network-router";
const routerPort = "subnet-router";
const externalNetwork = "shared/external-network";

/** In a network of the user's own the way out and in is the user's. */
export const hasRouter = ({ vpc_config: { network_id, egress, endpoint_public_access } }: ClusterSpec): boolean =>
  network_id === null && (egress === "nat" || endpoint_public_access);

/** What a packet from a machine to the world needs, to be there before the machine boots and after it is gone. */
export const wayOut = ({ spec }: Context): readonly string[] => (hasRouter(spec) ? [routerPort] : []);

export const mapNetwork: MapBlock<"network"> = (block: NetworkBlock, { spec }) => [
  ...(block.existing === null
    ? [
        {
          type: "openstack_networking_network_v2",
          name: block.id,
          args: present({ name: block.name, admin_state_up: true, tags: labels(spec) }),
        },
      ]
    : []),
  ...(hasRouter(spec)
    ? [
        {
          type: "openstack_networking_router_v2",
          name: router,
          args: present({
            name: block.name,
            admin_state_up: true,
            external_network_id: ref(externalNetwork, "id"),
            tags: labels(spec),
          }),
        },
      ]
    : []),
];

export const mapSubnet: MapBlock<"subnet"> = (block: SubnetBlock, context) => {
  if (block.existing !== null) return [];
  const { spec } = context;
  const subnet: VendorResource = {
    type: "openstack_networking_subnet_v2",
    name: block.id,
    args: present({
      name: block.name,
      network_id: context.idOf(block.network),
      cidr: block.cidr,
      ip_version: 4,
      // the addresses before it are the gateway's, the endpoint's and the control planes', of which none is given away
      allocation_pool: [allocationPool(block.cidr, spec.vpc_config.address_offset)],
      tags: labels(spec),
    }),
  };
  if (!hasRouter(spec)) return [subnet];
  const args = { router_id: ref(router, "id"), subnet_id: ref(block.id, "id") };
  return [subnet, { type: "openstack_networking_router_interface_v2", name: routerPort, args }];
};

/** Addresses that Neutron may give: what follows the last control plane, up to the one before the broadcast address. */
export function allocationPool(cidr: string, offset: number): { readonly start: string; readonly end: string } {
  const parsed = parseCidr(cidr);
  if (!parsed) throw new TypeError(`${cidr} passed parse()`);
  const range = hostless(parsed);
  return { start: addressAt(range, offset + 6), end: addressAt(range, range.size - 2) };
}

/** The network behind the name of the spec; a router wants its id. */
export const sharedNetworks = ({ spec }: Context): readonly VendorResource[] =>
  hasRouter(spec)
    ? [
        {
          type: "openstack_networking_network_v2",
          name: externalNetwork,
          data: true,
          args: { name: settings(spec).external_network, external: true } as Readonly<Record<string, Arg>>,
        },
      ]
    : [];

export function settings(spec: ClusterSpec) {
  if (!spec.iaas.openstack) throw new TypeError("the OpenStack mapping of a spec of another cloud");
  return spec.iaas.openstack;
}
