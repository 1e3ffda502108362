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

export interface Vendor {
  /** Version of the type's schema, to be kept with an object. */
  schemaVersion(type: string): number;
  /** Arguments as a whole configuration: what is not given is null. */
  config(type: string, args: Readonly<Record<string, Value>>): ObjectValue;
  /** An object as it was kept, in today's shape. */
  upgrade(type: string, attributes: ObjectValue, version: number): ObjectValue;
  equal(type: string, a: ObjectValue, b: ObjectValue): boolean;
  plan(ask: PlanAsk): Promise<Planned>;
  /** `prior` null: create; `planned` null: destroy. Never throws: what is known to exist is in the answer. */
  apply(ask: ApplyAsk): Promise<Answer>;
  read(ask: ReadAsk): Promise<Answer>;
}

/** Who makes a type of object. */
export type VendorOf = (type: string) => Vendor;
export type { Args };
