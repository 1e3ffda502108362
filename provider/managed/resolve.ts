// References between resources as values: what the constructs write as expressions is looked up here.
import type { Arg, Args } from "../../constructs/iaas/resource.js";
import { isRef } from "../../constructs/iaas/resource.js";
import { isUnknown, type ObjectValue, type Unknown, unknown, type Value } from "../framework/value.js";

export type { Args };

/** Value of a resource as far as it is known, unknown when nothing of it is; undefined: there is no such resource. */
export type LookUp = (resource: string) => ObjectValue | Unknown | undefined;

export const resolveArgs = (args: Args, lookUp: LookUp): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(args).map(([name, arg]) => [name, resolve(arg, lookUp)]));

function resolve(arg: Arg, lookUp: LookUp): Value {
  if (isRef(arg)) {
    const found = lookUp(arg.resource);
    if (found === undefined) throw new TypeError(`nothing is known of ${arg.resource}`);
    return attributeAt(found, arg.attribute);
  }
  if (arg === null || typeof arg !== "object") return arg;
  if (Array.isArray(arg)) return arg.map((item: Arg) => resolve(item, lookUp));
  return resolveArgs(arg as Args, lookUp);
}

/** "id", "network.0.fixed_ip", "network[0].fixed_ip", also as one key: what is in an unknown is unknown. */
export function attributeAt(value: ObjectValue | Unknown, attribute: string): Value {
  if (!isUnknown(value) && Object.hasOwn(value, attribute)) return value[attribute] ?? null;
  const path = attribute.replace(/\[(\d+)\]/g, ".$1").split(".");
  let at: Value = value;
  for (const part of path) {
    if (isUnknown(at)) return unknown;
    if (at === null || typeof at !== "object") return null;
    at = (at as Readonly<Record<string, Value>>)[part] ?? null;
  }
  return at;
}
