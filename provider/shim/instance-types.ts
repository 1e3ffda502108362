// What the life of one vendor object is made of: plans, results, what is stored. Plain data; object.ts makes and uses it.
import type { Diagnostic } from "../framework/diagnostic.js";
import type { ObjectValue } from "../framework/value.js";
import type { AttributePath, Vendor } from "./vendor.js";

/** An object that exists, or is believed to. */
export interface ObjectState {
  readonly value: ObjectValue;
  /** The vendor's own data beside it, byte for byte. Secrets stand in it in clear. */
  readonly private: Uint8Array;
}

/** An object at rest: JSON as it stands in our own state. Sensitive as a whole. */
export interface StoredObject {
  readonly type: string;
  readonly schema_version: number;
  /** JSON text, so that no digit of a number is lost on the way through a parser. */
  readonly attributes: string;
  /** Base64; "" when there is none. */
  readonly private: string;
}

export type Action = "create" | "update" | "replace" | "delete" | "no-op";

export interface ObjectPlan {
  readonly type: string;
  readonly action: Action;
  readonly prior: ObjectState | null;
  /** Complete; null for a delete. */
  readonly config: ObjectValue | null;
  /** Of a replacement: the new object. null for a delete. Unknown parts become known at apply. */
  readonly planned: ObjectValue | null;
  readonly plannedPrivate: Uint8Array;
  /** Top-level attributes and blocks whose planned value differs from the prior one, sorted. Empty for create and delete. */
  readonly changed: readonly string[];
  /** Why it is a replacement: paths that differ and that the vendor cannot change in place, sorted. */
  readonly replacedBy: readonly AttributePath[];
}

export interface Planned {
  /** null when the diagnostics have errors. */
  readonly plan: ObjectPlan | null;
  /** Warnings too. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * done: as planned.
 * failed: the vendor says so; `state` is what exists all the same, null when nothing does for certain.
 * unknown: nobody knows whether it happened. Settle, look up, adopt; never create again at once.
 */
export type Outcome = "done" | "failed" | "unknown";

export interface Applied {
  readonly outcome: Outcome;
  /** Store it whatever the outcome is. After a destroy that is done: null. */
  readonly state: ObjectState | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** unknown: the vendor could not tell (`state` is then what was known before). It never means gone. */
export interface Seen {
  readonly outcome: "present" | "gone" | "unknown";
  readonly state: ObjectState | null;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * What a lookup found: ids of every object that carries the cluster's name for it, oldest first where the cloud tells. An
 * object of somebody else must not be among them: compare the owner's mark where names are not unique.
 * unknown: the cloud did not answer.
 */
export type Found =
  | { readonly kind: "none" }
  | {
      readonly kind: "ids";
      readonly ids: readonly string[];
      /** By id, the digest of the configuration that an object was made of, where the mapping writes it on the object. */
      readonly hashes?: Readonly<Record<string, string>>;
    }
  | { readonly kind: "unknown"; readonly diagnostics: readonly Diagnostic[] };

/** How to find an object of a type without its id. Mappings fill a table of these, one per type. */
export interface Lookup {
  /** `wanted`: the planned object, whose name (or tag, or fixed address) is known. Called only after settling. */
  find(vendor: Vendor, wanted: ObjectValue): Promise<Found>;
  /**
   * Whether an adopted object has come to rest, such as power_state "active". "failed" = it never will: it is deleted and
   * made anew.
   * @default every object that is there is ready
   */
  ready?(value: ObjectValue): "ready" | "wait" | "failed";
}
export type Lookups = Readonly<Record<string, Lookup>>;

/** Carries out plans so that nothing is lost: journal before and after, recovery in between. See executor.ts. */
export interface Executor {
  /**
   * Before the first read: ends vendors that a killed run left, and waits until what they sent has come to rest. At once when
   * the journal has nothing open.
   */
  ready(): Promise<void>;
  /**
   * One object. `address` is its place in the graph ("machine.prod-cp-a"), the same in every run. A create first looks whether
   * an earlier run has made the object, and adopts it. Of a replacement: the destroy, then the create; a walk that orders
   * these itself calls it with `planDestroy` and later with `createAlone(plan)`.
   */
  apply(address: string, plan: ObjectPlan): Promise<Applied>;
  /** Objects that carry the names of these and that no state knows, for a report or for `apply(address, planDestroy(…))`. */
  strays(objects: readonly Known[]): Promise<readonly Stray[]>;
  /** The state of the cluster is stored and knows all of these addresses: the journal forgets them. */
  settled(addresses: ReadonlySet<string>): void;
  /** After it, nothing new is begun; resolves when what is in flight has ended. First ctrl-C. */
  drain(): Promise<void>;
}

export interface Known {
  readonly address: string;
  readonly type: string;
  /** Planned or known: what `Lookup.find` takes. */
  readonly wanted: ObjectValue;
  /** null: the state knows of no such object. */
  readonly id: string | null;
}

export interface Stray {
  readonly address: string;
  readonly type: string;
  readonly id: string;
}
