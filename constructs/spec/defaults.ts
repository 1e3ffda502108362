// Defaults, filled in once at the border: below it every field has a value or null. What is the same for everybody
// stands in the schema; here is what follows from other fields.
import { createHash } from "node:crypto";
import { shortestWords, toSeconds } from "./duration.js";
import type { ClusterInput, ClusterSpec, NodeGroupInput } from "./gen/spec.js";
import { clusterSchema, follow, isMap, memberOf, type SchemaNode } from "./schema.js";

type Json = Readonly<Record<string, unknown>>;

/** Fills in what the schema knows; what may be left out and has no default becomes null. */
function filled(value: unknown, given: SchemaNode): unknown {
  const node = follow(given);
  if (Array.isArray(value)) return value.map((item) => filled(item, node.items ?? {}));
  if (typeof value !== "object" || value === null) return value;
  const object = value as Json;
  if (isMap(node)) return Object.fromEntries(sorted(object).map(([key, item]) => [key, filled(item, memberOf(node, key) ?? {})]));
  return Object.fromEntries(
    Object.entries(node.properties ?? {}).map(([key, member]) => {
      const known = Object.hasOwn(object, key) ? object[key] : follow(member).default;
      return [key, known === undefined ? null : filled(known, member)];
    }),
  );
}

const sorted = (object: Json): readonly [string, unknown][] => Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1));

/** A number that follows from a name: clusters of different names on one host rarely meet. */
const byName = (name: string, below: number): number => createHash("sha256").update(name).digest().readUInt32BE(0) % below;

interface CloudDefaults {
  /** null: nobody but the user knows (parse() has refused a spec without). */
  readonly machines: {
    readonly instanceType: string;
    readonly image: (version: string) => string;
    readonly zones: readonly string[];
  } | null;
  readonly cidr: (cluster: string) => string;
  readonly egress: ClusterSpec["vpc_config"]["egress"];
  /** Whether nodes' name for the API is what its certificate is checked against from outside. */
  readonly byName: boolean;
}

const cloud: CloudDefaults = { machines: null, cidr: () => "10.98.0.0/16", egress: "nat", byName: true };
const clouds: Readonly<Record<CloudName, CloudDefaults>> = {
  local: {
    machines: { instanceType: "local.cpu2.mem2048", image: (version) => `honest-paas/machine:${version}`, zones: ["a"] },
    cidr: (cluster) => `10.98.${byName(cluster, 256)}.0/24`,
    egress: "none",
    byName: false,
  },
  preview: {
    ...cloud,
    machines: { instanceType: "preview", image: (version) => `preview:${version}`, zones: ["a"] },
    byName: false,
  },
  openstack: cloud,
  aws: cloud,
  k2: cloud,
  hcloud: { ...cloud, egress: "public" },
};

export type CloudName = keyof ClusterSpec["iaas"];

/** The one cloud that a spec names; it has passed the schema. */
export function cloudOf(iaas: ClusterInput["iaas"] | ClusterSpec["iaas"]): CloudName {
  const found = (Object.keys(clouds) as CloudName[]).find((name) => (iaas[name] ?? null) !== null);
  if (found === undefined) throw new TypeError("no cloud passed the schema");
  return found;
}

/** Whether the user has to say machine types, images and zones. */
export const saysMachines = (iaas: ClusterInput["iaas"]): boolean => clouds[cloudOf(iaas)].machines === null;

/** The whole spec; `input` has passed the schema. */
export function withDefaults(input: ClusterInput): ClusterSpec {
  const name = cloudOf(input.iaas);
  const defaults = clouds[name];
  const { machines } = defaults;
  const { version } = input;
  const zones = input.control_plane?.zones ?? machines?.zones;
  const local = input.iaas.local && { published_port: 20_000 + byName(input.name, 10_000), ...input.iaas.local };
  const iaas = local ? { local } : input.iaas;
  const group = (of: NodeGroupInput) => ({
    ...(machines ? { instance_types: [machines.instanceType], image: machines.image(of.version ?? version) } : {}),
    version,
    zones,
    ...of,
  });
  const network = input.vpc_config ?? {};
  const whole = {
    ...input,
    iaas,
    access: {
      ...(local ? { endpoint: `https://${reachable(local.published_address)}:${local.published_port}` } : {}),
      ...(name === "preview" ? { endpoint: endpointInside(input) } : {}),
      ...(defaults.byName ? { server_name: endpointName(input.name) } : {}),
      ...input.access,
    },
    vpc_config: {
      cidr: defaults.cidr(input.name),
      egress: network.network_id !== undefined && defaults.egress !== "public" ? "none" : defaults.egress,
      endpoint_public_access: (network.public_access_cidrs ?? []).length > 0,
      ...network,
    },
    certificates: { renew_before: aThirdOf(input.certificates?.lifetime ?? leafLifetime), ...input.certificates },
    control_plane: {
      ...(machines ? { instance_type: machines.instanceType, image: machines.image(version), zones: machines.zones } : {}),
      ...input.control_plane,
    },
    node_groups: Object.fromEntries(Object.entries(input.node_groups ?? {}).map(([name, of]) => [name, group(of)])),
  };
  return frozen(filled(whole, clusterSchema)) as ClusterSpec;
}

const leafLifetime = String(follow(memberOf(clusterSchema, "certificates") ?? {}).properties?.lifetime?.default);
const aThirdOf = (lifetime: string): string => shortestWords(Math.floor((toSeconds(lifetime) ?? 0) / 3));

/** Where a port that is published on `address` is reached. */
const reachable = (address: string | undefined): string => (address === undefined || address === "0.0.0.0" ? "127.0.0.1" : address);
const endpointInside = (input: ClusterInput): string => `https://${endpointName(input.name)}:6443`;

/** Name by which every node resolves the API. */
export const endpointName = (cluster: string): string => `api.${cluster}.honest.internal`;

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const item of Object.values(value)) frozen(item);
    Object.freeze(value);
  }
  return value;
}
