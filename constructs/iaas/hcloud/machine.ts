// Servers, the volumes of etcd, and public addresses of control planes that stay when their servers go.
import type { DiskBlock, MachineBlock } from "../../blueprint/block.js";
import type { Context } from "../mapping.js";
import { fitName } from "../names.js";
import { type Args, ref, text, type VendorResource } from "../resource.js";
import { firewallIds } from "./firewall.js";
import { machineSubnet } from "./network.js";
import { placementGroupId } from "./placement.js";
import { apiAtControlPlanes, facesTheWorld, labels, roleLabel, settings } from "./settings.js";

/** A host name; what a worker's name ends in fits behind it. */
export const serverNameLength = 57;

export function diskResources(block: DiskBlock, { spec, blueprint }: Context): readonly VendorResource[] {
  return [
    {
      type: "hcloud_volume",
      name: block.id,
      args: {
        name: block.name,
        size: block.sizeGib,
        location: block.zone,
        labels: labels(spec),
        delete_protection: blueprint.protected,
      },
    },
  ];
}

export function machineResources(block: MachineBlock, context: Context): readonly VendorResource[] {
  return [...publicAddress(block, context), server(block, context), ...block.disks.map((disk) => attachment(block, disk))];
}

function server(block: MachineBlock, context: Context): VendorResource {
  const { spec } = context;
  const from = context.boot(block.id);
  const worker = block.role === "worker";
  const name = fitName(block.name, serverNameLength);
  return {
    type: "hcloud_server",
    name: block.id,
    args: {
      // unique in a project, and a worker's successor stands beside it
      name: worker ? text(name, "-", { raw: "substr(uuid(), 0, 5)" }) : name,
      server_type: from.instanceType,
      image: from.image,
      user_data: from.userData,
      location: block.zone,
      placement_group_id: placementGroupId(context.member(block.id)),
      public_net: [publicNet(block, context)],
      // without alias_ips the provider attaches anew at every apply
      network: [{ subnet_id: machineSubnet(block, context), ...(block.address === null ? {} : { ip: block.address }), alias_ips: [] }],
      firewall_ids: firewallIds(block.role, context),
      ssh_keys: settings(spec).ssh_keys,
      keep_disk: true,
      labels: labels(spec, { [roleLabel]: block.role }),
    },
    lifecycle: {
      createBeforeDestroy: worker,
      // in place the provider switches the machine off, changes it and leaves it off
      replaceTriggeredBy: [from.instanceType],
      // A change of keys would be a new machine, one of public_net a restart of all: they hold for machines made from then on.
      // So does one of firewalls, for none may be taken off a machine that keeps its public side.
      ignoreChanges: ["ssh_keys", "public_net", "firewall_ids", ...(worker ? ["name"] : [])],
    },
  };
}

const addressName = (machine: string): string => `${machine}-ipv4`;

function publicNet({ id, role }: MachineBlock, { spec }: Context): Args {
  const own = role === "control-plane" && apiAtControlPlanes(spec);
  return { ipv4_enabled: facesTheWorld(spec, role), ipv6_enabled: false, ...(own ? { ipv4: ref(addressName(id), "id") } : {}) };
}

function publicAddress(block: MachineBlock, { spec, blueprint }: Context): readonly VendorResource[] {
  if (block.role !== "control-plane" || !apiAtControlPlanes(spec)) return [];
  return [
    {
      type: "hcloud_primary_ip",
      name: addressName(block.id),
      args: {
        name: block.name,
        type: "ipv4",
        location: block.zone,
        assignee_type: "server",
        auto_delete: false,
        labels: labels(spec),
        delete_protection: blueprint.protected,
      },
      lifecycle: { preventDestroy: blueprint.protected },
    },
  ];
}

const attachment = ({ id }: MachineBlock, disk: string): VendorResource => ({
  type: "hcloud_volume_attachment",
  name: `${id}-${disk.split("/").at(-1)}`,
  args: { volume_id: ref(disk, "id"), server_id: ref(id, "id"), automount: false },
});
