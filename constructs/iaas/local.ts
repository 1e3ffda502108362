// The local IaaS: containers of a Docker engine. A block is one resource or none: the engine's network needs no subnet of
// its own, is closed to everything outside, and lets an address be taken without reserving it.
import type { ClusterSpec } from "../spec/gen/spec.js";
import type { Mapping } from "./mapping.js";
import { present, ref } from "./resource.js";

const networkId = ref("network", "id");

function settings(spec: ClusterSpec) {
  if (!spec.iaas.local) throw new TypeError("the local mapping of a spec of another cloud");
  return spec.iaas.local;
}

export const local: Mapping = {
  name: "local",
  limits: {
    // An engine takes any size; what fits here fits every cloud.
    userDataBytes: 16_384,
    userDataEncoding: "gzip_base64",
    nameLength: 63,
    capacityTypes: ["ON_DEMAND"],
    rootDisk: false,
    diskTypes: false,
    diskIops: false,
    instanceTypes: 1,
    subnets: "one",
    egress: ["none"],
    podTraffic: "routed",
    publicAddresses: "none",
    tags: null,
    instanceType: {
      pattern: /^(local\.cpu\d+(\.\d+)?\.mem\d+|\d+(\.\d+)?x\d+)$/,
      allowed: '"local.cpu<CPUS>.mem<MiB>" or "<CPUS>x<MiB>", for example "local.cpu2.mem2048"',
    },
  },
  unsupported: {
    "node_groups.*.extra_disks": "use volumes of the image; a container has the engine's space",
    "vpc_config.network_id": "leave it out; the engine's network is the cluster's own",
    "vpc_config.security_group_ids": "leave it out; the engine's network is closed to everything outside",
    "vpc_config.security_rules": "leave it out; the engine's network is closed to everything outside",
    "vpc_config.endpoint_public_access": "use iaas.local.published_address to publish the API on an address of the host",
  },
  provider: null,
  map: {
    network: (block, { spec }) => {
      const { internal, mtu } = settings(spec);
      return [
        {
          type: "honest_local_network",
          name: block.id,
          args: present({ cluster: spec.name, name: block.name, cidr: block.cidr, internal, mtu }),
        },
      ];
    },
    subnet: () => [],
    firewall: () => [],
    address: () => [],
    disk: (block, { spec }) => [
      {
        type: "honest_local_disk",
        name: block.id,
        args: { cluster: spec.name, name: block.name, size_gib: block.sizeGib, zone: block.zone },
      },
    ],
    machine: (block, { spec, boot }) => {
      const from = boot(block.id);
      return [
        {
          type: "honest_local_machine",
          name: block.id,
          args: present({
            cluster: spec.name,
            name: block.name,
            network_id: networkId,
            address: block.address,
            zone: block.zone,
            image: from.image,
            instance_type: from.instanceType,
            root_disk_gib: from.rootDiskGib,
            user_data_base64: from.userData,
            // A worker's is chosen by the machine: its successor stands beside it under the same name.
            hostname: block.address === null ? null : block.name,
            disk_ids: block.disks.length ? block.disks.map((disk) => ref(disk, "id")) : null,
          }),
          lifecycle: { createBeforeDestroy: block.role === "worker" },
        },
      ];
    },
    balancer: (block, { spec }) => {
      const { published_port, published_address } = settings(spec);
      return [
        {
          type: "honest_local_balancer",
          name: block.id,
          args: {
            cluster: spec.name,
            name: block.name,
            network_id: networkId,
            address: block.address,
            image: spec.control_plane.image,
            port: block.port,
            backends: block.backends,
            published_port,
            published_address,
          },
          // Its haproxy does the same in every image. With a new version it would change in the apply that replaces the
          // control planes behind it, and its update would wait for the end of all of them.
          lifecycle: { ignoreChanges: ["image"] },
        },
      ];
    },
  },
  machines: {
    honest_local_machine: {
      boot: ["instance_type", "image", "root_disk_gib", "user_data_base64"],
      fixed: ["cluster", "name", "zone", "address", "hostname", "network_id", "disk_ids"],
      inPlace: [],
    },
  },
  outputs: {
    machineId: (machine) => ref(machine, "id"),
    machineAddress: (machine) => ref(machine, "ip_address"),
    diskDevice: (disk) => ref(disk, "device_id"),
  },
};
