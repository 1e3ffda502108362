// One vendor for many calls: started at first need, configured, and started again when it has died. A vendor that keeps dying
// is given up.
import type { Diagnostic } from "../framework/diagnostic.js";
import { hasErrors } from "./diagnostics.js";
import { type Vendor, VendorProblem } from "./vendor.js";

export interface VendorPool {
  /** One that is alive. Rejects with `VendorProblem`. */
  get(): Promise<Vendor>;
  /** Ends the one that runs; a later `get` starts another. */
  close(): Promise<void>;
}

/** How often a vendor may die in the life of our process, before its fault is reported instead of hidden by another start. */
const mostDeaths = 3;

/** `start` launches; `configure` gives the vendor its configuration. */
export function createVendorPool(start: () => Promise<Vendor>, configure: (vendor: Vendor) => Promise<readonly Diagnostic[]>): VendorPool {
  let current: Promise<Vendor> | null = null;
  let starts = 0;
  const begin = async (): Promise<Vendor> => {
    if (starts > mostDeaths) {
      throw new VendorProblem("The vendor's provider keeps dying", `It ended ${starts} times during this run and is not started again.`);
    }
    starts += 1;
    const vendor = await start();
    const diagnostics = await configure(vendor);
    if (!hasErrors(diagnostics)) return vendor;
    await vendor.close();
    const problem = diagnostics.find((d) => d.severity === "error");
    throw new VendorProblem(`${vendor.name} refuses its configuration: ${problem?.summary}`, problem?.detail ?? "");
  };
  return {
    async get() {
      const before = current;
      if (before !== null) {
        // what could not be started is not tried again by each of a hundred objects: its reason stands
        const vendor = await before;
        if (vendor.alive()) return vendor;
        // somebody else may have begun anew while this one waited
        if (current === before) current = null;
      }
      current ??= begin();
      return current;
    },
    async close() {
      const before = current;
      current = null;
      starts = 0;
      await (await before?.catch(() => null))?.close();
    },
  };
}
