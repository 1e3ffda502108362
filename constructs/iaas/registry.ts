// Which cloud a spec names.
import { type CloudName, cloudOf } from "../spec/defaults.js";
import type { ClusterSpec } from "../spec/gen/spec.js";
import { aws, k2 } from "./aws/index.js";
import { hcloud } from "./hcloud.js";
import { local } from "./local.js";
import type { Mapping } from "./mapping.js";
import { openstack } from "./openstack/index.js";
import { preview } from "./preview.js";

/** One line for each cloud; the key is its name below `iaas` in the spec. */
export const mappings: Readonly<Partial<Record<CloudName, Mapping>>> = {
  aws,
  k2,
  hcloud,
  local,
  openstack,
  preview,
};

export function mappingOf(spec: ClusterSpec): Mapping {
  const name = cloudOf(spec.iaas);
  const mapping = mappings[name];
  if (!mapping) throw new TypeError(`no mapping for the cloud ${name}`);
  return mapping;
}
