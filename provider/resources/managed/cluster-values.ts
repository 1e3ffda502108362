// What honest_cluster tells of its cluster, from what is known of its objects.
import { clusterUrl } from "../../../constructs/iaas/map.js";
import { mappingOf } from "../../../constructs/iaas/registry.js";
import { isUnknown, type ObjectValue, unknown, type Value } from "../../framework/value.js";
import type { Ledger } from "../../managed/instance.js";
import type { Plan } from "../../managed/plan.js";
import { attributeAt, type LookUp, resolve } from "../../managed/resolve.js";
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

/** A public address is only known when the cloud has given it. */
const endpointOf = ({ spec, blueprint }: Evaluated, lookUp: LookUp): Value =>
  resolve(clusterUrl(spec, blueprint, mappingOf(spec)), (name) => lookUp(name) ?? unknown);

export function clusterValues(evaluated: Evaluated, input: Json, lookUp: LookUp): ObjectValue {
  const { spec } = evaluated;
  const endpoint = endpointOf(evaluated, lookUp);
  const pki = lookUp("pki") ?? unknown;
  const of = (attribute: string): Value => attributeAt(pki, attribute);
  const bundle = of("ca_bundle");
  return {
    id: spec.name,
    endpoint,
    certificate_authority: { data: isUnknown(bundle) ? unknown : Buffer.from(text(bundle) ?? "").toString("base64") },
    admin_access: {
      endpoint,
      ca_bundle: bundle,
      client_ca_cert: of("client_ca_cert"),
      client_ca_key: of("client_ca_key"),
    },
    platform_version: version,
    handle: handleOf(forGroups(input), neededByGroups(spec, input), lookUp),
  };
}
