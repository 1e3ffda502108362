// Addresses that stay: a control plane's is an interface of its own, which its machines wear one after another; the public
// ones are elastic IPs. The balancers' private ones are theirs by themselves.
import type { MapBlock } from "../mapping.js";
import { present, ref, type VendorResource } from "../resource.js";
import { parts } from "./network.js";
import { groupsOf } from "./security.js";
import { tagsOf } from "./tags.js";
import type { Vendor } from "./vendor.js";

export const mapAddress =
  (vendor: Vendor): MapBlock<"address"> =>
  (block, context) => {
    const network = context.block("network");
    if (network.kind !== "network") throw new TypeError("no network");
    const gateway = network.existing === null ? { dependsOn: [parts.gateway(network.id)] } : {};
    const elastic = (name: string, of: VendorResource["args"]): VendorResource => ({
      type: "aws_eip",
      name,
      args: { ...vendor.publicAddress, ...of, ...tagsOf(context, block.name) },
      ...gateway,
    });
    if (block.side === "public") return block.existing === null ? [elastic(block.id, {})] : [];
    if (block.address === null || context.block(block.owner).kind !== "machine") return [];
    return [
      {
        type: "aws_network_interface",
        name: block.id,
        args: present({
          subnet_id: context.idOf(block.subnet),
          private_ips: [block.address],
          security_groups: groupsOf(context, "control-plane"),
          // Packets with pods' addresses come and go here.
          source_dest_check: false,
          description: vendor.descriptions ? `Address of the control plane ${block.name}` : null,
          ...tagsOf(context, block.name),
        }),
      },
      ...(network.egress === "public" ? [elastic(`${block.id}-public`, { network_interface: ref(block.id, "id") })] : []),
    ];
  };
