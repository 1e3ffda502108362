// What control planes may do in the cloud. Workers have no profile: what runs on them has no business with the cloud's API.
import type { Context } from "../mapping.js";
import { fitName } from "../names.js";
import { ref, type VendorResource } from "../resource.js";
import { cloudController, diskDriver, trust } from "./policies.js";
import { tagsOf } from "./tags.js";
import { regionOf, type Vendor } from "./vendor.js";

export const profileName = "shared/profile";
const roleName = "shared/role";

/** Longest name of a role; a profile's may be longer. */
export const roleLength = 64;

export const identity =
  (vendor: Vendor) =>
  (context: Context): readonly VendorResource[] => {
    if (!vendor.instanceProfile) return [];
    const { cluster } = context.blueprint;
    const region = regionOf(vendor, context.spec);
    // Roles are the whole account's: a cluster of the same name in another region has its own.
    const name = fitName(`${cluster}-control-plane-${region}`, roleLength);
    const policy = (what: string, document: object): VendorResource => ({
      type: "aws_iam_role_policy",
      name: `${roleName}-${what}`,
      args: { name: what, role: ref(roleName, "id"), policy: JSON.stringify(document) },
    });
    return [
      { type: "aws_iam_role", name: roleName, args: { name, assume_role_policy: JSON.stringify(trust), ...tagsOf(context, name) } },
      policy("cloud-controller", cloudController(cluster, region)),
      policy("disk-driver", diskDriver(cluster, region)),
      { type: "aws_iam_instance_profile", name: profileName, args: { name, role: ref(roleName, "name"), ...tagsOf(context, name) } },
    ];
  };
