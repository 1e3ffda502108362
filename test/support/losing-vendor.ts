// A vendor over the toy provider that loses answers on command: the work is done, or not, and nobody is told.
import { inProcessVendor } from "../../provider/shim/in-process.js";
import type { Found, Lookups } from "../../provider/shim/instance-types.js";
import { type Vendor, VendorLost } from "../../provider/shim/vendor.js";
import { createVendorPool, type VendorPool } from "../../provider/shim/vendor-pool.js";
import { type Toy, toyProvider } from "./toy-provider.js";

/** "before": dies without having done it. "after": does it and dies. "late": does it a while after it died. */
export type Loss = "before" | "after" | "late";

export interface LosingCloud extends Toy {
  readonly pool: VendorPool;
  /** What happens to the next applies, one each; then nothing is lost. */
  readonly losses: Loss[];
  readonly lookups: Lookups;
  /** How often a vendor was started. */
  starts(): number;
}

export const lateMs = 60;

export function losingCloud(overrides: Parameters<typeof toyProvider>[0] = {}): LosingCloud {
  const toy = toyProvider(overrides);
  const losses: Loss[] = [];
  let starts = 0;
  const start = async (): Promise<Vendor> => {
    starts += 1;
    const vendor = inProcessVendor(toy.provider, () => undefined);
    let dead = false;
    const die = (): never => {
      dead = true;
      throw new VendorLost("toy gave no answer to ApplyResourceChange: its process was ended by SIGKILL", "panic: gone");
    };
    return {
      ...vendor,
      alive: () => !dead,
      async apply(type, request) {
        if (dead) die();
        const loss = losses.shift();
        if (loss === "before") die();
        if (loss === "late") {
          setTimeout(() => void vendor.apply(type, request), lateMs);
          die();
        }
        const answer = await vendor.apply(type, request);
        return loss === "after" || dead ? die() : answer;
      },
      async read(type, object) {
        return dead ? die() : vendor.read(type, object);
      },
    };
  };
  const find = async (wanted: { readonly name?: unknown }): Promise<Found> => {
    const ids = [...toy.objects.entries()].filter(([, object]) => object.name === wanted.name).map(([id]) => id);
    return ids.length === 0 ? { kind: "none" } : { kind: "ids", ids };
  };
  return {
    ...toy,
    losses,
    starts: () => starts,
    pool: createVendorPool(start, (vendor) => vendor.configure({})),
    lookups: { toy_thing: { find: (_vendor, wanted) => find(wanted) } },
  };
}
