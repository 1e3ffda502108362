// Hetzner Cloud. Zones are its locations. What it has not: a gateway for machines without public addresses, a firewall
// between machines, a balancer that asks who is there. What is done instead is said in docs/clouds/hetzner.md.
import { balancerId } from "../blueprint/network.js";
import { balancerResources } from "./hcloud/balancer.js";
import { check, warn } from "./hcloud/check.js";
import { firewalls } from "./hcloud/firewall.js";
import { diskResources, machineResources, serverNameLength } from "./hcloud/machine.js";
import { networkResources, subnetResources } from "./hcloud/network.js";
import { placementGroups } from "./hcloud/placement.js";
import type { Mapping, NameLimit } from "./mapping.js";
import { ref } from "./resource.js";

const hostName: NameLimit = {
  length: 63,
  pattern: /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/,
  allowed: "a-z, 0-9 and dashes, a letter or digit first and last",
};

export const hcloud: Mapping = {
  name: "hcloud",
  limits: {
    userDataBytes: 32_768,
    // its datasource decodes base64 by itself; the API takes text only
    userDataEncoding: "gzip_base64_text",
    nameLength: serverNameLength,
    names: { hcloud_server: hostName },
    capacityTypes: ["ON_DEMAND"],
    rootDisk: false,
    diskTypes: false,
    diskIops: false,
    instanceTypes: 1,
    instanceType: null,
    subnets: "one",
    egress: ["public", "none"],
    podTraffic: "tunnelled",
    publicAddresses: "none",
    tags: {
      key: /^(?!(honest-paas|hetzner\.cloud)\/)([a-zA-Z0-9]([-_.a-zA-Z0-9]{0,251}[a-zA-Z0-9])?\/)?[a-zA-Z0-9]([-_.a-zA-Z0-9]{0,61}[a-zA-Z0-9])?$/,
      value: /^([a-zA-Z0-9]([-_.a-zA-Z0-9]{0,61}[a-zA-Z0-9])?)?$/,
      allowed:
        'labels: up to 63 characters of a-z, A-Z, 0-9, "-", "_" and ".", a letter or digit first and last; keys may have a prefix and "/", which is neither honest-paas nor hetzner.cloud; values may be empty',
      // none is documented
      most: Number.POSITIVE_INFINITY,
    },
  },
  unsupported: {
    "control_plane.extra_disks": "choose a machine type with a larger disk",
    "node_groups.*.extra_disks": "choose a machine type with a larger disk, or claim volumes from pods by the vendor's CSI driver",
  },
  provider: { type: "hcloud", source: "hetznercloud/hcloud", version: "~> 1.68", args: () => ({}) },
  map: {
    network: networkResources,
    subnet: subnetResources,
    // rules are no resources of their own here; shared makes them, as far as there is something that could hold them
    firewall: () => [],
    // the balancer and the servers take theirs by themselves
    address: () => [],
    disk: diskResources,
    machine: machineResources,
    balancer: balancerResources,
  },
  shared: (context) => [...firewalls(context), ...placementGroups(context)],
  outputs: {
    machineId: (machine) => ref(machine, "id"),
    // a set of one
    machineAddress: (machine) => ref(machine, "network.*.ip[0]"),
    diskDevice: (disk) => ref(disk, "id"),
    publicHost: () => ref(balancerId, "ipv4"),
  },
  machines: {
    hcloud_server: {
      boot: ["server_type", "image", "user_data"],
      fixed: ["location", "network", "placement_group_id", "public_net", "firewall_ids", "ssh_keys"],
      inPlace: ["name", "labels", "keep_disk"],
    },
  },
  check,
  warn,
};
