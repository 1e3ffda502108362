// Disks that outlive machines.
import type { MapBlock } from "../mapping.js";
import { present } from "../resource.js";
import { tagsOf } from "./tags.js";
import type { Vendor } from "./vendor.js";

export const mapDisk =
  (vendor: Vendor): MapBlock<"disk"> =>
  (block, context) => [
    {
      type: "aws_ebs_volume",
      name: block.id,
      args: present({
        availability_zone: block.zone,
        size: block.sizeGib,
        type: block.type ?? vendor.diskType,
        iops: block.iops,
        ...vendor.disk,
        ...tagsOf(context, block.name),
      }),
    },
  ];
