// honest-paas: constructs for CDKTF; the same file is built against cdktn as honest-paas/cdktn.
export { Cluster, type ClusterProps, type ICluster } from "./cdktf/cluster.js";
export { DependencyAspect } from "./cdktf/dependency-aspect.js";
export type { IProvider } from "./cdktf/element.js";
export { NodeGroup } from "./cdktf/node-group.js";
export { HonestProvider, type HonestProviderProps } from "./cdktf/provider.js";
export { SpecError } from "./cdktf/spec-error.js";
export type { ClusterSpec, NodeGroupProps, NodeGroupSpec } from "./spec/gen/spec.js";
export { type Problem, wordProblem } from "./spec/problem.js";
export { defaultVersion, supportedVersions } from "./spec/version.js";
