// Control planes: for each letter a fixed address, an etcd disk and a machine. No first one among them.
import type { ClusterSpec } from "../spec/gen/spec.js";
import type { Block } from "./block.js";
import type { ControlPlane } from "./blueprint.js";
import { machineSpec } from "./machine.js";
import { releaseOf } from "./machine-spec.js";
import { controlPlaneId, controlPlaneName, controlPlanePool, type Letter, letters } from "./names.js";
import { controlPlaneAddress, type Layout } from "./network.js";
import { zoneOf } from "./spread.js";

export const controlPlaneTaint = "node-role.kubernetes.io/control-plane:NoSchedule";

export function buildControlPlanes(
  spec: ClusterSpec,
  layout: Layout,
): { readonly members: readonly ControlPlane[]; readonly blocks: readonly Block[] } {
  const built = letters.slice(0, spec.control_plane.replicas).map((letter, n) => buildOne(spec, layout, letter, n));
  return { members: built.map((one) => one.member), blocks: built.flatMap((one) => one.blocks) };
}

function buildOne(spec: ClusterSpec, layout: Layout, letter: Letter, n: number): { member: ControlPlane; blocks: readonly Block[] } {
  const { control_plane: wanted, kubernetes_network_config: networks } = spec;
  const id = controlPlaneId(letter);
  const name = controlPlaneName(spec.name, letter);
  const zone = zoneOf(wanted.zones, n);
  const { subnet, cidr, endpoint: endpointAddress } = layout.placeIn(zone);
  const address = controlPlaneAddress(cidr, spec.vpc_config.address_offset, letter);
  const [machineBlock, addressBlock, disk] = [`${id}/machine`, `${id}/address`, `${id}/disk`];
  const machine = machineSpec(spec, {
    pool: controlPlanePool,
    name,
    role: "control-plane",
    version: spec.version,
    flags: { "kube-controller-manager.node-cidr-mask-size": String(networks.node_cidr_mask), ...wanted.component_flags },
    instanceType: wanted.instance_type,
    image: wanted.image,
    diskGib: wanted.disk_size,
    parts: wanted.user_data_parts,
    extraDisks: {},
  });
  const { size_gib: sizeGib, type, iops } = wanted.etcd_volume;
  return {
    member: {
      id,
      name,
      pool: controlPlanePool,
      role: "control-plane",
      zone,
      spec: machine,
      release: releaseOf(machine),
      machine: machineBlock,
      labels: { "topology.kubernetes.io/zone": zone },
      taints: [controlPlaneTaint],
      drainTimeoutSec: wanted.drain_timeout_sec,
      endpointAddress,
      letter,
      address,
      disk,
    },
    blocks: [
      { kind: "address", id: addressBlock, name, existing: null, subnet, address, side: "private", owner: machineBlock, zone },
      { kind: "disk", id: disk, name: `${name}-etcd`, zone, sizeGib, type, iops },
      {
        kind: "machine",
        id: machineBlock,
        name,
        role: "control-plane",
        zone,
        subnet,
        address,
        addressBlock,
        disks: [disk],
        extraDisks: [],
      },
    ],
  };
}
