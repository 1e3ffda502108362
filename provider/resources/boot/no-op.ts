// When something that decides about a release is only known after apply, the one plan that core's second call can repeat is
// "nothing changes". Core allows a value to stay as it was only while both the old and the configured one are not null.
import { type Diagnostic, error, warning } from "../../framework/diagnostic.js";
import type { PlanResponse } from "../../framework/resource.js";
import type { Attribute } from "../../framework/schema.js";
import { isComputed } from "../../framework/types.js";
import { hasUnknown, isUnknown, type ObjectValue, type Value } from "../../framework/value.js";
import { isObject } from "../cluster/decode.js";
import { bootSchema } from "./schema.js";

/** Everything that decides whether bytes move, and what is in them. `late` is recorded instead; `access` is only read with. */
const deciding = Object.keys(bootSchema.attributes).filter((name) => {
  const attribute = bootSchema.attributes[name];
  const input = attribute?.required || attribute?.optional || attribute?.default !== undefined;
  return input && !["late", "access"].includes(name);
});

type Path = readonly string[];
const spell = (path: Path): string => path.join(".");

/** Inputs that are only known after apply and that a decision needs. */
export function unknownInputs(config: ObjectValue): readonly Path[] {
  return deciding.flatMap((name) => unknownBelow(config[name] ?? null, [name]));
}

function unknownBelow(value: Value, path: Path): readonly Path[] {
  if (isObject(value)) return Object.entries(value).flatMap(([name, part]) => unknownBelow(part, [...path, name]));
  return hasUnknown(value) ? [path] : [];
}

/** Attributes that cannot stay as they were: given now and not before, or the other way round. */
export function cannotStay(prior: ObjectValue, config: ObjectValue): readonly Path[] {
  return differing(bootSchema.attributes, prior, config, []);
}

function differing(attributes: Readonly<Record<string, Attribute>>, prior: ObjectValue, config: ObjectValue, at: Path): readonly Path[] {
  return Object.entries(attributes).flatMap(([name, attribute]) => {
    const [before, given] = [prior[name] ?? null, config[name] ?? null];
    const path = [...at, name];
    if (given === null) return before === null || isComputed(attribute) ? [] : [path];
    if (before === null) return [path];
    if (isUnknown(given) || !attribute.nested || !isObject(before) || !isObject(given)) return [];
    return differing(attribute.nested.attributes, before, given, path);
  });
}

/** The plan that changes nothing, or the error that says why there is none. */
export function planNoOp(prior: ObjectValue, config: ObjectValue, unknownPaths: readonly Path[], machine: string): PlanResponse {
  const late = [...new Set(unknownPaths.map(spell))].join(", ");
  const moved = cannotStay(prior, config);
  const detail = `${late} of ${machine} comes from a resource that this plan changes`;
  if (moved.length === 0)
    return { planned: prior, diagnostics: [staysWarning(`${detail}. The machine keeps all that it has; plan again after this apply.`)] };
  const [path] = moved;
  const added = moved.map(spell).join(", ");
  return {
    planned: prior,
    diagnostics: [
      error(
        "A machine's spec is only known after apply",
        `${detail}, so nothing of the machine may change in it; but ${added} is given for the first time or left out now, which is a change. Apply the resource that the value comes from alone first (-target), then plan again.`,
        path,
      ),
    ],
  };
}

const staysWarning = (detail: string): Diagnostic => warning("A machine's spec is only known after apply", detail);
