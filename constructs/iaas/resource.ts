// A vendor's resource as data: what a mapping returns, what the constructs render into Terraform JSON, what the provider's
// shim will create itself. References are values of their own, never text, so that both can resolve them.

const brand: unique symbol = Symbol.for("honest-paas/reference") as never;

/** An attribute of another resource of the cluster, by that resource's name. */
export interface Ref {
  readonly [brand]: true;
  readonly resource: string;
  readonly attribute: string;
}

export type Arg = null | string | number | boolean | Ref | readonly Arg[] | { readonly [key: string]: Arg };
export type Args = Readonly<Record<string, Arg>>;

export interface Lifecycle {
  readonly createBeforeDestroy?: boolean;
  readonly preventDestroy?: boolean;
  /** Names of attributes. */
  readonly ignoreChanges?: readonly string[];
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
}

export const ref = (resource: string, attribute: string): Ref => ({ [brand]: true, resource, attribute });
export const isRef = (value: unknown): value is Ref => typeof value === "object" && value !== null && brand in value;

/** Names of the resources that a value refers to. */
export function refsIn(value: Arg): readonly string[] {
  if (isRef(value)) return [value.resource];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(refsIn);
}

/** Leaves out what is null, as HCL does. */
export const present = (args: Args): Args => Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
