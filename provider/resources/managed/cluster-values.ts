// What honest_cluster tells of its cluster, from what is known of its objects.
import { isUnknown, type ObjectValue, unknown, type Value } from "../../framework/value.js";
import type { Ledger } from "../../managed/instance.js";
import type { Plan } from "../../managed/plan.js";
import { attributeAt, type LookUp } from "../../managed/resolve.js";
import { version } from "../../version.js";
import { text } from "../cluster/decode.js";
import { type Evaluated, forGroups, neededByGroups } from "./evaluate.js";
import { handleOf } from "./handle.js";
import type { Json } from "./input.js";

export const plannedValues =
  ({ changes }: Plan): LookUp =>
  (name) =>
    changes.find((change) => change.name === name && !change.deposed)?.planned ?? undefined;

export const madeValues =
  (ledger: Ledger): LookUp =>
  (name) =>
    ledger.current(name)?.attributes;

export function clusterValues({ spec }: Evaluated, input: Json, lookUp: LookUp): ObjectValue {
  const pki = lookUp("pki") ?? unknown;
  const of = (attribute: string): Value => attributeAt(pki, attribute);
  const bundle = of("ca_bundle");
  return {
    id: spec.name,
    endpoint: spec.access.endpoint,
    certificate_authority: { data: isUnknown(bundle) ? unknown : Buffer.from(text(bundle) ?? "").toString("base64") },
    admin_access: {
      endpoint: spec.access.endpoint,
      ca_bundle: bundle,
      client_ca_cert: of("client_ca_cert"),
      client_ca_key: of("client_ca_key"),
    },
    platform_version: version,
    handle: handleOf(forGroups(input), neededByGroups(spec, input), lookUp),
  };
}
