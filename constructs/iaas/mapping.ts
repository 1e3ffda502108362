// The contract of a cloud: its limits, and a translation for every kind of block. A new kind of block does not compile
// until every mapping has it. Mappings are pure and know neither CDKTF nor Terraform.
import type { Block, BlockKind, BlockOf } from "../blueprint/block.js";
import type { Blueprint, Member } from "../blueprint/blueprint.js";
import type { ClusterSpec } from "../spec/gen/spec.js";
import type { Problem } from "../spec/problem.js";
import type { Ref, VendorResource } from "./resource.js";

export interface Limits {
  /** Most bytes of user-data, as the cloud counts them. */
  readonly userDataBytes: number;
  readonly userDataEncoding: "gzip_base64" | "plain";
  /** Longest name of a machine. */
  readonly nameLength: number;
  readonly capacityTypes: readonly string[];
  /** Whether the spec may choose the size of a root disk. */
  readonly rootDisk: boolean;
  readonly diskTypes: boolean;
  readonly diskIops: boolean;
  /** How many machine types a group may name. */
  readonly instanceTypes: number;
  /** What a machine type looks like; null: whatever the cloud's API takes. */
  readonly instanceType: { readonly pattern: RegExp; readonly allowed: string } | null;
}

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
  /** Of a machine's block. */
  readonly member: (machine: string) => Member;
  readonly boot: (machine: string) => BootOutputs;
}

export type MapBlock<K extends BlockKind> = (block: BlockOf<K>, context: Context) => readonly VendorResource[];

/** What other resources need of a block once it exists. */
export interface Outputs {
  /** The vendor's id of a machine, as cloud-init knows it. */
  readonly machineId: (machine: string) => Ref;
  readonly machineAddress: (machine: string) => Ref;
  /** Link or id by which a machine finds the disk. */
  readonly diskDevice: (disk: string) => Ref;
}

export interface Mapping {
  readonly name: string;
  readonly limits: Limits;
  readonly map: { readonly [K in BlockKind]: MapBlock<K> };
  readonly outputs: Outputs;
  /** Trust, boot data and memberships as something else than the kit's own resources; only for a cloud without machines. */
  readonly standIn?: (resource: VendorResource) => VendorResource;
  /** What this cloud alone finds wrong with a spec. */
  readonly check?: (spec: ClusterSpec) => readonly Problem[];
}
