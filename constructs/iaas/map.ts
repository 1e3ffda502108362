// Blueprint → vendor resources: each block by the cloud's mapping, and the kit's own resources between them.
import type { Block, BlockKind, BlockOf } from "../blueprint/block.js";
import type { Blueprint, ControlPlane, Member } from "../blueprint/blueprint.js";
import type { ClusterSpec } from "../spec/gen/spec.js";
import type { Context, Mapping } from "./mapping.js";
import { barrier, bootOutputs, controlPlaneBoot, controlPlaneNode, onTheWay, pki, workerBoot, workerNode } from "./own.js";
import type { VendorResource } from "./resource.js";

/** In no special order: references and dependsOn give one. */
export function mapCluster(spec: ClusterSpec, blueprint: Blueprint, mapping: Mapping): readonly VendorResource[] {
  const context = contextOf(spec, blueprint);
  const { limits, outputs } = mapping;
  const blocks = blueprint.blocks.flatMap((block) => mapBlock(block, mapping, context).map((made) => protect(made, block, blueprint)));
  const way = blueprint.blocks
    .filter((block) => onTheWay.includes(block.kind))
    .flatMap((block) => mapBlock(block, mapping, context).map((made) => made.name));
  const own: readonly VendorResource[] = [
    pki(blueprint),
    ...blueprint.controlPlanes.flatMap((member: ControlPlane) => [
      controlPlaneBoot(blueprint, limits, outputs, member),
      controlPlaneNode(blueprint, outputs, member, way),
    ]),
    ...blueprint.groups.flatMap((group) =>
      group.workers.flatMap((member) => [workerBoot(blueprint, limits, group, member), workerNode(blueprint, outputs, member)]),
    ),
  ];
  const before = [...blocks, ...own];
  const last = barrier(
    blueprint,
    outputs,
    before.map((resource) => resource.name),
  );
  const standIn = mapping.standIn ?? ((resource: VendorResource) => resource);
  return [...blocks, ...[...own, last].map(standIn)];
}

function contextOf(spec: ClusterSpec, blueprint: Blueprint): Context {
  const blocks = new Map(blueprint.blocks.map((block) => [block.id, block]));
  const members = new Map(everyMember(blueprint).map((member) => [member.machine, member]));
  const member = (machine: string) => found(members, machine);
  return { spec, blueprint, block: (id) => found(blocks, id), member, boot: (machine) => bootOutputs(member(machine)) };
}

const everyMember = (blueprint: Blueprint): readonly Member[] => [
  ...blueprint.controlPlanes,
  ...blueprint.groups.flatMap((group) => group.workers),
];

function found<T>(map: ReadonlyMap<string, T>, id: string): T {
  const value = map.get(id);
  if (value === undefined) throw new TypeError(`the blueprint has no ${id}`);
  return value;
}

function mapBlock<K extends BlockKind>(block: BlockOf<K>, mapping: Mapping, context: Context): readonly VendorResource[] {
  const map = mapping.map[block.kind as K] as (of: BlockOf<K>, context: Context) => readonly VendorResource[];
  return map(block, context);
}

/** What cannot be made again: the plan of a destroy fails on these while the cluster is protected. */
const precious: readonly BlockKind[] = ["disk", "address", "network"];

function protect(resource: VendorResource, block: Block, blueprint: Blueprint): VendorResource {
  if (!blueprint.protected || !precious.includes(block.kind)) return resource;
  return { ...resource, lifecycle: { ...resource.lifecycle, preventDestroy: true } };
}
