// A vendor's resource as data: what a mapping returns, what the constructs render into Terraform JSON, what the provider's
// shim will create itself. References are values of their own, never text, so that both can resolve them.

const brand: unique symbol = Symbol.for("honest-paas/reference") as never;

/** An attribute of another resource of the cluster, by that resource's name. */
export interface Ref {
  readonly [brand]: true;
  readonly resource: string;
  /** Name, or a path into it as Terraform writes it: "network[0].fixed_ip_v4". */
  readonly attribute: string;
}

const textBrand: unique symbol = Symbol.for("honest-paas/text") as never;

/**
 * A Terraform expression as it is, "substr(uuid(), 0, 5)". Only for what nothing else can say: who resolves resources
 * without Terraform has to know each one by heart.
 */
export interface Raw {
  readonly raw: string;
}

export type Part = string | Ref | Raw;

/** A text with references in it: "https://", the address, ":6443". */
export interface Text {
  readonly [textBrand]: true;
  readonly parts: readonly Part[];
}

export type Arg = null | string | number | boolean | Ref | Text | readonly Arg[] | { readonly [key: string]: Arg };
export type Args = Readonly<Record<string, Arg>>;

export interface Lifecycle {
  readonly createBeforeDestroy?: boolean;
  readonly preventDestroy?: boolean;
  /** Names of attributes. */
  readonly ignoreChanges?: readonly string[];
  /** Attributes of other resources whose change replaces this one, where the vendor would change it in place. */
  readonly replaceTriggeredBy?: readonly Ref[];
}

export interface VendorResource {
  /** "honest_local_machine" */
  readonly type: string;
  /** Path below the cluster, "cp/a/machine": the construct's place and with it Terraform's address. */
  readonly name: string;
  readonly args: Args;
  /** Names of resources, beyond those that `args` refer to. */
  readonly dependsOn?: readonly string[];
  readonly lifecycle?: Lifecycle;
  /** Read, not made: a data source of the vendor's. It has no lifecycle. */
  readonly data?: boolean;
}

export const ref = (resource: string, attribute: string): Ref => ({ [brand]: true, resource, attribute });
export const isRef = (value: unknown): value is Ref => typeof value === "object" && value !== null && brand in value;

export const isText = (value: unknown): value is Text => typeof value === "object" && value !== null && textBrand in value;

export const isRaw = (part: Part): part is Raw => typeof part === "object" && "raw" in part;

/** What `parts` make together: a plain string where no reference is in them. */
export function text(...parts: readonly (Arg | Raw)[]): string | Ref | Text {
  const flat = parts.flatMap((part): readonly Part[] => {
    if (isText(part)) return part.parts;
    if (isRef(part) || typeof part === "string") return [part];
    if (typeof part === "object" && part !== null && "raw" in part) return [part as Raw];
    if (typeof part === "number" || typeof part === "boolean") return [String(part)];
    throw new TypeError("a text is made of texts, numbers and references");
  });
  if (flat.every((part) => typeof part === "string")) return flat.join("");
  const [only] = flat;
  return flat.length === 1 && isRef(only) ? only : { [textBrand]: true, parts: flat };
}

/** Names of the resources that a value refers to. */
export function refsIn(value: Arg): readonly string[] {
  if (isRef(value)) return [value.resource];
  if (isText(value)) return value.parts.flatMap((part) => (isRef(part) ? [part.resource] : []));
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(refsIn);
}

/** Leaves out what is null, as HCL does. */
export const present = (args: Args): Args => Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
