// The port to whoever makes objects: the kit's own resources in this process, or a vendor's provider behind a plugin.
import type { Diagnostic } from "../framework/diagnostic.js";
import type { ObjectValue, Value } from "../framework/value.js";
import type { Args } from "./resolve.js";

export interface PlanAsk {
  readonly type: string;
  /** null: it is to be made. */
  readonly prior: ObjectValue | null;
  /** null: it is to go. */
  readonly config: ObjectValue | null;
  readonly private: unknown;
}
export interface Planned {
  readonly planned: ObjectValue | null;
  /** Only another object can have what is wanted. */
  readonly replace: boolean;
  readonly private: unknown;
  readonly diagnostics: readonly Diagnostic[];
}
export interface ApplyAsk {
  readonly type: string;
  /** Of the object below its cluster, the same in every run: "cp/a/machine". */
  readonly name: string;
  /** Ids of all objects of the type that are known, also of what the name had before: none of them is taken for a new one. */
  readonly known: readonly string[];
  readonly prior: ObjectValue | null;
  readonly planned: ObjectValue | null;
  readonly config: ObjectValue | null;
  readonly private: unknown;
}
export interface ReadAsk {
  readonly type: string;
  readonly state: ObjectValue;
  readonly private: unknown;
}
export interface Answer {
  /** null: there is nothing, or nothing any more. */
  readonly state: ObjectValue | null;
  readonly private: unknown;
  readonly diagnostics: readonly Diagnostic[];
}

/** At once for the kit's own resources, after a call for a plugin's. */
export type Soon<T> = T | Promise<T>;

/** What asks for a schema (the first four) rejects with `VendorProblem` or `VendorLost`; the others tell by diagnostics. */
export interface Vendor {
  /** Version of the type's schema, to be kept with an object. */
  schemaVersion(type: string): Soon<number>;
  /** Arguments as a whole configuration: what is not given is null. */
  config(type: string, args: Readonly<Record<string, Value>>): Soon<ObjectValue>;
  /** An object as it was kept, in today's shape. */
  upgrade(type: string, attributes: ObjectValue, version: number): Soon<ObjectValue>;
  equal(type: string, a: ObjectValue, b: ObjectValue): Soon<boolean>;
  /** What a data source says. Left out: there are none. */
  data?(type: string, args: Readonly<Record<string, Value>>): Promise<Answer>;
  plan(ask: PlanAsk): Promise<Planned>;
  /** `prior` null: create; `planned` null: destroy. Never throws: what is known to exist is in the answer. */
  apply(ask: ApplyAsk): Promise<Answer>;
  read(ask: ReadAsk): Promise<Answer>;
  /** What an apply of this name has made or taken away is on disk: no note of it is needed any more. */
  settled?(name: string): void;
}

/** Who makes a type of object. */
export type VendorOf = (type: string) => Vendor;
export type { Args };
