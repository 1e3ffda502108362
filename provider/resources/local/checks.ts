// Checks of single values, for the validate of the local resources. Unknown values pass; they are checked when known.
import { parseCidr } from "../../engine/address.js";
import { type Diagnostic, error } from "../../framework/diagnostic.js";
import type { ObjectValue } from "../../framework/value.js";
import { badTimeouts, text } from "../cluster/decode.js";
import { badTimeout } from "../cluster/words.js";

const label = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
const address = /^\d{1,3}(\.\d{1,3}){3}$/;

export const isAddress = (value: string): boolean => address.test(value) && value.split(".").every((part) => Number(part) <= 255);

const bad = (attribute: string, got: unknown, allowed: string): Diagnostic =>
  error(`Bad value of ${attribute}`, `${attribute} is ${JSON.stringify(got)}. Allowed: ${allowed}.`, [attribute]);

export function checkText(
  config: ObjectValue,
  attribute: string,
  allowed: string,
  good: (value: string) => boolean,
): readonly Diagnostic[] {
  const value = text(config[attribute]);
  return value === null || good(value) ? [] : [bad(attribute, value, allowed)];
}

export function checkNumber(config: ObjectValue, attribute: string, least: number, most: number): readonly Diagnostic[] {
  const value = config[attribute];
  if (typeof value !== "number" || (Number.isInteger(value) && value >= least && value <= most)) return [];
  return [bad(attribute, value, `a whole number from ${least} to ${most}`)];
}

/** Names become the engine's names and host names. */
export const checkNames = (config: ObjectValue): readonly Diagnostic[] =>
  ["cluster", "name"].flatMap((attribute) =>
    checkText(
      config,
      attribute,
      "1 to 63 characters of a-z, 0-9 and dashes, a letter or digit first and last",
      (value) => value.length <= 63 && label.test(value),
    ),
  );

export const checkAddress = (config: ObjectValue, attribute: string): readonly Diagnostic[] =>
  checkText(config, attribute, "an IPv4 address, for example 10.98.0.11", isAddress);

export const checkCidr = (config: ObjectValue, attribute: string): readonly Diagnostic[] =>
  checkText(config, attribute, "an IPv4 network of /8 to /29 whose host bits are zero, for example 10.98.0.0/24", (value) => {
    const range = parseCidr(value);
    return range !== null && range.size >= 8 && range.size <= 2 ** 24;
  });

export const checkTimeouts = (config: ObjectValue): readonly Diagnostic[] =>
  badTimeouts(config).map(({ verb, got }) => badTimeout(verb, got));
