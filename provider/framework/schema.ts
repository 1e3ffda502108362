// The schema language of the provider: what a resource author writes and what the docs generator reads.
// No wire types here: provider/protocol translates. A value is plain data (see value.ts).
import type { Value } from "./value.js";

/** Type of an attribute that has no attributes of its own. */
export type AttributeType =
  | "string"
  | "number"
  | "bool"
  | "dynamic"
  | { readonly list: AttributeType }
  | { readonly set: AttributeType }
  | { readonly map: AttributeType }
  | { readonly object: Readonly<Record<string, AttributeType>> };

/** What a change of the attribute does to what already runs. It drives the plan and the docs. */
export type ChangeEffect = "in place" | "roll" | "replace";

interface AttributeCommon {
  /** One sentence: what; then unit, default and consequence. Goes into the docs page as it is. */
  readonly description: string;
  readonly required?: boolean;
  readonly optional?: boolean;
  readonly computed?: boolean;
  readonly sensitive?: boolean;
  readonly writeOnly?: boolean;
  readonly deprecated?: boolean;
  /** Taken when the configuration leaves the attribute out; makes an optional attribute computed for core. */
  readonly default?: Value;
  /** "replace" makes the framework ask core for a replacement. @default "in place" */
  readonly change?: ChangeEffect;
}

export type Attribute = AttributeCommon &
  (
    | { readonly type: AttributeType; readonly nested?: never }
    | {
        readonly type?: never;
        readonly nested: {
          readonly mode: "single" | "list" | "set" | "map";
          readonly attributes: Readonly<Record<string, Attribute>>;
        };
      }
  );

export interface Schema {
  /** Raised when the stored shape changes; the resource then has an `upgrade`. */
  readonly version: number;
  readonly description: string;
  readonly attributes: Readonly<Record<string, Attribute>>;
}
