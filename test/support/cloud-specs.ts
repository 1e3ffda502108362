// A cluster with everything in it, on any cloud of the registry: three control planes over three zones, two groups of
// different machine types, a public endpoint for one range of the world.
import { build } from "../../constructs/blueprint/build.js";
import { mapCluster } from "../../constructs/iaas/map.js";
import type { Mapping } from "../../constructs/iaas/mapping.js";
import { mappings } from "../../constructs/iaas/registry.js";
import type { VendorResource } from "../../constructs/iaas/resource.js";
import type { CloudName } from "../../constructs/spec/defaults.js";
import { specOf } from "./blueprint.js";

interface Say {
  /** What stands below the cloud's name in `iaas`. */
  readonly settings: object;
  readonly types: readonly [string, string];
  readonly image: string;
  readonly zones: readonly [string, string, string];
}

/** What only each cloud knows; a new cloud does not compile without its line. */
const say: Readonly<Record<CloudName, Say>> = {
  local: { settings: {}, types: ["local.cpu2.mem2048", "local.cpu1.mem1024"], image: "honest-paas/machine:1.36.3", zones: ["a", "b", "c"] },
  preview: { settings: {}, types: ["m.large", "m.small"], image: "image", zones: ["a", "b", "c"] },
  openstack: {
    settings: { external_network: "public" },
    types: ["m1.large", "m1.small"],
    image: "7f2b8a52-3f0c-4b8e-9c63-1a7a5b5f4f11",
    zones: ["nova", "AZ2", "az.3"],
  },
  aws: {
    settings: { region: "eu-central-1" },
    types: ["m6i.large", "c6i.large"],
    image: "ami-0123456789abcdef0",
    zones: ["eu-central-1a", "eu-central-1b", "eu-central-1c"],
  },
  k2: {
    settings: { region: "ru-msk" },
    types: ["m5.large", "c5.large"],
    image: "cmi-01234567",
    zones: ["ru-msk-vol51", "ru-msk-vol52", "ru-msk-comp1p"],
  },
  hcloud: { settings: {}, types: ["cpx31", "cpx21"], image: "123456789", zones: ["fsn1", "nbg1", "hel1"] },
};

export const clouds = Object.keys(mappings) as readonly CloudName[];

export function mappingNamed(cloud: CloudName): Mapping {
  const found = mappings[cloud];
  if (!found) throw new Error(`no mapping ${cloud}`);
  return found;
}

/** The world that may reach the API: one range, or all of it where the cloud's balancer cannot tell ranges apart. */
export const worldOf = (cloud: CloudName): string => (cloud === "hcloud" ? "0.0.0.0/0" : "203.0.113.0/24");

/** Ids of what the user has already, as the cloud writes them. */
export const theirs = (cloud: CloudName, what: "network" | "subnet" | "group", n = 0): string =>
  cloud === "hcloud" ? String({ network: 471_100, subnet: 471_200, group: 471_300 }[what] + n) : `${what}-theirs-${n}`;

export interface Want {
  readonly public?: boolean;
  readonly own?: boolean;
  readonly name?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly groups?: Readonly<Record<string, object>>;
  readonly network?: object;
  readonly replicas?: 1 | 3 | 5;
  readonly more?: object;
}

export function inputOf(cloud: CloudName, want: Want = {}): Readonly<Record<string, unknown>> & { readonly vpc_config: object } {
  const { settings, types, image, zones } = say[cloud];
  const perZone = mappingNamed(cloud).limits.subnets === "per_zone";
  // K2 restricts a public endpoint by the access list of its subnet, and changes none of the user's.
  const subnet = (n: number) => ({
    cidr: `10.98.${n * 16}.0/20`,
    public_cidr: `10.98.${240 + n}.0/26`,
    ...(want.own ? { id: theirs(cloud, "subnet", n), ...(cloud === "k2" ? {} : { public_id: theirs(cloud, "subnet", 10 + n) }) } : {}),
  });
  const own = want.own
    ? {
        network_id: theirs(cloud, "network"),
        security_group_ids: [theirs(cloud, "group")],
        ...(perZone || cloud === "hcloud" ? {} : { subnet_id: theirs(cloud, "subnet") }),
      }
    : {};
  return {
    name: want.name ?? "demo",
    version: "1.36.3",
    iaas: { [cloud]: settings },
    // The smallest disk that every cloud has.
    control_plane: { replicas: want.replicas ?? 3, zones, instance_type: types[0], image, etcd_volume: { size_gib: 10 } },
    vpc_config: {
      cidr: "10.98.0.0/16",
      ...(perZone ? { subnets: Object.fromEntries(zones.map((zone, n) => [zone, subnet(n)])) } : {}),
      ...(want.public ? { public_access_cidrs: [worldOf(cloud)] } : {}),
      ...own,
      ...want.network,
    },
    node_groups: {
      web: { scaling_config: { desired_size: 3 }, instance_types: [types[0]], image },
      batch: { scaling_config: { desired_size: 1 }, instance_types: [types[1]], image, zones: zones.slice(0, 1) },
      ...want.groups,
    },
    ...(want.tags ? { tags: want.tags } : {}),
    ...want.more,
  };
}

export function clusterOn(cloud: CloudName, want: Want = {}) {
  const spec = specOf(inputOf(cloud, want));
  const mapping = mappingNamed(cloud);
  const blueprint = build(spec);
  const resources = mapCluster(spec, blueprint, mapping);
  const byName: ReadonlyMap<string, VendorResource> = new Map(resources.map((resource) => [resource.name, resource]));
  /** What the vendor's provider makes. */
  const vendors = resources.filter(({ type }) => !/^honest_(pki|boot|node|barrier)$/.test(type));
  return { spec, mapping, blueprint, resources, byName, vendors };
}

/** A skip with its reason; a skip that is not needed any more fails the suite. */
export type Skips = Readonly<Partial<Record<CloudName, string>>>;
