// honest-paas/spec: the spec without any cloud or framework.
export { fromCamel, inCamel } from "./casing.js";
export type {
  ClusterInput,
  ClusterProps,
  ClusterSpec,
  NodeGroupInput,
  NodeGroupProps,
  NodeGroupSpec,
} from "./gen/spec.js";
export { type Parsed, parse } from "./parse.js";
export { type Problem, wordProblem } from "./problem.js";
export { clusterSchema } from "./schema.js";
export {
  compareVersions,
  defaultVersion,
  isSupported,
  latestOf,
  nextVersions,
  parseVersion,
  skewProblem,
  supportedVersions,
  upgradeProblem,
  type Version,
} from "./version.js";
