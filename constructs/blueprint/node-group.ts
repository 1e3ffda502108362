// Workers: key = group, zone, ordinal within the zone. Replaced by surge, so nothing of them is fixed but the key.
import type { ClusterSpec, NodeGroupSpec } from "../spec/gen/spec.js";
import type { Block, ExtraDisk } from "./block.js";
import type { Member, NodeGroup } from "./blueprint.js";
import { machineSpec } from "./machine.js";
import { releaseOf } from "./machine-spec.js";
import { workerId, workerName } from "./names.js";
import type { Layout } from "./network.js";
import { countsPerZone } from "./spread.js";

const effects = { NO_SCHEDULE: "NoSchedule", PREFER_NO_SCHEDULE: "PreferNoSchedule", NO_EXECUTE: "NoExecute" } as const;

export function buildNodeGroup(
  spec: ClusterSpec,
  name: string,
  layout: Layout,
): { readonly group: NodeGroup; readonly blocks: readonly Block[] } {
  const wanted = spec.node_groups[name];
  if (!wanted) throw new TypeError(`no group ${name}`);
  const workers = [...countsPerZone(wanted.zones, wanted.scaling_config.desired_size)].flatMap(([zone, count]) =>
    Array.from({ length: count }, (_, ordinal) => worker(spec, layout, name, wanted, zone, ordinal)),
  );
  return {
    group: { name, maxSurge: wanted.update_config.max_surge, workers },
    blocks: workers.map((member) => ({
      kind: "machine",
      id: member.machine,
      name: member.name,
      role: "worker",
      zone: member.zone,
      subnet: layout.placeIn(member.zone).subnet,
      address: null,
      addressBlock: null,
      disks: [],
      extraDisks: extraDisks(wanted),
    })),
  };
}

const extraDisks = ({ extra_disks: wanted }: NodeGroupSpec): readonly ExtraDisk[] =>
  Object.entries(wanted)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { size_gib: sizeGib, type }]) => ({ name, sizeGib, type }));

function worker(spec: ClusterSpec, layout: Layout, group: string, wanted: NodeGroupSpec, zone: string, ordinal: number): Member {
  const id = workerId(group, zone, ordinal);
  const name = workerName(spec.name, group, zone, ordinal);
  const [instanceType] = wanted.instance_types;
  if (instanceType === undefined) throw new TypeError("no machine type passed parse()");
  const machine = machineSpec(spec, {
    pool: group,
    name,
    role: "worker",
    version: wanted.version,
    flags: wanted.component_flags,
    instanceType,
    image: wanted.image,
    diskGib: wanted.disk_size,
    parts: wanted.user_data_parts,
    extraDisks: wanted.extra_disks,
  });
  return {
    id,
    name,
    pool: group,
    role: "worker",
    zone,
    spec: machine,
    release: releaseOf(machine),
    machine: `${id}/machine`,
    labels: { ...wanted.labels, "topology.kubernetes.io/zone": zone },
    taints: wanted.taint.map(({ key, value, effect }) => `${key}${value ? `=${value}` : ""}:${effects[effect]}`),
    drainTimeoutSec: wanted.drain_timeout_sec,
    endpointAddress: layout.placeIn(zone).endpoint,
  };
}
