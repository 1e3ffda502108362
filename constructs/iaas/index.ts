// honest-paas/iaas: blueprint and mappings without CDKTF, for whoever renders a cluster elsewhere.
export type { Block, BlockKind, BlockOf } from "../blueprint/block.js";
export type { Blueprint, ControlPlane, Member, NodeGroup } from "../blueprint/blueprint.js";
export { build } from "../blueprint/build.js";
export { unhonoured } from "./honour.js";
export { local } from "./local.js";
export { mapCluster } from "./map.js";
export type {
  BootOutputs,
  Context,
  Limits,
  MachineArguments,
  MapBlock,
  Mapping,
  NameLimit,
  Outputs,
  Unsupported,
  VendorProvider,
} from "./mapping.js";
export { fitName, nameProblems } from "./names.js";
export { preview } from "./preview.js";
export { mappingOf, mappings } from "./registry.js";
export {
  type Arg,
  type Args,
  isRaw,
  isRef,
  isText,
  type Lifecycle,
  type Part,
  type Raw,
  type Ref,
  ref,
  refsIn,
  type Text,
  text,
  type VendorResource,
} from "./resource.js";
