// Which cloud a spec names.
import type { ClusterSpec } from "../spec/gen/spec.js";
import { local } from "./local.js";
import type { Mapping } from "./mapping.js";
import { preview } from "./preview.js";

export const mappings = { local, preview } as const satisfies Readonly<Record<keyof ClusterSpec["iaas"], Mapping>>;

export function mappingOf(spec: ClusterSpec): Mapping {
  const name = (Object.keys(mappings) as (keyof typeof mappings)[]).find((cloud) => spec.iaas[cloud] !== null);
  if (!name) throw new TypeError("no cloud passed parse()");
  return mappings[name];
}
