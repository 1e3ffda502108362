// One core, two resources: the cluster is the spec without its groups, a group is the part of the spec with that group
// alone that has its name. Together they are what a stack of constructs makes of the whole.
import type { Blueprint, Member } from "../../../constructs/blueprint/blueprint.js";
import { build } from "../../../constructs/blueprint/build.js";
import { groupId } from "../../../constructs/blueprint/names.js";
import { mapCluster } from "../../../constructs/iaas/map.js";
import { mappingOf } from "../../../constructs/iaas/registry.js";
import type { VendorResource } from "../../../constructs/iaas/resource.js";
import type { ClusterSpec } from "../../../constructs/spec/gen/spec.js";
import { outsideOf } from "../../managed/graph.js";
import { type Json, understand } from "./input.js";

export interface Evaluated {
  readonly spec: ClusterSpec;
  readonly blueprint: Blueprint;
  readonly resources: readonly VendorResource[];
  /** Machines among the resources. */
  readonly members: readonly Member[];
}

const whole = (spec: ClusterSpec): Omit<Evaluated, "members"> => {
  const blueprint = build(spec);
  return { spec, blueprint, resources: mapCluster(spec, blueprint, mappingOf(spec)) };
};

export function evaluateCluster(spec: ClusterSpec): Evaluated {
  const all = whole({ ...spec, node_groups: {} });
  return { ...all, members: all.blueprint.controlPlanes };
}

export function evaluateGroup(spec: ClusterSpec, group: string): Evaluated {
  const { blueprint, resources } = whole(spec);
  // what a cloud makes for each group stands elsewhere; what is only read may be read twice
  const clusters = new Set(whole({ ...spec, node_groups: {} }).resources.map(({ name }) => name));
  const own = resources.filter(({ name, data }) => data || name.startsWith(`${groupId(group)}/`) || !clusters.has(name));
  const members = blueprint.groups.filter(({ name }) => name === group).flatMap(({ workers }) => workers);
  return { spec, blueprint, resources: own, members };
}

/** What no group's machines ask for: it would only make them differ when it changes. */
const notForGroups: readonly string[] = ["backup", "restore", "deletion_protection", "on_destroy", "node_groups"];

export const forGroups = (input: Json): Json => Object.fromEntries(Object.entries(input).filter(([name]) => !notForGroups.includes(name)));

/** What machines of any group refer to outside of their group: resource → attributes. */
export function neededByGroups(spec: ClusterSpec, input: Json): Readonly<Record<string, readonly string[]>> {
  const { instance_type, image } = spec.control_plane;
  const sample = { scaling_config: { desired_size: 1 }, instance_types: [instance_type], image };
  const understood = understand({ ...forGroups(input), node_groups: { sample } });
  if (!understood.spec) throw new TypeError(`a group like the control plane is refused: ${JSON.stringify(understood.problems)}`);
  return outsideOf(evaluateGroup(understood.spec, "sample").resources);
}
