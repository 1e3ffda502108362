// Write-only attributes need a core that promises never to store them.
import { type Diagnostic, error } from "./diagnostic.js";
import type { Attribute } from "./schema.js";
import { isUnknown, type ObjectValue, type Value } from "./value.js";

type Path = NonNullable<Diagnostic["path"]>;

/** One error for each write-only attribute that is set, at every level. */
export function writeOnlyProblems(
  attributes: Readonly<Record<string, Attribute>>,
  config: ObjectValue,
  path: Path = [],
): readonly Diagnostic[] {
  return Object.entries(attributes).flatMap(([name, attribute]) => {
    const value = config[name] ?? null;
    if (value === null) return [];
    const here = [...path, name];
    if (attribute.writeOnly) {
      const detail = `${name} is write-only: it is never stored. Terraform 1.11, OpenTofu 1.11 or a newer one is needed for that.`;
      return [error("This version of Terraform cannot keep a value out of its state", detail, here)];
    }
    if (!attribute.nested || isUnknown(value)) return [];
    const inner = attribute.nested.attributes;
    return objectsOf(attribute, value, here).flatMap(([object, at]) => writeOnlyProblems(inner, object, at));
  });
}

function objectsOf(attribute: Attribute, value: Value, path: Path): readonly (readonly [ObjectValue, Path])[] {
  const mode = attribute.nested?.mode;
  const isObject = (item: Value): boolean => item !== null && typeof item === "object" && !isUnknown(item);
  if (mode === "single") return [[value as ObjectValue, path]];
  if (mode === "map")
    return Object.entries(value as ObjectValue)
      .filter(([, item]) => isObject(item))
      .map(([key, item]) => [item as ObjectValue, [...path, { key }]] as const);
  // elements of a set have no path of their own
  return (value as readonly Value[])
    .map((item, i) => [item, mode === "set" ? path : [...path, i]] as const)
    .filter((pair): pair is readonly [ObjectValue, Path] => isObject(pair[0]));
}
