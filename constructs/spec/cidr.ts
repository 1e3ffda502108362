// IPv4 ranges as numbers. Pure; used by the rules and by the blueprint.

export interface Cidr {
  readonly base: number;
  /** Prefix length. */
  readonly prefix: number;
  /** Number of addresses. */
  readonly size: number;
}

export function parseAddress(text: string): number | null {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) return null;
  return parts.reduce((sum, part) => sum * 256 + Number(part), 0);
}

export const formatAddress = (value: number): string => [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");

/** null when the text is no range. Bits after the prefix may be set: `base` has them, `network` takes them away. */
export function parseCidr(text: string): Cidr | null {
  const [, address, length] = /^([\d.]+)\/(0|[1-9]\d?)$/.exec(text) ?? [];
  const base = address === undefined ? null : parseAddress(address);
  const prefix = Number(length);
  return base === null || prefix > 32 ? null : { base, prefix, size: 2 ** (32 - prefix) };
}

/** The range with its host bits zero. */
export const network = (cidr: Cidr): Cidr => ({ ...cidr, base: cidr.base - (cidr.base % cidr.size) });
export const formatCidr = (cidr: Cidr): string => `${formatAddress(cidr.base)}/${cidr.prefix}`;
export const overlap = (a: Cidr, b: Cidr): boolean => a.base < b.base + b.size && b.base < a.base + a.size;

/** The n-th address of the range, counted from its first. */
export const addressAt = (cidr: Cidr, n: number): string => formatAddress(cidr.base + n);
