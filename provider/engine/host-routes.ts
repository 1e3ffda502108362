// Routes of the engine's host. The engine refuses a range that one of its own networks has, and takes one that the host
// reaches otherwise: the bridge would then hide a VPN, or the host's own network.
import { readFileSync } from "node:fs";
import { overlaps, type Range, toAddress } from "./address.js";
import { EngineError } from "./error.js";

export interface Route {
  readonly device: string;
  readonly range: Range;
}

/** Eight hexadecimal digits in the order of the kernel's memory: "0063620A" is 10.98.99.0. */
const littleEndian = (hex: string): number => Buffer.from(hex, "hex").readUInt32LE(0);

/** What /proc/net/route says, without default routes, which overlap with everything. */
export const parseRoutes = (text: string): readonly Route[] =>
  text
    .split("\n")
    .slice(1)
    .flatMap((line) => {
      const [device = "", base = "", , , , , , mask = ""] = line.trim().split(/\s+/);
      if (!/^[0-9A-F]{8}$/i.test(base) || !/^[0-9A-F]{8}$/i.test(mask) || littleEndian(mask) === 0) return [];
      return [{ device, range: { base: littleEndian(base), size: 2 ** 32 - littleEndian(mask) } }];
    });

export const wordRange = ({ base, size }: Range): string => `${toAddress(base)}/${32 - Math.log2(size)}`;

/** The route that shares addresses with the range; undefined where the host's routes cannot be seen from here. */
export function clashingRoute(host: string, range: Range, table = "/proc/net/route"): Route | undefined {
  if (!host.startsWith("unix:")) return undefined;
  try {
    return parseRoutes(readFileSync(table, "utf8")).find((route) => overlaps(route.range, range));
  } catch (cause) {
    // an engine behind a socket on a system without /proc runs in a machine of its own
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new EngineError("refused", { what: "The host's routes cannot be read", detail: String(cause), cause });
  }
}
