// A stack with one cluster, synthesized in memory.
import { TerraformStack, Testing } from "cdktf";
import { Cluster, type ClusterProps } from "../../constructs/index.js";
import type { NodeGroupProps } from "../../constructs/spec/gen/spec.js";
import type { StackJson } from "./stack-graph.js";

export type Cloud = "local" | "preview" | "openstack";

export function synth(cloud: Cloud, props: Partial<ClusterProps> = {}, groups: Readonly<Record<string, NodeGroupProps>> = {}): StackJson {
  const stack = new TerraformStack(Testing.app(), "demo");
  const cluster = new Cluster(stack, "demo", { version: "1.36.3", iaas: { [cloud]: {} }, ...props });
  for (const [name, group] of Object.entries(groups)) cluster.addNodeGroup(name, group);
  return JSON.parse(Testing.synth(stack, true)) as StackJson;
}

/** Three control planes and two groups over two zones: every kind of edge is in it. */
export const large = (cloud: Cloud, props: Partial<ClusterProps> = {}): StackJson =>
  synth(
    cloud,
    { controlPlane: { replicas: 3, zones: ["a", "b", "c"] }, ...props },
    {
      web: { scalingConfig: { desiredSize: 3 }, zones: ["a", "b"], labels: { tier: "web" } },
      batch: { scalingConfig: { desiredSize: 1 }, zones: ["a"], taint: [{ key: "batch", effect: "NO_SCHEDULE" }] },
    },
  );
