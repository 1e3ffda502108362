// No cloud: every block, and the kit's own resources too, is a null_resource whose triggers are the block's arguments. A
// plan then reads like a cloud's, with the same dependencies, and needs no account.
import type { Block } from "../blueprint/block.js";
import type { Context, Mapping } from "./mapping.js";
import { type Arg, isRef, isText, ref, refsIn, type VendorResource } from "./resource.js";

/** A plan that is for reading shows none of these; where a snapshot is fetched from may be signed. */
const secrets: readonly string[] = ["access_key_id", "secret_access_key", "passphrase", "restore_source"];

/** A trigger's value is a text. */
function trigger(value: Arg): Arg {
  if (isText(value))
    return value.parts.map((part) => (typeof part === "string" ? part : isRef(part) ? `ref:${part.resource}` : part.raw)).join("");
  if (isRef(value) || typeof value === "string") return isRef(value) ? ref(value.resource, "id") : value;
  return JSON.stringify(value, (key, item: Arg) =>
    secrets.includes(key) ? undefined : isRef(item) ? `\u0000${item.resource}` : item,
  ).replaceAll("\\u0000", "ref:");
}

/** What changes in place on a cloud. A null_resource has no such thing: its first plan shows these, later ones not. */
const inPlace: Readonly<Record<string, readonly string[]>> = {
  balancer: ["backends"],
  disk: ["iops"],
  pki: ["endpoint", "leaf_lifetime", "ticket_minutes", "rotation"],
  boot: [
    "late",
    "born",
    "retired",
    "members",
    "roster",
    "taints",
    "labels",
    "roll",
    "max_surge",
    "window",
    "access",
    "encoding",
    "user_data_limit",
  ],
  node: ["version", "etcd_number", "address", "members", "labels", "taints", "token_seed", "access", "drain_timeout_sec"],
  barrier: [
    "version",
    "uid",
    "pod_ipv4_cidr",
    "service_ipv4_cidr",
    "cni",
    "endpoint_name",
    "endpoint_port",
    "members",
    "workers",
    "token_seed",
    "rotation",
    "restore_number",
    "access",
    "deletion_protection",
    "on_destroy_volumes",
    "certificate_lifetime",
    "certificate_renew_before",
    "backup",
    "self_heal",
  ],
};

const isEmpty = (value: Arg): boolean => Array.isArray(value) && value.length === 0;

function nullResource(kind: string, { name, args, dependsOn, lifecycle }: Omit<VendorResource, "type">): VendorResource {
  const triggers = Object.entries(args).filter(([key, value]) => value !== null && !isEmpty(value) && !secrets.includes(key));
  const ignored = triggers.flatMap(([key]) => (inPlace[kind]?.includes(key) ? `triggers["${key}"]` : []));
  return {
    type: "null_resource",
    name,
    args: { triggers: { kind, ...Object.fromEntries(triggers.map(([key, value]) => [key, trigger(value)])) } },
    // References inside of a JSON text are text: the order has to be said.
    dependsOn: [...new Set([...(dependsOn ?? []), ...refsIn(args)])],
    lifecycle: { ...lifecycle, ignoreChanges: ignored },
  };
}

function fromBlock(
  block: Block,
  { blueprint: { tags } }: Context,
  dependsOn: readonly string[],
  extra: VendorResource["args"] = {},
): readonly VendorResource[] {
  const { kind, id, ...given } = block;
  // How blocks belong together is in the dependencies.
  const { addressBlock: _, ...rest } = { addressBlock: null, ...given };
  const lifecycle = kind === "machine" ? { lifecycle: { createBeforeDestroy: block.kind === "machine" && block.role === "worker" } } : {};
  return [
    nullResource(kind, {
      name: id,
      args: { ...(rest as unknown as VendorResource["args"]), ...extra, tags: Object.keys(tags).length ? tags : null },
      dependsOn,
      ...lifecycle,
    }),
  ];
}

export const preview: Mapping = {
  name: "preview",
  limits: {
    userDataBytes: 16_384,
    userDataEncoding: "gzip_base64",
    nameLength: 63,
    capacityTypes: ["ON_DEMAND", "SPOT"],
    rootDisk: true,
    diskTypes: true,
    diskIops: true,
    instanceTypes: 20,
    instanceType: null,
    subnets: "either",
    egress: ["none", "nat", "nat_per_zone", "public"],
    podTraffic: "routed",
    publicAddresses: "per_zone",
    tags: { key: /^.+$/, value: /^.*$/, allowed: "anything", most: 50 },
  },
  unsupported: {},
  provider: { type: "null", source: "hashicorp/null", version: "~> 3.2", args: () => ({}) },
  map: {
    network: (block, context) => fromBlock(block, context, []),
    subnet: (block, context) => fromBlock(block, context, [block.network]),
    firewall: (block, context) => fromBlock(block, context, [block.network]),
    address: (block, context) => fromBlock(block, context, [block.subnet]),
    disk: (block, context) => fromBlock(block, context, []),
    machine: (block, context) => {
      const { spec, release, id } = context.member(block.id);
      const before = [block.subnet, ...(block.addressBlock === null ? [] : [block.addressBlock]), ...block.disks, `${id}/boot`];
      return fromBlock(block, context, before, { ...spec.shape, release });
    },
    balancer: (block, context) => {
      const addresses = context.blocks("address").filter(({ owner }) => owner === block.id);
      return fromBlock(block, context, [...block.places.map(({ subnet }) => subnet), ...addresses.map(({ id }) => id)]);
    },
  },
  machines: {},
  outputs: {
    machineId: (machine) => ref(machine, "id"),
    machineAddress: (machine) => ref(machine, "id"),
    diskDevice: (disk) => ref(disk, "id"),
    publicHost: ({ blocks }) => ref(blocks.find((block) => block.kind === "address" && block.side === "public")?.id ?? "", "id"),
  },
  standIn: (resource) => nullResource(resource.type.replace("honest_", ""), resource),
};
