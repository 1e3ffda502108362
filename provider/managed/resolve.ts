// References between resources as values: what the constructs write as expressions is looked up here.
import type { Arg, Args } from "../../constructs/iaas/resource.js";
import { isRaw, isRef, isText, type Part } from "../../constructs/iaas/resource.js";
import { decimalText } from "../framework/decimal.js";
import { BigDecimal, isUnknown, type ObjectValue, type Unknown, unknown, type Value } from "../framework/value.js";
import { type Evaluate, evaluateAtPlan } from "./expression.js";

export type { Args };

/** Value of a resource as far as it is known, unknown when nothing of it is; undefined: there is no such resource. */
export type LookUp = (resource: string) => ObjectValue | Unknown | undefined;

export const resolveArgs = (args: Args, lookUp: LookUp, evaluate: Evaluate = evaluateAtPlan): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(args).map(([name, arg]) => [name, resolve(arg, lookUp, evaluate)]));

export function resolve(arg: Arg, lookUp: LookUp, evaluate: Evaluate = evaluateAtPlan): Value {
  if (isText(arg)) return joined(arg.parts.map((part) => partOf(part, lookUp, evaluate)));
  if (isRef(arg)) {
    const found = lookUp(arg.resource);
    if (found === undefined) throw new TypeError(`nothing is known of ${arg.resource}`);
    return attributeAt(found, arg.attribute);
  }
  if (arg === null || typeof arg !== "object") return arg;
  if (Array.isArray(arg)) return arg.map((item: Arg) => resolve(item, lookUp, evaluate));
  return resolveArgs(arg as Args, lookUp, evaluate);
}

const partOf = (part: Part, lookUp: LookUp, evaluate: Evaluate): Value =>
  typeof part === "string" ? part : isRaw(part) ? evaluate(part.raw) : resolve(part, lookUp, evaluate);

/** A text is known when all of it is. */
function joined(parts: readonly Value[]): Value {
  if (parts.some(isUnknown)) return unknown;
  return parts
    .map((part) => {
      if (typeof part === "number" || part instanceof BigDecimal) return decimalText(part);
      if (typeof part === "string" || typeof part === "boolean") return String(part);
      throw new TypeError("a part of a text is neither a word nor a number");
    })
    .join("");
}

/** "id", "network.0.fixed_ip", "network[0].fixed_ip", "network.*.ip[0]", also as one key: what is in an unknown is unknown. */
export function attributeAt(value: ObjectValue | Unknown, attribute: string): Value {
  if (!isUnknown(value) && Object.hasOwn(value, attribute)) return value[attribute] ?? null;
  const path = attribute.replace(/\[(\d+)\]/g, ".$1").split(".");
  return valueAt(value, path);
}

function valueAt(value: Value, path: readonly string[]): Value {
  const [part, ...rest] = path;
  if (part === undefined) return value;
  if (isUnknown(value)) return unknown;
  if (value === null || typeof value !== "object") return null;
  if (part !== "*") return valueAt((value as Readonly<Record<string, Value>>)[part] ?? null, rest);
  // as Terraform reads it: names that follow are of each element, a number is of what they make together
  const end = rest.findIndex((next) => /^\d+$/.test(next));
  const [each, after] = end < 0 ? [rest, []] : [rest.slice(0, end), rest.slice(end)];
  return valueAt(
    (Object.values(value) as readonly Value[]).map((item) => valueAt(item, each)),
    after,
  );
}
