// Network and subnets: a VPC, a public and a private subnet in each zone, and the way out that the spec wants.
import type { BlockOf } from "../../blueprint/block.js";
import type { Context, MapBlock } from "../mapping.js";
import { ref, type VendorResource } from "../resource.js";
import { ownedBy, tagsOf } from "./tags.js";
import type { Vendor } from "./vendor.js";

const everywhere = "0.0.0.0/0";

/** Names of a network's parts. */
export const parts = {
  gateway: (network: string): string => `${network}-gateway`,
  publicRoute: (network: string): string => `${network}-route-public`,
  nat: (network: string, zone: string | null): string => `${network}-nat${zone === null ? "" : `-${zone}`}`,
  table: (network: string, of: string): string => `${network}-routes-${of}`,
} as const;

const side = (context: Context, of: "public" | "private") => context.blocks("subnet").filter((subnet) => subnet.side === of);

/** Zones that have a NAT gateway of their own; null stands for one of all zones. */
function natZones(vendor: Vendor, block: BlockOf<"network">, context: Context): readonly (string | null)[] {
  if (block.egress !== "nat" && block.egress !== "nat_per_zone") return [];
  if (vendor.natGateway === "of_network") return [null];
  const zones = side(context, "public").flatMap(({ zone }) => zone ?? []);
  if (block.egress === "nat_per_zone") return zones;
  // The first zone of the control planes that can hold it: new ones are appended, so it stays where it is.
  const first = context.spec.control_plane.zones.find((zone) => zones.includes(zone)) ?? zones[0];
  return first === undefined ? [] : [first];
}

/** Zone of the gateway by which a private subnet's machines go out; undefined: there is none. */
function natOf(zone: string | null, zones: readonly (string | null)[]): string | null | undefined {
  return zones.find((of) => of === zone) ?? zones[0];
}

/** Whether anything of the network faces the world. */
const open = (block: BlockOf<"network">, context: Context): boolean => block.egress !== "none" || context.blueprint.endpoint.public;

export const mapNetwork =
  (vendor: Vendor): MapBlock<"network"> =>
  (block, context) => {
    if (block.existing !== null) return [];
    const vpc = context.idOf(block.id);
    const network: VendorResource = {
      type: "aws_vpc",
      name: block.id,
      args: { cidr_block: block.cidr, enable_dns_support: true, enable_dns_hostnames: true, ...tagsOf(context, block.name) },
    };
    if (!open(block, context)) return [network];
    const gateway: VendorResource = {
      type: "aws_internet_gateway",
      name: parts.gateway(block.id),
      args: { vpc_id: vpc, ...tagsOf(context, block.name) },
    };
    const zones = natZones(vendor, block, context);
    return [
      network,
      gateway,
      ...(side(context, "public").length || block.egress === "public" ? publicRoutes(block, context) : []),
      ...zones.flatMap((zone) => natGateway(vendor, block, context, zone)),
      ...zones.flatMap((zone) => privateRoutes(block, context, zone)),
    ];
  };

function publicRoutes(block: BlockOf<"network">, context: Context): readonly VendorResource[] {
  const table = parts.table(block.id, "public");
  return [
    { type: "aws_route_table", name: table, args: { vpc_id: context.idOf(block.id), ...tagsOf(context, `${block.name}-public`) } },
    {
      type: "aws_route",
      name: parts.publicRoute(block.id),
      args: {
        route_table_id: ref(table, "id"),
        destination_cidr_block: everywhere,
        gateway_id: ref(parts.gateway(block.id), "id"),
      },
    },
  ];
}

function natGateway(vendor: Vendor, block: BlockOf<"network">, context: Context, zone: string | null): readonly VendorResource[] {
  const name = zone === null ? `${block.name}-nat` : `${block.name}-nat-${zone}`;
  const tags = tagsOf(context, name);
  const gateway = { type: "aws_nat_gateway", name: parts.nat(block.id, zone) } as const;
  // A NAT gateway cannot be made before the network has its gateway, and no argument says so.
  const dependsOn = [parts.gateway(block.id)];
  if (zone === null) return [{ ...gateway, args: { vpc_id: context.idOf(block.id), ...tags }, dependsOn }];
  const subnet = side(context, "public").find((of) => of.zone === zone);
  if (!subnet) throw new TypeError(`no public subnet in ${zone}`);
  const address = `${parts.nat(block.id, zone)}-address`;
  return [
    { type: "aws_eip", name: address, args: { ...vendor.publicAddress, ...tags }, dependsOn },
    { ...gateway, args: { allocation_id: ref(address, "id"), subnet_id: context.idOf(subnet.id), ...tags }, dependsOn },
  ];
}

function privateRoutes(block: BlockOf<"network">, context: Context, zone: string | null): readonly VendorResource[] {
  const of = zone ?? "private";
  const table = parts.table(block.id, of);
  return [
    { type: "aws_route_table", name: table, args: { vpc_id: context.idOf(block.id), ...tagsOf(context, `${block.name}-${of}`) } },
    {
      type: "aws_route",
      name: `${block.id}-route-${of}`,
      args: {
        route_table_id: ref(table, "id"),
        destination_cidr_block: everywhere,
        nat_gateway_id: ref(parts.nat(block.id, zone), "id"),
      },
    },
  ];
}

export const mapSubnet =
  (vendor: Vendor): MapBlock<"subnet"> =>
  (block, context) => {
    const network = context.block(block.network);
    if (network.kind !== "network" || block.zone === null) throw new TypeError(`${block.id} of no zone`);
    const role = block.side === "public" ? "kubernetes.io/role/elb" : "kubernetes.io/role/internal-elb";
    const tags = tagsOf(context, block.name, { ...ownedBy(context.blueprint.cluster), [role]: "1" });
    const subnet: readonly VendorResource[] =
      block.existing === null
        ? [
            {
              type: "aws_subnet",
              name: block.id,
              args: { vpc_id: context.idOf(network.id), availability_zone: block.zone, cidr_block: block.cidr, ...tags },
            },
          ]
        : [];
    const table = network.existing === null ? tableOf(vendor, block, network, context) : null;
    if (table === null) return subnet;
    return [
      ...subnet,
      {
        type: "aws_route_table_association",
        name: `${block.id}-routes`,
        args: { subnet_id: context.idOf(block.id), route_table_id: ref(table, "id") },
      },
    ];
  };

/** Routes of a subnet; null: the network's own, which know the network alone. */
function tableOf(vendor: Vendor, block: BlockOf<"subnet">, network: BlockOf<"network">, context: Context): string | null {
  if (!open(network, context)) return null;
  if (block.side === "public" || network.egress === "public") return parts.table(network.id, "public");
  const zone = natOf(block.zone, natZones(vendor, network, context));
  return zone === undefined ? null : parts.table(network.id, zone ?? "private");
}
