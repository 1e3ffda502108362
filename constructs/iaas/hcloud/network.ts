// Network and subnets. A subnet is in all locations of its network zone. Servers that ask for no address get the lowest free
// one, so the cluster's range is two subnets: the lower half for the fixed addresses of endpoint and control planes, the
// upper half for workers, who can take none of these there.
import type { MachineBlock, NetworkBlock, SubnetBlock } from "../../blueprint/block.js";
import { formatCidr, parseCidr } from "../../spec/cidr.js";
import type { Context } from "../mapping.js";
import { type Arg, ref, type VendorResource } from "../resource.js";
import { labels, numeric, settings } from "./settings.js";

const workers = (subnet: string): string => `${subnet}-workers`;

/** "10.98.0.0/16" → "10.98.0.0/17" and "10.98.128.0/17" */
export function halves(text: string): readonly [string, string] {
  const cidr = parseCidr(text);
  if (!cidr) throw new TypeError(`${text} passed parse()`);
  const half = { ...cidr, prefix: cidr.prefix + 1, size: cidr.size / 2 };
  return [formatCidr(half), formatCidr({ ...half, base: cidr.base + half.size })];
}

export function networkResources(block: NetworkBlock, { spec, blueprint }: Context): readonly VendorResource[] {
  if (block.existing !== null) return [];
  return [
    {
      type: "hcloud_network",
      name: block.id,
      args: { name: block.name, ip_range: block.cidr, labels: labels(spec), delete_protection: blueprint.protected },
    },
  ];
}

export function subnetResources(block: SubnetBlock, context: Context): readonly VendorResource[] {
  if (block.existing !== null) return [];
  const base = { network_id: networkOf(block, context), type: "cloud", network_zone: settings(context.spec).network_zone };
  const [lower, upper] = halves(block.cidr);
  return [
    { type: "hcloud_network_subnet", name: block.id, args: { ...base, ip_range: lower } },
    { type: "hcloud_network_subnet", name: workers(block.id), args: { ...base, ip_range: upper } },
  ];
}

function networkOf({ network }: SubnetBlock, context: Context): Arg {
  const id = context.idOf(network);
  return typeof id === "string" ? numeric(id) : id;
}

/** Id of the subnet with the fixed addresses. */
export const fixedSubnet = (subnet: string, context: Context): Arg => context.idOf(subnet);

/** Id of the subnet that a machine is in. Of an existing one there is no half that is ours. */
export function machineSubnet({ subnet, address }: MachineBlock, context: Context): Arg {
  const block = context.block(subnet);
  if (block.kind !== "subnet") throw new TypeError(`${subnet} is no subnet`);
  return address !== null || block.existing !== null ? context.idOf(subnet) : ref(workers(subnet), "id");
}
