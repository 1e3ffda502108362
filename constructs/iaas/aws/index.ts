// The mapping of AWS, and of K2 Cloud with its differences (vendor.ts). Node groups are plain instances: autoscaling groups
// make machines that no apply has granted a place in the cluster, so they come when nodes can ask for one themselves.
import type { Mapping, NameLimit } from "../mapping.js";
import { ref } from "../resource.js";
import { mapAddress } from "./address.js";
import { balancerName, mapBalancer, publicBalancer } from "./balancer.js";
import { checkSpec, warnSpec } from "./check.js";
import { mapDisk } from "./disk.js";
import { identity, roleLength } from "./identity.js";
import { machineArguments, mapMachine, spread } from "./machine.js";
import { mapNetwork, mapSubnet } from "./network.js";
import { mapFirewall, securityGroups } from "./security.js";
import { awsVendor, k2Vendor, regionOf, type Vendor } from "./vendor.js";

const balanced: NameLimit = {
  length: balancerName,
  pattern: /^(?!internal-)[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$/,
  allowed: 'letters, digits and dashes, a letter or digit first and last, not "internal-" first',
};
const ofRole = (length: number): NameLimit => ({ length, pattern: /^[\w+=,.@-]+$/, allowed: "letters, digits and +=,.@_-" });

const mappingOf = (vendor: Vendor): Mapping => {
  const shared = [securityGroups(vendor), spread, identity(vendor)];
  return {
    name: vendor.name,
    limits: {
      userDataBytes: 16_384,
      userDataEncoding: "gzip_base64",
      nameLength: 63,
      names: {
        aws_lb: balanced,
        aws_lb_target_group: balanced,
        aws_security_group: {
          length: 255,
          pattern: /^(?!sg-)[A-Za-z0-9-]+$/,
          allowed: 'letters, digits and dashes, not "sg-" first',
        },
        aws_placement_group: { length: 255, pattern: /^[A-Za-z0-9-]+$/, allowed: "letters, digits and dashes" },
        aws_iam_role: ofRole(roleLength),
        aws_iam_instance_profile: ofRole(128),
        aws_iam_role_policy: ofRole(128),
      },
      capacityTypes: vendor.capacityTypes,
      rootDisk: true,
      diskTypes: true,
      diskIops: true,
      instanceTypes: 1,
      instanceType: { pattern: /^[a-z][a-z0-9-]*\.[a-z0-9-]+$/, allowed: "family.size, for example c5.large" },
      subnets: "per_zone",
      egress: vendor.egress,
      podTraffic: "routed",
      publicAddresses: "per_zone",
      tags: {
        key: /^(?!aws:)[\p{L}\p{N} _.:/=+\-@]{1,128}$/u,
        value: /^[\p{L}\p{N} _.:/=+\-@]{0,256}$/u,
        allowed: 'letters, digits, spaces and _.:/=+-@; keys up to 128 characters and not "aws:" first, values up to 256',
        // fifty, of which the kit has up to five
        most: 45,
      },
    },
    unsupported: {
      "vpc_config.subnet_id": "name the subnets by zone: vpc_config.subnets.<zone>.id",
    },
    provider: {
      type: "aws",
      source: vendor.source,
      version: vendor.version,
      args: (spec) => ({ region: regionOf(vendor, spec) }),
    },
    shared: (context) => shared.flatMap((of) => of(context)),
    map: {
      network: mapNetwork(vendor),
      subnet: mapSubnet(vendor),
      firewall: mapFirewall(vendor),
      address: mapAddress(vendor),
      disk: mapDisk(vendor),
      machine: mapMachine(vendor),
      balancer: mapBalancer(vendor),
    },
    outputs: {
      machineId: (machine) => ref(machine, "id"),
      machineAddress: (machine) => ref(machine, "private_ip"),
      // The machine finds the link that ends in it.
      diskDevice: (disk) => ref(disk, "id"),
      publicHost: () => ref(publicBalancer, "dns_name"),
    },
    machines: { aws_instance: machineArguments },
    check: checkSpec(vendor),
    warn: warnSpec,
  };
};

export const aws = mappingOf(awsVendor);
export const k2 = mappingOf(k2Vendor);
