// What a managed resource has to know of a vendor's provider beyond its schema: how wrong credentials show, and how an object
// is found whose create gave no answer.
import type { ObjectValue } from "../framework/value.js";
import type { Lookup } from "../shim/instance-types.js";
import type { Preflight } from "../shim/preflight.js";

export interface VendorFacts {
  /** One cheap request that needs credentials. null: none is known, and wrong ones show at the first read or create. */
  readonly preflight: Preflight | null;
  readonly lookups: LookupOf;
}

export interface FoundBy {
  readonly lookup: Lookup;
  /** A part of another object of ours, in which nobody else makes any: it is not looked for before it is made. */
  readonly part: boolean;
}

/** null: the object cannot be told from others by what it is made of. It is not made again after a lost answer. */
export type LookupOf = (type: string, wanted: ObjectValue) => FoundBy | null;

/** A vendor of which nothing is known but its schema. */
export const unknownVendor: VendorFacts = { preflight: null, lookups: () => null };
