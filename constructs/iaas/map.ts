// Blueprint → vendor resources: each block by the cloud's mapping, and the kit's own resources between them.
import type { Block, BlockKind, BlockOf } from "../blueprint/block.js";
import type { Blueprint, ControlPlane, Member } from "../blueprint/blueprint.js";
import { balancerId } from "../blueprint/network.js";
import type { ClusterSpec } from "../spec/gen/spec.js";
import type { Context, Mapping } from "./mapping.js";
import {
  barrier,
  bootOutputs,
  controlPlaneBoot,
  controlPlaneNode,
  endpointUrl,
  onTheWay,
  type Place,
  pki,
  workerBoot,
  workerNode,
} from "./own.js";
import { type Arg, ref, type VendorResource } from "./resource.js";

/** In no special order: references and dependsOn give one. */
export function mapCluster(spec: ClusterSpec, blueprint: Blueprint, mapping: Mapping): readonly VendorResource[] {
  const context = contextOf(spec, blueprint);
  const { limits, outputs } = mapping;
  const place: Place = { blueprint, limits, outputs, url: urlOf(mapping, context) };
  const mapped = blueprint.blocks.map((block) => ({ block, made: mapBlock(block, mapping, context) }));
  const blocks = [
    ...(mapping.shared?.(context) ?? []),
    ...mapped.flatMap(({ block, made }) => made.map((resource) => protect(resource, block, blueprint))),
  ];
  // The address of a control plane is on the way to that machine only, which depends on it by itself.
  const onWay = (block: Block) => onTheWay.includes(block.kind) && !(block.kind === "address" && block.owner !== balancerId);
  const way = mapped.filter(({ block }) => onWay(block)).flatMap(({ made }) => made.map(({ name }) => name));
  // Attachments are part of a machine's block: a membership ends before they do.
  const besides = ({ machine }: Member): readonly string[] =>
    mapped.flatMap(({ block, made }) => (block.id === machine ? made.map(({ name }) => name).filter((name) => name !== machine) : []));
  const own: readonly VendorResource[] = [
    pki(place),
    ...blueprint.controlPlanes.flatMap((member: ControlPlane) => [
      controlPlaneBoot(place, member),
      controlPlaneNode(place, member, [...way, ...besides(member)]),
    ]),
    ...blueprint.groups.flatMap((group) =>
      group.workers.flatMap((member) => [workerBoot(place, group, member), workerNode(place, member, besides(member))]),
    ),
  ];
  const before = [...blocks, ...own];
  const last = barrier(
    place,
    before.map((resource) => resource.name),
  );
  const standIn = mapping.standIn ?? ((resource: VendorResource) => resource);
  return [...blocks, ...[...own, last].map(standIn)];
}

/** URL at which whoever runs Terraform reaches the API. */
export const clusterUrl = (spec: ClusterSpec, blueprint: Blueprint, mapping: Mapping): Arg => urlOf(mapping, contextOf(spec, blueprint));

const urlOf = ({ outputs }: Mapping, context: Context): Arg =>
  endpointUrl(context.blueprint, context.blueprint.endpoint.public ? (outputs.publicHost?.(context.blueprint, context) ?? null) : null);

function contextOf(spec: ClusterSpec, blueprint: Blueprint): Context {
  const blocks = new Map(blueprint.blocks.map((block) => [block.id, block]));
  const members = new Map(everyMember(blueprint).map((member) => [member.machine, member]));
  const member = (machine: string) => found(members, machine);
  return {
    spec,
    blueprint,
    block: (id) => found(blocks, id),
    blocks: <K extends BlockKind>(kind: K) => blueprint.blocks.filter((block): block is BlockOf<K> => block.kind === kind),
    member,
    boot: (machine) => bootOutputs(member(machine)),
    idOf: (id, attribute = "id") => existingId(found(blocks, id)) ?? ref(id, attribute),
  };
}

const existingId = (block: Block): string | null => ("existing" in block ? block.existing : null);

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
  // Of several resources of a block the one that is the block; routes and attachments may come and go.
  if (!blueprint.protected || !precious.includes(block.kind) || resource.name !== block.id) return resource;
  return { ...resource, lifecycle: { ...resource.lifecycle, preventDestroy: true } };
}
