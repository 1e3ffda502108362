// OpenStack: Nova, Neutron, Cinder and Octavia. docs/clouds/openstack.md tells what is made and why.
import type { ClusterSpec } from "../../spec/gen/spec.js";
import type { Problem } from "../../spec/problem.js";
import type { Mapping } from "../mapping.js";
import { present, ref } from "../resource.js";
import { mapBalancer } from "./balancer.js";
import { problems } from "./check.js";
import { mapFirewall, sharedGroups } from "./firewall.js";
import { mapAddress, mapDisk, mapMachine, sharedServerGroups } from "./machine.js";
import { mapNetwork, mapSubnet, settings, sharedNetworks } from "./network.js";

export const openstack: Mapping = {
  name: "openstack",
  limits: {
    // Nova's column holds 65535 characters of base64
    userDataBytes: 49_149,
    userDataEncoding: "gzip_base64",
    nameLength: 63,
    capacityTypes: ["ON_DEMAND"],
    rootDisk: true,
    diskTypes: true,
    diskIops: false,
    instanceTypes: 1,
    instanceType: null,
    subnets: "one",
    egress: ["none", "nat"],
    // Neutron drops what does not bear a port's own address
    podTraffic: "tunnelled",
    publicAddresses: "one",
    tags: {
      key: /^[^=,/]{1,29}$/,
      value: /^[^,/]{0,30}$/,
      allowed: "keys of up to 29 and values of up to 30 characters, without commas and slashes: Neutron keeps 60 of both together",
      most: 50,
    },
  },
  unsupported: {},
  provider: {
    type: "openstack",
    source: "terraform-provider-openstack/openstack",
    version: "~> 3.4",
    args: (spec) => present({ region: settings(spec).region }),
  },
  map: {
    network: mapNetwork,
    subnet: mapSubnet,
    firewall: mapFirewall,
    address: mapAddress,
    disk: mapDisk,
    machine: mapMachine,
    balancer: mapBalancer,
  },
  shared: (context) => [...sharedNetworks(context), ...sharedGroups(context), ...sharedServerGroups(context)],
  outputs: {
    machineId: (machine) => ref(machine, "id"),
    machineAddress: (machine) => ref(machine, "access_ip_v4"),
    // the first twenty characters of a volume's id are the serial number that a machine sees
    diskDevice: (disk) => ref(disk, "id"),
    publicHost: ({ blocks }, context) => context.idOf(publicAddress(blocks), "address"),
  },
  machines: {
    openstack_compute_instance_v2: {
      boot: ["image_id", "flavor_name", "user_data"],
      fixed: ["name", "availability_zone", "config_drive", "network", "scheduler_hints", "block_device"],
      inPlace: ["security_groups", "metadata"],
    },
  },
  check: (spec: ClusterSpec): readonly Problem[] => problems(spec),
};

function publicAddress(blocks: readonly { readonly kind: string; readonly id: string }[]): string {
  const found = blocks.find((block) => block.kind === "address" && (block as { side?: string }).side === "public");
  if (!found) throw new TypeError("a public endpoint without an address");
  return found.id;
}
