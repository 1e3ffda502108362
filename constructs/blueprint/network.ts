// Subnets and the addresses in them, by plain arithmetic: known at synth, so that certificates, balancer and boot
// documents need nothing of a machine.
import { addressAt, parseCidr } from "../spec/cidr.js";
import type { ClusterSpec } from "../spec/gen/spec.js";
import { inName } from "../spec/rules/names.js";
import type { AddressBlock, Block, SubnetBlock } from "./block.js";
import { type Letter, letters } from "./names.js";

export const networkId = "network";
const oneSubnet = "subnet";
export const balancerId = "endpoint/balancer";

function range(cidr: string) {
  const parsed = parseCidr(cidr);
  if (!parsed) throw new TypeError(`${cidr} passed parse()`);
  return parsed;
}

/** .1 is the gateway; clouds keep a few more at the start for themselves, and so may others in an existing subnet. */
export const endpointAddress = (cidr: string, offset: number): string => addressAt(range(cidr), offset);

/** Next to the endpoint's, one for each letter whether it is used or not: growth moves nobody. */
export const controlPlaneAddress = (cidr: string, offset: number, letter: Letter): string =>
  addressAt(range(cidr), offset + 1 + letters.indexOf(letter));

export interface Layout {
  /** Network, subnets, addresses of the endpoint. */
  readonly blocks: readonly Block[];
  readonly places: readonly { readonly zone: string | null; readonly subnet: string; readonly address: string }[];
  readonly publicAddresses: readonly string[];
  /** Where a machine of the zone is. */
  readonly placeIn: (zone: string) => Place;
}

export interface Place {
  readonly subnet: string;
  readonly cidr: string;
  /** The endpoint's address there. */
  readonly endpoint: string;
}

export function layoutOf(spec: ClusterSpec): Layout {
  const { name: cluster, vpc_config: wanted } = spec;
  const zones = Object.keys(wanted.subnets).sort();
  const subnets = zones.length === 0 ? [theOne(spec)] : zones.flatMap((zone) => ofZone(spec, zone));
  const inside = subnets.filter(({ side }) => side === "private");
  const places = inside.map(({ id, cidr, zone }) => ({ zone, subnet: id, address: endpointAddress(cidr, wanted.address_offset) }));
  const addresses: readonly AddressBlock[] = places.map(({ zone, subnet, address }) => ({
    kind: "address",
    id: zone === null ? "endpoint/address" : `endpoint/address/${zone}`,
    name: zone === null ? `${cluster}-api` : `${cluster}-api-${inName(zone)}`,
    existing: null,
    subnet,
    address,
    side: "private",
    owner: balancerId,
    zone,
  }));
  const open = wanted.endpoint_public_access ? publicAddresses(spec, subnets) : [];
  const placeIn = (zone: string): Place => {
    const subnet = inside.find((one) => one.zone === null || one.zone === zone);
    if (!subnet) throw new TypeError(`no subnet in zone ${zone} passed parse()`);
    return { subnet: subnet.id, cidr: subnet.cidr, endpoint: endpointAddress(subnet.cidr, wanted.address_offset) };
  };
  return {
    blocks: [
      {
        kind: "network",
        id: networkId,
        name: cluster,
        existing: wanted.network_id,
        cidr: wanted.cidr,
        egress: wanted.egress,
      },
      ...subnets,
      ...addresses,
      ...open,
    ],
    places,
    publicAddresses: open.map(({ id }) => id),
    placeIn,
  };
}

const theOne = ({ name, vpc_config: { cidr, subnet_id } }: ClusterSpec): SubnetBlock => ({
  kind: "subnet",
  id: oneSubnet,
  name,
  existing: subnet_id,
  network: networkId,
  cidr,
  zone: null,
  side: "private",
});

function ofZone({ name, vpc_config }: ClusterSpec, zone: string): readonly SubnetBlock[] {
  const subnet = vpc_config.subnets[zone];
  if (!subnet) throw new TypeError(`no subnet of ${zone}`);
  const { cidr, id, public_cidr, public_id } = subnet;
  const base = { kind: "subnet", network: networkId, zone } as const;
  return [
    { ...base, id: `${oneSubnet}/${zone}/private`, name: `${name}-${inName(zone)}`, existing: id, cidr, side: "private" },
    ...(public_cidr === null
      ? []
      : [
          {
            ...base,
            id: `${oneSubnet}/${zone}/public`,
            name: `${name}-${inName(zone)}-public`,
            existing: public_id,
            cidr: public_cidr,
            side: "public",
          } as const,
        ]),
  ];
}

/** One for each zone with a public subnet; one alone where the cluster has no subnets by zone. */
function publicAddresses({ name, vpc_config }: ClusterSpec, subnets: readonly SubnetBlock[]): readonly AddressBlock[] {
  const outside = subnets.filter(({ side, zone }) => side === "public" || zone === null);
  return outside.map(({ id, zone }, n) => ({
    kind: "address",
    id: zone === null ? "endpoint/public" : `endpoint/public/${zone}`,
    name: zone === null ? `${name}-api-public` : `${name}-api-public-${inName(zone)}`,
    existing: vpc_config.endpoint_public_addresses[n] ?? null,
    subnet: id,
    address: null,
    side: "public",
    owner: balancerId,
    zone,
  }));
}
