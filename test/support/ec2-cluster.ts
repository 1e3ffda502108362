// A cluster on AWS or K2 Cloud as data: three zones, three control planes, two groups.
import { TerraformStack, Testing } from "cdktf";
import { build } from "../../constructs/blueprint/build.js";
import { unhonoured } from "../../constructs/iaas/honour.js";
import { mapCluster } from "../../constructs/iaas/map.js";
import { mappingOf } from "../../constructs/iaas/registry.js";
import type { Args, VendorResource } from "../../constructs/iaas/resource.js";
import { Cluster, type ClusterProps } from "../../constructs/index.js";
import type { ClusterSpec } from "../../constructs/spec/gen/spec.js";
import { parse } from "../../constructs/spec/parse.js";
import type { Problem } from "../../constructs/spec/problem.js";
import { clusterSchema, follow, isMap, memberOf, type SchemaNode } from "../../constructs/spec/schema.js";
import type { StackJson } from "./stack-graph.js";

export type Ec2 = "aws" | "k2";
type Input = Readonly<Record<string, unknown>>;

export const zonesOf = {
  aws: ["eu-central-1a", "eu-central-1b", "eu-central-1c"],
  k2: ["ru-msk-vol51", "ru-msk-vol52", "ru-msk-comp1p"],
} as const;

const regions = { aws: "eu-central-1", k2: "ru-msk" } as const;
const images = { aws: "ami-0123456789abcdef0", k2: "cmi-12345678" } as const;
const types = {
  aws: { cp: "m7i.large", web: "c7i.large", batch: "c7i.xlarge" },
  k2: { cp: "m5.large", web: "c5.large", batch: "c5.xlarge" },
};

/** Parts of the spec are merged into it, one level deep. */
export function ec2Input(cloud: Ec2, over: Input = {}): Input {
  const zones = zonesOf[cloud];
  const image = images[cloud];
  const group = (type: string, size: number, more: Input = {}) => ({
    instance_types: [type],
    image,
    zones,
    scaling_config: { desired_size: size, min_size: 0, max_size: 9 },
    ...more,
  });
  const base: Readonly<Record<string, unknown>> = {
    name: "demo",
    version: "1.36.3",
    iaas: { [cloud]: { region: regions[cloud] } },
    vpc_config: {
      cidr: "10.98.0.0/16",
      subnets: Object.fromEntries(zones.map((zone, n) => [zone, { cidr: `10.98.${n * 16}.0/20`, public_cidr: `10.98.24${n}.0/24` }])),
      public_access_cidrs: ["203.0.113.0/24"],
    },
    control_plane: { replicas: 3, instance_type: types[cloud].cp, image, zones },
    node_groups: { web: group(types[cloud].web, 3), batch: group(types[cloud].batch, 1, { zones: [zones[0]] }) },
    deletion_protection: false,
  };
  // groups are given whole, so that one can be left out
  const part = (key: string): unknown =>
    key !== "node_groups" && typeof base[key] === "object" && typeof over[key] === "object"
      ? { ...(base[key] as object), ...(over[key] as object) }
      : (over[key] ?? base[key]);
  return Object.fromEntries([...new Set([...Object.keys(base), ...Object.keys(over)])].map((key) => [key, part(key)]));
}

export function ec2Spec(cloud: Ec2, over: Input = {}): ClusterSpec {
  const { spec, problems } = parse(ec2Input(cloud, over));
  if (spec === undefined) throw new Error(JSON.stringify(problems));
  return spec;
}

/** What stands against it: of the spec alone, or of the cloud. */
export function ec2Problems(cloud: Ec2, over: Input): readonly Problem[] {
  const { spec, problems } = parse(ec2Input(cloud, over));
  return problems ?? unhonoured(spec, mappingOf(spec));
}

export interface Mapped {
  readonly all: readonly VendorResource[];
  readonly args: (name: string) => Args;
  readonly find: (name: string) => VendorResource | undefined;
  /** Names of the resources of a type. */
  readonly of: (type: string) => readonly string[];
}

export function ec2(cloud: Ec2, over: Input = {}): Mapped {
  const spec = ec2Spec(cloud, over);
  const all = mapCluster(spec, build(spec), mappingOf(spec));
  const find = (name: string) => all.find((resource) => resource.name === name);
  return {
    all,
    find,
    args(name) {
      const found = find(name);
      if (!found) throw new Error(`no ${name} in ${all.map((resource) => resource.name).join(", ")}`);
      return found.args;
    },
    of: (type) => all.filter((resource) => resource.type === type).map((resource) => resource.name),
  };
}

/** The same tree as a TypeScript user writes it. */
function inCamelCase(value: unknown, node: SchemaNode | undefined = clusterSchema): unknown {
  if (Array.isArray(value)) return value.map((item) => inCamelCase(item, node?.items && follow(node.items)));
  if (typeof value !== "object" || value === null || node === undefined) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      isMap(node) ? key : key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      inCamelCase(item, memberOf(node, key)),
    ]),
  );
}

export function ec2Stack(cloud: Ec2, over: Input = {}): StackJson {
  const stack = new TerraformStack(Testing.app(), "demo");
  new Cluster(stack, "demo", inCamelCase(ec2Input(cloud, over)) as ClusterProps);
  return JSON.parse(Testing.synth(stack, true)) as StackJson;
}
