// Vendor resources as data → what Terraform JSON takes: references become expressions, and text that only looks like one
// is escaped. Raw expressions on purpose: CDKTF's own string functions are not exact on such text.
import { Token } from "cdktf";
import { type Arg, isRaw, isRef, isText, type VendorResource } from "../iaas/resource.js";

/** Address of a resource of the cluster by its name. */
export type AddressOf = (resource: string) => string;

export function renderArgs(args: VendorResource["args"], addressOf: AddressOf): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, renderArg(value, addressOf)]));
}

export function renderArg(value: Arg, addressOf: AddressOf): unknown {
  // only what tokens.ts lets through can be one: CDKTF resolves it
  if (typeof value === "string") return Token.isUnresolved(value) ? value : literal(value);
  if (value === null || typeof value !== "object") return value;
  if (isText(value))
    return value.parts
      .map((part) => {
        if (typeof part === "string") return literal(part);
        return `\${${isRaw(part) ? part.raw : `${addressOf(part.resource)}.${part.attribute}`}}`;
      })
      .join("");
  if (isRef(value)) return `\${${addressOf(value.resource)}.${value.attribute}}`;
  if (Array.isArray(value)) return value.map((item: Arg) => renderArg(item, addressOf));
  return renderArgs(value as VendorResource["args"], addressOf);
}

/** Terraform reads "${" and "%{" in any text as the begin of an expression. */
export const literal = (text: string): string => text.replace(/[$%](?=\{)/g, (sign) => sign + sign);
