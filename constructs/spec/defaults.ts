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
  readonly instanceType: string;
  readonly image: (version: string) => string;
  readonly cidr: (cluster: string) => string;
}

const local: CloudDefaults = {
  instanceType: "local.cpu2.mem2048",
  image: (version) => `honest-paas/machine:${version}`,
  cidr: (cluster) => `10.98.${byName(cluster, 256)}.0/24`,
};
const preview: CloudDefaults = { instanceType: "preview", image: (version) => `preview:${version}`, cidr: () => "10.98.0.0/16" };

/** The whole spec; `input` has passed the schema. */
export function withDefaults(input: ClusterInput): ClusterSpec {
  const cloud = input.iaas.local ? local : preview;
  const { version } = input;
  const zones = input.control_plane?.zones ?? ["a"];
  const iaas = input.iaas.local
    ? { local: { published_port: 20_000 + byName(input.name, 10_000), ...input.iaas.local } }
    : { preview: input.iaas.preview ?? {} };
  const published = iaas.local ? `https://${reachable(iaas.local.published_address)}:${iaas.local.published_port}` : endpointInside(input);
  const group = (of: NodeGroupInput) => ({
    instance_types: [cloud.instanceType],
    image: cloud.image(of.version ?? version),
    version,
    zones,
    ...of,
  });
  const whole = {
    ...input,
    iaas,
    access: { endpoint: published, ...input.access },
    vpc_config: { cidr: cloud.cidr(input.name), ...input.vpc_config },
    certificates: { renew_before: aThirdOf(input.certificates?.lifetime ?? leafLifetime), ...input.certificates },
    control_plane: { instance_type: cloud.instanceType, image: cloud.image(version), ...input.control_plane },
    node_groups: Object.fromEntries(Object.entries(input.node_groups ?? {}).map(([name, of]) => [name, group(of)])),
  };
  return frozen(filled(whole, clusterSchema)) as ClusterSpec;
}

const leafLifetime = String(follow(memberOf(clusterSchema, "certificates") ?? {}).properties?.lifetime?.default);
const aThirdOf = (lifetime: string): string => shortestWords(Math.floor((toSeconds(lifetime) ?? 0) / 3));

/** Where a port that is published on `address` is reached. */
const reachable = (address: string | undefined): string => (address === undefined || address === "0.0.0.0" ? "127.0.0.1" : address);
const endpointInside = (input: ClusterInput): string => `https://api.${input.name}.honest.internal:6443`;

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const item of Object.values(value)) frozen(item);
    Object.freeze(value);
  }
  return value;
}
