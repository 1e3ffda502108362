// A cluster on Hetzner Cloud, as data: the example's, with what a test changes.
import { build } from "../../constructs/blueprint/build.js";
import { hcloud } from "../../constructs/iaas/hcloud.js";
import { unhonoured } from "../../constructs/iaas/honour.js";
import { mapCluster } from "../../constructs/iaas/map.js";
import type { VendorResource } from "../../constructs/iaas/resource.js";
import type { Problem } from "../../constructs/spec/problem.js";
import { specOf } from "./blueprint.js";

export interface HcloudOver {
  readonly iaas?: object;
  readonly vpc?: object;
  readonly control?: object;
  readonly groups?: Readonly<Record<string, object>>;
  readonly more?: object;
}

const group = { instance_types: ["cpx41"], image: "debian-12", zones: ["fsn1"], scaling_config: { desired_size: 1 } };

export const hcloudSpec = ({ iaas = {}, vpc = {}, control = {}, groups = { web: {} }, more = {} }: HcloudOver = {}) =>
  specOf({
    iaas: { hcloud: iaas },
    vpc_config: vpc,
    control_plane: {
      replicas: 3,
      zones: ["fsn1", "nbg1", "hel1"],
      instance_type: "cpx31",
      image: "debian-12",
      etcd_volume: { size_gib: 10 },
      ...control,
    },
    node_groups: Object.fromEntries(Object.entries(groups).map(([name, of]) => [name, { ...group, ...of }])),
    ...more,
  });

export function hcloudResources(over: HcloudOver = {}): ReadonlyMap<string, VendorResource> {
  const spec = hcloudSpec(over);
  return new Map(mapCluster(spec, build(spec), hcloud).map((resource) => [resource.name, resource]));
}

export const hcloudProblems = (over: HcloudOver): readonly Problem[] => unhonoured(hcloudSpec(over), hcloud);

/** The API at the control planes' own addresses, for one range. */
export const atControlPlanes: HcloudOver = {
  iaas: { public_endpoint: "control_planes" },
  vpc: { public_access_cidrs: ["203.0.113.0/24"] },
  more: { access: { endpoint: "https://api.example.com:6443" } },
};
