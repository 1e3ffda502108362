// Values as resource code sees them: plain data plus two things that JSON has no word for.
// Objects have no prototype, so a map key "__proto__" is a key like any other.

/** A value that is only known after apply. Compare with `isUnknown`, never with ===. */
export class Unknown {
  readonly kind = "unknown";
  /** What core knows of a value of its own making, such as its prefix, as core's bytes: it goes back as it came. */
  constructor(readonly refinement?: Uint8Array) {}
}
export const unknown: Unknown = new Unknown();
export const isUnknown = (value: unknown): value is Unknown => value instanceof Unknown;

/** A number that a double cannot hold; `text` is its exact decimal text. */
export class BigDecimal {
  constructor(readonly text: string) {}
}

export type Value = null | string | number | boolean | BigDecimal | Unknown | readonly Value[] | { readonly [key: string]: Value };
export type ObjectValue = { readonly [key: string]: Value };

/** True when the value or anything inside it is unknown. */
export function hasUnknown(value: Value): boolean {
  if (isUnknown(value)) return true;
  if (value === null || typeof value !== "object" || value instanceof BigDecimal) return false;
  return Array.isArray(value) ? value.some(hasUnknown) : Object.values(value as ObjectValue).some(hasUnknown);
}

/** Every unknown turned into null. */
export function unknownAsNull(value: Value): Value {
  if (isUnknown(value)) return null;
  if (value === null || typeof value !== "object" || value instanceof BigDecimal) return value;
  if (Array.isArray(value)) return value.map(unknownAsNull);
  const out: Record<string, Value> = Object.create(null);
  for (const [key, item] of Object.entries(value as ObjectValue)) out[key] = unknownAsNull(item);
  return out;
}
