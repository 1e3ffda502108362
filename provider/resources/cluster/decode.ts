// Values of the framework as the types that code works with. Unknown and null both read as "not given" here: Create, Update
// and Delete only ever see known values.
import type { Attribute } from "../../framework/schema.js";
import { isUnknown, type ObjectValue, type Value } from "../../framework/value.js";
import { parseDuration } from "../../kube/duration.js";

export const text = (value: Value | undefined): string | null => (typeof value === "string" ? value : null);

export const isObject = (value: Value | undefined): value is ObjectValue =>
  value !== null && typeof value === "object" && !Array.isArray(value) && !isUnknown(value);

export const texts = (value: Value | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((v): v is string => typeof v === "string") : [];

export const textMap = (value: Value | undefined): Readonly<Record<string, string>> =>
  isObject(value) ? Object.fromEntries(Object.entries(value).filter((e): e is [string, string] => typeof e[1] === "string")) : {};

export function timeoutsAttribute(defaults: Readonly<Record<string, string>>): Attribute {
  return {
    optional: true,
    description: 'How long to wait, as durations such as "20m" or "1h30m".',
    nested: {
      mode: "single",
      attributes: Object.fromEntries(
        Object.entries(defaults).map(([verb, duration]) => [
          verb,
          { type: "string", optional: true, description: `Limit for ${verb}. Default ${duration}.` } satisfies Attribute,
        ]),
      ),
    },
  };
}

/** Milliseconds. */
export function timeoutMs(resource: ObjectValue, verb: string, fallback: string): number {
  const timeouts = resource.timeouts;
  const given = isObject(timeouts) ? text(timeouts[verb]) : null;
  return parseDuration(given ?? fallback) ?? parseDuration(fallback) ?? 0;
}

/** Paths of durations that do not parse. */
export function badTimeouts(config: ObjectValue): readonly { readonly verb: string; readonly got: string }[] {
  const timeouts = config.timeouts;
  if (!isObject(timeouts)) return [];
  return Object.entries(timeouts).flatMap(([verb, value]) => {
    const got = text(value);
    return got !== null && parseDuration(got) === undefined ? [{ verb, got }] : [];
  });
}
