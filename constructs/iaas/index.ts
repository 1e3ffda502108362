// honest-paas/iaas: blueprint and mappings without CDKTF, for whoever renders a cluster elsewhere.
export type { Block, BlockKind, BlockOf } from "../blueprint/block.js";
export type { Blueprint, ControlPlane, Member, NodeGroup } from "../blueprint/blueprint.js";
export { build } from "../blueprint/build.js";
export { unhonoured } from "./honour.js";
export { local } from "./local.js";
export { mapCluster } from "./map.js";
export type { BootOutputs, Context, Limits, MapBlock, Mapping, Outputs } from "./mapping.js";
export { preview } from "./preview.js";
export { mappingOf, mappings } from "./registry.js";
export { type Arg, type Args, isRef, type Lifecycle, type Ref, ref, refsIn, type VendorResource } from "./resource.js";
