// Rules that a schema cannot say. Each looks at the whole spec and returns what is wrong with it.
import type { ClusterSpec } from "./gen/spec.js";
import type { Problem } from "./problem.js";
import { addressRules } from "./rules/addresses.js";
import { backupRules } from "./rules/backup.js";
import { certificateRules } from "./rules/certificates.js";
import { endpointRules } from "./rules/endpoint.js";
import { groupRules } from "./rules/groups.js";
import { nameRules } from "./rules/names.js";
import { networkRules } from "./rules/networks.js";
import { restoreRules } from "./rules/restore.js";
import { securityRules } from "./rules/security.js";
import { subnetRules } from "./rules/subnets.js";
import { versionRules } from "./rules/versions.js";

const rules: readonly ((spec: ClusterSpec) => readonly Problem[])[] = [
  versionRules,
  nameRules,
  networkRules,
  groupRules,
  addressRules,
  certificateRules,
  backupRules,
  restoreRules,
  subnetRules,
  endpointRules,
  securityRules,
];

export const check = (spec: ClusterSpec): readonly Problem[] => rules.flatMap((rule) => rule(spec));
