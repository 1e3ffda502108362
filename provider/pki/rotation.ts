// New authorities beside the old ones: what is trusted and who signs in each of a rotation's three states. Pure but for the
// making of keys.
import { crossSign, expiryOf } from "./certificate.js";
import { createAuthorities } from "./create.js";

export const rotationStates = ["create", "promote", "retire"] as const;
export type RotationState = (typeof rotationStates)[number];
export interface Rotation {
  /** 1, 2, 3 …: number of the authorities that the rotation brings. The cluster's first have 0. */
  readonly number: number;
  readonly state: RotationState;
}

export const authorityNames = ["ca", "client_ca", "etcd_ca", "front_proxy_ca"] as const;
export type AuthorityName = (typeof authorityNames)[number];
export type Each<T> = { readonly [name in AuthorityName]: T };

/** A rotation's certificates and keys, PEM, from create until retire. */
export interface Successors {
  readonly number: number;
  readonly old: Each<string>;
  readonly fresh: Each<{ readonly cert: string; readonly key: string }>;
  /** The new authority certified by the old one. */
  readonly cross: Each<string>;
}

/** What agents bring about on their machines. */
export interface RotationSet extends Rotation {
  readonly authorities: Each<{
    /** PEM certificates that are trusted, the signer's first. */
    readonly trust: string;
    /** PEM; null = the key that the machine has signs on. */
    readonly key: string | null;
    /** What travels with everything that the signer signs, PEM or empty: for machines that trust only the old authority. */
    readonly chain: string;
  }>;
}

export const each = <T>(make: (name: AuthorityName) => T): Each<T> =>
  Object.fromEntries(authorityNames.map((name) => [name, make(name)])) as Each<T>;

export function createSuccessors(
  cluster: string,
  number: number,
  caHours: number,
  old: Each<{ readonly cert: string; readonly key: string }>,
  now = new Date(),
): Successors {
  const made = createAuthorities(cluster, caHours, number, now);
  const fresh = { ca: made.ca, client_ca: made.clientCa, etcd_ca: made.etcdCa, front_proxy_ca: made.frontProxyCa };
  return {
    number,
    old: each((name) => old[name].cert),
    fresh,
    cross: each((name) => crossSign(fresh[name].cert, old[name])),
  };
}

export function rotationSet({ number, old, fresh, cross }: Successors, state: RotationState): RotationSet {
  const of = (name: AuthorityName): RotationSet["authorities"][AuthorityName] => {
    const { cert, key } = fresh[name];
    switch (state) {
      case "create":
        return { trust: old[name] + cert, key: null, chain: "" };
      case "promote":
        return { trust: cert + old[name], key, chain: cross[name] };
      case "retire":
        return { trust: cert, key, chain: "" };
      default:
        return state satisfies never;
    }
  };
  return { number, state, authorities: each(of) };
}

/** Milliseconds since the epoch. */
export const firstEnd = (certs: readonly string[]): number => Math.min(...certs.map((cert) => expiryOf(cert).getTime()));

/** What is to be set instead when `wanted` may not follow `prior`; undefined = it may. null = no rotation was ever set. */
export function nextInstead(prior: Rotation | null, wanted: Rotation | null): Rotation | undefined {
  const next = nextRotation(prior);
  const is = (other: Rotation | null): boolean => wanted?.number === other?.number && wanted?.state === other?.state;
  if (is(prior) || is(next)) return undefined;
  // one that is done stays in the spec: machines' releases count it
  return prior?.state === "retire" && wanted === null ? prior : next;
}

export function nextRotation(prior: Rotation | null): Rotation {
  if (prior === null) return { number: 1, state: "create" };
  const { number, state } = prior;
  if (state === "retire") return { number: number + 1, state: "create" };
  return { number, state: state === "create" ? "promote" : "retire" };
}

export const wordRotation = ({ number, state }: Rotation): string => `{ number = ${number}, state = "${state}" }`;
