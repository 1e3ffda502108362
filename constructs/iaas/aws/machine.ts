// Machines. All that would restart or replace one comes from honest_boot: a new type, image or root disk is a new release,
// whose user-data differ too, so user_data_replace_on_change makes it a replacement. EC2's own way, to stop a machine, change
// its type and start it again, asks no gate and takes all of a kind at once; so a type alone, changed by hand, is let be.
import type { BlockOf } from "../../blueprint/block.js";
import type { Context, MachineArguments, MapBlock } from "../mapping.js";
import { type Args, present, ref, type VendorResource } from "../resource.js";
import { sidesOf, targetsOf } from "./balancer.js";
import { profileName } from "./identity.js";
import { groupsOf } from "./security.js";
import { ownedBy, tagsOf } from "./tags.js";
import type { Vendor } from "./vendor.js";

type Machine = BlockOf<"machine">;

export const machineArguments: MachineArguments = {
  boot: ["ami", "instance_type", "user_data_base64", "root_block_device"],
  fixed: [
    "user_data_replace_on_change",
    "subnet_id",
    "primary_network_interface",
    "network_interface",
    "placement_group",
    // ignored after the machine was made
    "associate_public_ip_address",
    "instance_market_options",
    "ebs_block_device",
  ],
  inPlace: ["tags", "vpc_security_group_ids", "source_dest_check", "iam_instance_profile", "metadata_options"],
};

/** A successor has what the configuration says; a machine that stands keeps these. */
const letBe = ["instance_type", "ebs_block_device"];

const spreadName = "shared/spread";

/** Control planes are on different hosts even within a zone. Workers are not: such a group holds seven of a zone (K2: five). */
export const spread = (context: Context): readonly VendorResource[] => {
  const name = `${context.blueprint.cluster}-control-plane`;
  return [{ type: "aws_placement_group", name: spreadName, args: { name, strategy: "spread", ...tagsOf(context, name) } }];
};

export const mapMachine =
  (vendor: Vendor): MapBlock<"machine"> =>
  (block, context) => {
    const from = context.boot(block.id);
    const common: Args = {
      ami: from.image,
      instance_type: from.instanceType,
      user_data_base64: from.userData,
      user_data_replace_on_change: true,
      root_block_device: [{ volume_type: vendor.diskType, volume_size: from.rootDiskGib, ...vendor.disk, ...tagsOf(context, block.name) }],
      ...extraDisks(vendor, block, context),
      ...vendor.machine,
      ...tagsOf(context, block.name, ownedBy(context.blueprint.cluster)),
    };
    if (block.role === "control-plane") return controlPlane(vendor, block, context, common);
    const group = context.spec.node_groups[context.member(block.id).pool];
    const open = networkOf(context).egress === "public";
    const spot = group?.capacity_type === "SPOT";
    return [
      {
        type: "aws_instance",
        name: block.id,
        args: present({
          ...common,
          subnet_id: context.idOf(block.subnet),
          vpc_security_group_ids: groupsOf(context, "worker"),
          source_dest_check: false,
          associate_public_ip_address: open ? true : null,
          instance_market_options: spot ? [{ market_type: "spot" }] : null,
        }),
        lifecycle: {
          createBeforeDestroy: true,
          // Where it changes for a whole group, only new machines have it: nothing but a release replaces one.
          ignoreChanges: [...letBe, ...vendor.onceOnly],
        },
      },
    ];
  };

function controlPlane(vendor: Vendor, block: Machine, context: Context, common: Args): readonly VendorResource[] {
  if (block.addressBlock === null) throw new TypeError(`${block.id} has no address`);
  const instance = ref(block.id, "id");
  return [
    {
      type: "aws_instance",
      name: block.id,
      args: {
        ...common,
        ...vendor.ownInterface(ref(block.addressBlock, "id")),
        placement_group: ref(spreadName, "id"),
        ...(vendor.instanceProfile ? { iam_instance_profile: ref(profileName, "name") } : {}),
      },
      // The etcd disk is attached by a resource of its own; the machine's list of disks is not to notice.
      lifecycle: { ignoreChanges: letBe },
    },
    ...block.disks.map(
      (disk): VendorResource => ({
        type: "aws_volume_attachment",
        name: `${block.id}-disk`,
        args: present({ device_name: vendor.etcdDevice, volume_id: ref(disk, "id"), instance_id: instance, [vendor.detach]: true }),
      }),
    ),
    ...(vendor.targets === "instance" ? machineTargets(block, context) : []),
  ];
}

/** The balancer knows machines where it cannot know addresses; it is the machine's part, so that no other machine waits for it. */
function machineTargets(block: Machine, context: Context): readonly VendorResource[] {
  return context.blocks("balancer").flatMap((balancer) =>
    sidesOf(balancer).map((side) => ({
      type: "aws_lb_target_group_attachment",
      name: `${block.id}-target${side}`,
      args: { target_group_arn: ref(targetsOf(balancer.id, side), "arn"), target_id: ref(block.id, "id"), port: balancer.port },
    })),
  );
}

function extraDisks(vendor: Vendor, block: Machine, context: Context): Args {
  if (block.extraDisks.length === 0) return {};
  return {
    ebs_block_device: block.extraDisks.map((disk, n) => ({
      device_name: vendor.extraDevice(n),
      volume_size: disk.sizeGib,
      volume_type: disk.type ?? vendor.diskType,
      ...vendor.disk,
      delete_on_termination: true,
      ...tagsOf(context, `${block.name}-${disk.name}`),
    })),
  };
}

function networkOf(context: Context): BlockOf<"network"> {
  const [network] = context.blocks("network");
  if (!network) throw new TypeError("no network");
  return network;
}
