// Machines. A control plane has a port and a volume that outlive it. A worker's port is made and removed with it, since its
// successor stands beside it.
import type { MachineBlock } from "../../blueprint/block.js";
import type { Context, MapBlock } from "../mapping.js";
import { type Arg, type Args, present, ref, type VendorResource } from "../resource.js";
import { groupIds, groupNames } from "./firewall.js";
import { wayOut } from "./network.js";
import { labels, pairs } from "./tags.js";

const serverGroup = (pool: string): string => `shared/server-group/${pool}`;

/** One for each pool. Control planes never share a hypervisor; workers do rather than not start. */
export const sharedServerGroups = ({ spec, blueprint }: Context): readonly VendorResource[] =>
  ["cp", ...blueprint.groups.map(({ name }) => name)].map((pool) => ({
    type: "openstack_compute_servergroup_v2",
    name: serverGroup(pool),
    args: { name: `${spec.name}-${pool}`, policies: [pool === "cp" ? "anti-affinity" : "soft-anti-affinity"] },
  }));

export const mapAddress: MapBlock<"address"> = (block, context) => {
  const { spec } = context;
  if (block.existing !== null) return [];
  if (block.side === "public") {
    const pool = spec.iaas.openstack?.external_network ?? null;
    const args = present({ pool, description: block.name, tags: labels(spec) });
    return [{ type: "openstack_networking_floatingip_v2", name: block.id, args }];
  }
  // the balancer takes its address by itself
  if (context.block(block.owner).kind !== "machine") return [];
  return [
    {
      type: "openstack_networking_port_v2",
      name: block.id,
      args: present({
        name: block.name,
        network_id: context.idOf("network"),
        admin_state_up: true,
        fixed_ip: [{ subnet_id: context.idOf(block.subnet), ip_address: block.address }],
        security_group_ids: groupIds("control-plane", context),
        tags: labels(spec),
      }),
    },
  ];
};

export const mapDisk: MapBlock<"disk"> = (block, { spec }) => [
  {
    type: "openstack_blockstorage_volume_v3",
    name: block.id,
    args: present({
      name: block.name,
      size: block.sizeGib,
      availability_zone: block.zone,
      volume_type: block.type,
      // it grows under a running machine; without this Cinder refuses
      enable_online_resize: true,
      metadata: pairs(spec),
    }),
  },
];

export const mapMachine: MapBlock<"machine"> = (block, context) => {
  const member = context.member(block.id);
  const boot = context.boot(block.id);
  const worker = block.role === "worker";
  const instance: VendorResource = {
    type: "openstack_compute_instance_v2",
    name: block.id,
    args: present({
      name: block.name,
      image_id: boot.image,
      flavor_name: boot.instanceType,
      user_data: boot.userData,
      availability_zone: block.zone,
      // user-data is on a disk of the machine: it boots where the metadata service is away, and before the network is up
      config_drive: true,
      network: [block.addressBlock === null ? { uuid: context.idOf("network") } : { port: ref(block.addressBlock, "id") }],
      // a port has its own
      security_groups: block.addressBlock === null ? groupNames(block.role, context) : null,
      scheduler_hints: [{ group: ref(serverGroup(member.pool), "id") }],
      block_device: blockDevices(block, context),
      metadata: pairs(context.spec),
    }),
    dependsOn: wayOut(context),
    lifecycle: {
      createBeforeDestroy: worker,
      // Nova would resize a machine that lives, and the vendor's provider asks it to
      replaceTriggeredBy: [boot.instanceType],
      // of an extra disk a change is part of the release, as the rest of the machine is
      ...(block.extraDisks.length ? { ignoreChanges: ["block_device"] } : {}),
    },
  };
  return [instance, ...block.disks.map((disk) => attachment(block, disk))];
};

const attachment = (block: MachineBlock, disk: string): VendorResource => ({
  type: "openstack_compute_volume_attach_v2",
  name: `${block.id}-disk`,
  args: { instance_id: ref(block.id, "id"), volume_id: ref(disk, "id") },
});

/** null: the machine type's own disk is the root disk and there is no other. */
function blockDevices(block: MachineBlock, context: Context): Arg {
  const boot = context.boot(block.id);
  const { pool } = context.member(block.id);
  const { spec } = context;
  const wanted = pool === "cp" ? spec.control_plane.disk_size : (spec.node_groups[pool]?.disk_size ?? null);
  if (wanted === null && block.extraDisks.length === 0) return null;
  const image: Args = { uuid: boot.image, source_type: "image", boot_index: 0, delete_on_termination: true };
  const root: Args =
    wanted === null ? { ...image, destination_type: "local" } : { ...image, destination_type: "volume", volume_size: boot.rootDiskGib };
  const extra = block.extraDisks.map(({ sizeGib, type }) =>
    present({
      source_type: "blank",
      destination_type: "volume",
      boot_index: -1,
      delete_on_termination: true,
      volume_size: sizeGib,
      volume_type: type,
    }),
  );
  return [root, ...extra];
}
