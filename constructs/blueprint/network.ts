// Addresses inside the machines' range, by plain arithmetic: known at synth, so that certificates, balancer and boot
// documents need nothing of a machine.
import { addressAt, parseCidr } from "../spec/cidr.js";
import { type Letter, letters } from "./names.js";

/** .1 is the gateway; clouds keep a few more at the start for themselves. */
const endpointOffset = 10;

function range(cidr: string) {
  const parsed = parseCidr(cidr);
  if (!parsed) throw new TypeError(`${cidr} passed parse()`);
  return parsed;
}

export const endpointAddress = (cidr: string): string => addressAt(range(cidr), endpointOffset);

/** Next to the endpoint's, one for each letter whether it is used or not: growth moves nobody. */
export const controlPlaneAddress = (cidr: string, letter: Letter): string =>
  addressAt(range(cidr), endpointOffset + 1 + letters.indexOf(letter));
