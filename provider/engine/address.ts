// Addresses of a network. A machine without an address of its own gets a free one from the upper half, once, and keeps
// it: the engine's own choice may change at each start, a cloud's does not. The lower half is left to fixed addresses.
import type { Core } from "./core.js";
import { refused } from "./error.js";

export interface Range {
  readonly base: number;
  readonly size: number;
}

export const toNumber = (address: string): number => address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
export const toAddress = (value: number): string => [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");

/** null when the text is no IPv4 network in CIDR form whose host bits are zero. */
export function parseCidr(text: string): Range | null {
  const [, address = "", bits = ""] = /^(\d{1,3}(?:\.\d{1,3}){3})\/(\d{1,2})$/.exec(text) ?? [];
  if (!address || address.split(".").some((part) => Number(part) > 255) || Number(bits) > 32) return null;
  const size = 2 ** (32 - Number(bits));
  const base = toNumber(address);
  return base % size === 0 ? { base, size } : null;
}

export const overlaps = (a: Range, b: Range): boolean => a.base < b.base + b.size && b.base < a.base + a.size;
export const contains = (range: Range, address: string): boolean =>
  toNumber(address) >= range.base && toNumber(address) < range.base + range.size;
/** The bridge's own address: the first one. */
export const gatewayOf = (range: Range): string => toAddress(range.base + 1);

export function pickFree(range: Range, used: ReadonlySet<string>): string | null {
  const last = range.base + range.size - 2;
  const middle = range.base + Math.floor(range.size / 2);
  for (let value = middle; value <= last; value++) if (!used.has(toAddress(value))) return toAddress(value);
  for (let value = middle - 1; value > range.base + 1; value--) if (!used.has(toAddress(value))) return toAddress(value);
  return null;
}

interface Row {
  readonly Id: string;
  readonly Names: readonly string[];
  readonly NetworkSettings: {
    readonly Networks: Readonly<
      Record<
        string,
        { readonly NetworkID: string; readonly IPAddress: string; readonly IPAMConfig: { readonly IPv4Address?: string } | null }
      >
    >;
  } | null;
}

/** Addresses that containers of a network have or are set to get, stopped ones too; value = the container's name. */
export async function usedAddresses(core: Core, networkName: string): Promise<ReadonlyMap<string, string>> {
  // A container that was never started knows its network by name only, so the filter is not by the network's id.
  const rows = await core.json<readonly Row[]>("/containers/json", {
    query: { all: true, filters: JSON.stringify({ network: [networkName] }) },
  });
  const used = new Map<string, string>();
  for (const row of rows) {
    const endpoint = row.NetworkSettings?.Networks[networkName];
    const address = endpoint?.IPAMConfig?.IPv4Address || endpoint?.IPAddress;
    if (address) used.set(address, (row.Names[0] ?? row.Id).replace(/^\//, ""));
  }
  return used;
}

/** `wanted`, or a free one; refuses one that is taken or outside. Call it under a lock together with what uses it. */
export async function chooseAddress(
  core: Core,
  network: { readonly name: string; readonly cidr: string },
  wanted: string | null,
): Promise<string> {
  const range = parseCidr(network.cidr);
  const used = await usedAddresses(core, network.name);
  const where = `the network "${network.name}" (${network.cidr})`;
  if (wanted !== null) {
    if (range && !contains(range, wanted))
      throw refused(`The address ${wanted} is not in the network`, `It lies outside ${where}.`, "Give an address of that network.");
    const taken = used.get(wanted);
    if (taken !== undefined)
      throw refused(
        `The address ${wanted} is taken`,
        `The container "${taken}" has it in ${where}.`,
        "Give another address, or remove that container if it is a leftover.",
      );
    return wanted;
  }
  const free = range ? pickFree(range, new Set(used.keys())) : null;
  if (free === null) throw refused("The network has no free address", `All addresses of ${where} are in use.`, "Use a larger network.");
  return free;
}
