// The three states of a rotation in honest_pki: which may follow which, what the cluster has to say first, what moves.

import { type Diagnostic, error } from "../../framework/diagnostic.js";
import { type ObjectValue, unknown, type Value } from "../../framework/value.js";
import {
  authorityNames,
  createSuccessors,
  type Each,
  each,
  firstEnd,
  nextInstead,
  type Rotation,
  type RotationState,
  rotationSet,
  rotationStates,
  type Successors,
  wordRotation,
} from "../../pki/rotation.js";
import { isObject, text } from "../cluster/decode.js";
import { behindIn, type TrustSeen } from "./trust-seen.js";

export const rotationOf = (value: Value | undefined): Rotation | null =>
  isObject(value) ? { number: Number(value.number), state: String(value.state) as RotationState } : null;

export function rotationProblems(given: Value | undefined): readonly Diagnostic[] {
  if (!isObject(given)) return [];
  const wrong = (name: string, allowed: string): Diagnostic =>
    error(`Not a value of rotation.${name}`, `rotation.${name} is ${JSON.stringify(given[name])}; ${allowed}.`, ["rotation", name]);
  const { number, state } = given;
  return [
    ...(typeof number === "number" && !(Number.isInteger(number) && number >= 1 && number <= 1000)
      ? [wrong("number", "it is a whole number from 1 to 1000")]
      : []),
    ...(typeof state === "string" && !(rotationStates as readonly string[]).includes(state)
      ? [wrong("state", `allowed are ${rotationStates.join(", ")}, one after another`)]
      : []),
  ];
}

const refused = (cluster: string, why: string): Diagnostic =>
  error("Rotation of authorities does not go on", `Cluster ${cluster}: ${why} Nothing is changed.`, ["rotation"]);

/** A cluster that is being made has nothing to rotate; a number that its project carries is that of its first authorities. */
export function newbornProblem(cluster: string, wanted: Rotation | null): readonly Diagnostic[] {
  if (wanted === null || wanted.state === "retire") return [];
  const done = wordRotation({ ...wanted, state: "retire" });
  return [
    refused(
      cluster,
      `rotation is ${wordRotation(wanted)}, and its authorities do not exist yet. Leave rotation out, or set ${done}: authorities of that number are made.`,
    ),
  ];
}

/** Why the step may not be taken now; none when it may or when nothing changes. */
export function stepProblems(prior: ObjectValue, wanted: Rotation | null, seen: TrustSeen | null): readonly Diagnostic[] {
  const cluster = text(prior.cluster) ?? "";
  const before = rotationOf(prior.rotation);
  const instead = nextInstead(before, wanted);
  if (instead !== undefined) {
    const got = wanted === null ? "left out" : wordRotation(wanted);
    const was = before === null ? "none was made before" : `what was applied last is ${wordRotation(before)}`;
    return [refused(cluster, `rotation is ${got}, and ${was}. States follow one another; set ${wordRotation(instead)}.`)];
  }
  if (wanted === null || wanted.state === "create" || before?.state === wanted.state) return [];
  const behind = before === null ? [] : behindIn(seen, before);
  if (behind.length > 0) {
    const need = wanted.state === "promote" ? "trusts the new authorities" : "uses certificates of the new authorities only";
    return [
      refused(
        cluster,
        `${wanted.state} waits until every node ${need}. ${behind.join(". ")}. Apply with ${wordRotation(before as Rotation)} again, then ${wanted.state}.`,
      ),
    ];
  }
  if (wanted.state === "retire" && Number(prior.generation) !== wanted.number)
    return [
      refused(cluster, `boot documents do not carry the new authorities yet. Apply with ${wordRotation(before as Rotation)} once more.`),
    ];
  const old = wanted.state === "retire" ? (seen?.oldDocuments ?? []) : [];
  if (old.length > 0)
    return [
      refused(
        cluster,
        `machines whose boot document was made before promote would not come back: ${old.join(", ")}. Apply with ${wordRotation(before as Rotation)} until nothing is pending (honest-paas converge), then retire.`,
      ),
    ];
  return [];
}

type Bundle = Readonly<Record<string, unknown>>;
const parse = <T>(json: Value | undefined): T => JSON.parse(text(json) ?? "null") as T;

function withAuthorities(bundle: Bundle, { fresh, number }: Successors): Bundle {
  const pairs = authorityNames.flatMap((name) => [
    [`${name}_cert`, fresh[name].cert],
    [`${name}_key`, fresh[name].key],
  ]);
  return { ...bundle, ...Object.fromEntries(pairs), generation: number };
}

/** Documents follow when every node uses the new authorities: a machine that trusts only those is at home everywhere then. */
export function documentsFollow(prior: ObjectValue, wanted: Rotation | null, seen: TrustSeen | null): boolean {
  return wanted?.state === "promote" && rotationOf(prior.rotation)?.state === "promote" && behindIn(seen, wanted).length === 0;
}

export interface Moved {
  /** Attributes that are known; `bundle` without the leaves' life. */
  readonly attributes: ObjectValue;
  readonly bundle: Bundle;
}

/** What the state is after `wanted`, from what it was. Pure, so that the plan's and the update's are the same. */
export function moved(prior: ObjectValue, wanted: Rotation | null, generation: number): Moved {
  const bundle = parse<Bundle>(prior.bundle);
  const before = rotationOf(prior.rotation);
  const stays = wanted === null || (before?.number === wanted.number && before.state === wanted.state);
  const next = parse<Successors | null>(prior.next);
  const documents = next !== null && generation === next.number ? withAuthorities(bundle, next) : bundle;
  const kept = {
    ca_bundle: prior.ca_bundle ?? prior.ca_cert ?? null,
    generation,
    next: prior.next ?? null,
    rotation_set: prior.rotation_set ?? null,
  };
  if (stays) return { attributes: kept, bundle: documents };
  if (wanted.state === "create") return { attributes: { ...kept, ca_bundle: unknown, next: unknown, rotation_set: unknown }, bundle };
  if (next === null) throw new Error(`the state of honest_pki has rotation ${wordRotation(wanted)} and no new authorities`);
  const set = rotationSet(next, wanted.state);
  const { ca, client_ca, etcd_ca, front_proxy_ca } = next.fresh;
  const retired = wanted.state === "retire";
  const attributes = {
    generation,
    ca_cert: ca.cert,
    ca_bundle: set.authorities.ca.trust,
    client_ca_cert: client_ca.cert + set.authorities.client_ca.chain,
    client_ca_key: client_ca.key,
    etcd_ca_cert: etcd_ca.cert,
    front_proxy_ca_cert: front_proxy_ca.cert,
    rotation_set: JSON.stringify(set),
    next: retired ? null : (prior.next ?? null),
    ...(retired ? { expires_at: new Date(firstEnd(authorityNames.map((name) => next.fresh[name].cert))).toISOString() } : {}),
  };
  return { attributes, bundle: documents };
}

/** The new authorities of a `create`, made at apply. */
export function begun(prior: ObjectValue, wanted: Rotation, caHours: number): ObjectValue {
  const bundle = parse<Readonly<Record<string, string>>>(prior.bundle);
  const old: Each<{ cert: string; key: string }> = each((name) => ({
    cert: bundle[`${name}_cert`] ?? "",
    key: bundle[`${name}_key`] ?? "",
  }));
  const next = createSuccessors(text(prior.cluster) ?? "", wanted.number, caHours, old);
  const set = rotationSet(next, "create");
  return { ca_bundle: set.authorities.ca.trust, next: JSON.stringify(next), rotation_set: JSON.stringify(set) };
}
