// The contract of a cloud: its limits, and a translation for every kind of block. A new kind of block does not compile
// until every mapping has it. Mappings are pure and know neither CDKTF nor Terraform. docs/clouds/index.md tells how one is
// written; test/unit/constructs/iaas/contract*.test.ts holds what all of them promise.
import type { Block, BlockKind, BlockOf, Egress } from "../blueprint/block.js";
import type { Blueprint, Member } from "../blueprint/blueprint.js";
import type { ClusterSpec } from "../spec/gen/spec.js";
import type { Problem } from "../spec/problem.js";
import type { Arg, Args, Ref, Text, VendorResource } from "./resource.js";

/** What a vendor takes as a name. */
export interface NameLimit {
  /** Most characters; longer names are cut and end in a digest (fitName). */
  readonly length: number;
  readonly pattern: RegExp;
  /** The pattern in words. */
  readonly allowed: string;
  /** Argument that holds it. @default "name" */
  readonly argument?: string;
}

export interface Limits {
  /** Most bytes of user-data, as the cloud counts them. */
  readonly userDataBytes: number;
  /**
   * "gzip_base64": base64 of the gzip, whose gzip is counted (EC2: 16384; Nova: 49149 of its 65535 of text).
   * "gzip_base64_text": the same text, which is counted itself (Hetzner: 32768). "plain": the MIME text.
   */
  readonly userDataEncoding: "gzip_base64" | "gzip_base64_text" | "plain";
  /** Longest name of a machine. */
  readonly nameLength: number;
  /** By vendor type, for those that take less or other than 63 of a-z, 0-9 and dashes. */
  readonly names?: Readonly<Record<string, NameLimit>>;
  readonly capacityTypes: readonly string[];
  /** Whether the spec may choose the size of a root disk. */
  readonly rootDisk: boolean;
  readonly diskTypes: boolean;
  readonly diskIops: boolean;
  /** How many machine types a group may name. */
  readonly instanceTypes: number;
  /** What a machine type looks like; null: whatever the cloud's API takes. */
  readonly instanceType: { readonly pattern: RegExp; readonly allowed: string } | null;
  /** "one": one subnet is in all zones. "per_zone": vpc_config.subnets has to name one for each. "either": as the spec says. */
  readonly subnets: "one" | "per_zone" | "either";
  /** Ways out that the cloud has. */
  readonly egress: readonly Egress[];
  /** "routed": the cloud carries packets with pods' addresses within a subnet. "tunnelled": it does not; all are wrapped. */
  readonly podTraffic: "routed" | "tunnelled";
  /** How many public addresses of the user's the endpoint takes: none, one, one for each public subnet. */
  readonly publicAddresses: "none" | "one" | "per_zone";
  /** What the cloud takes as tags; null: it has none. */
  readonly tags: { readonly key: RegExp; readonly value: RegExp; readonly allowed: string; readonly most: number } | null;
}

/**
 * Fields of the spec that the cloud cannot honour, by path ("vpc_config.network_id", "node_groups.*.extra_disks"), with what to
 * do instead. Given means: not left out, not false, not empty.
 */
export type Unsupported = Readonly<Record<string, string>>;

/** What a machine is made from; all of it comes from honest_boot, so that it moves with the release and with nothing else. */
export interface BootOutputs {
  readonly instanceType: Ref;
  readonly image: Ref;
  readonly rootDiskGib: Ref;
  readonly userData: Ref;
}

export interface Context {
  readonly spec: ClusterSpec;
  readonly blueprint: Blueprint;
  readonly block: (id: string) => Block;
  /** All blocks of a kind, in the blueprint's order. */
  readonly blocks: <K extends BlockKind>(kind: K) => readonly BlockOf<K>[];
  /** Of a machine's block. */
  readonly member: (machine: string) => Member;
  readonly boot: (machine: string) => BootOutputs;
  /** Id of a block in the cloud: what exists already by the spec's word, else `attribute` ("id") of the resource named as the block. */
  readonly idOf: (block: string, attribute?: string) => Arg;
}

export type MapBlock<K extends BlockKind> = (block: BlockOf<K>, context: Context) => readonly VendorResource[];

/** What other resources need of a block once it exists. */
export interface Outputs {
  /** The vendor's id of a machine, as cloud-init knows it. */
  readonly machineId: (machine: string) => Ref;
  readonly machineAddress: (machine: string) => Ref;
  /** Link or id by which a machine finds the disk. */
  readonly diskDevice: (disk: string) => Ref | Text;
  /**
   * Host (address or name) at which the world reaches the endpoint; of an address's resource, never of one that depends on
   * machines: trust and every membership depend on it. Left out: the cloud has no public endpoint.
   */
  readonly publicHost?: (blueprint: Blueprint, context: Context) => Arg;
}

/** The vendor's provider, as required_providers and the provider block have it. Who signs in is said by its environment. */
export interface VendorProvider {
  /** First part of its resources' types: "aws". */
  readonly type: string;
  readonly source: string;
  /** Constraint: "~> 6.0". */
  readonly version: string;
  readonly args: (spec: ClusterSpec) => Args;
}

/** Arguments of the vendor's machine; each that a mapping gives stands in exactly one list. */
export interface MachineArguments {
  /** Whose change replaces or restarts the machine and which the spec may change: from honest_boot's outputs and nowhere else. */
  readonly boot: readonly string[];
  /** Whose change would do so too, but which are made of names, zones, fixed addresses and ids that stay, or are ignored. */
  readonly fixed: readonly string[];
  /** Whose change the vendor makes on the living machine. */
  readonly inPlace: readonly string[];
}

export interface Mapping {
  readonly name: string;
  readonly limits: Limits;
  readonly unsupported: Unsupported;
  /** null: the kit's own provider makes the blocks too. */
  readonly provider: VendorProvider | null;
  /**
   * Resources of a block; none where the block exists already or where the cloud needs none. The one that carries the block's
   * id in the cloud is named as the block, others as the block with a dash and what they are ("network-router").
   */
  readonly map: { readonly [K in BlockKind]: MapBlock<K> };
  /** What belongs to no block alone: groups that rules are about, anti-affinity, roles. Names begin with "shared/". */
  readonly shared?: (context: Context) => readonly VendorResource[];
  readonly outputs: Outputs;
  /** By the vendor's types that machines are made of. */
  readonly machines: Readonly<Record<string, MachineArguments>>;
  /** Trust, boot data and memberships as something else than the kit's own resources; only for a cloud without machines. */
  readonly standIn?: (resource: VendorResource) => VendorResource;
  /** What this cloud alone finds wrong with a spec. */
  readonly check?: (spec: ClusterSpec) => readonly Problem[];
  /** What is allowed and still better known: said at synth, stops nothing. */
  readonly warn?: (spec: ClusterSpec) => readonly Problem[];
}
