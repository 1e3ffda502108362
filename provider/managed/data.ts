// Data sources of a mapping: read at every plan, kept nowhere.
import type { VendorResource } from "../../constructs/iaas/resource.js";
import { type Diagnostic, error } from "../framework/diagnostic.js";
import { hasUnknown, type ObjectValue } from "../framework/value.js";
import { type LookUp, resolveArgs } from "./resolve.js";
import type { Vendor } from "./vendor.js";

export interface DataRead {
  /** null: the diagnostics say why. */
  readonly state: ObjectValue | null;
  readonly diagnostics: readonly Diagnostic[];
}

export async function readData(vendor: Vendor, { type, name, args }: VendorResource, lookUp: LookUp): Promise<DataRead> {
  const asked = resolveArgs(args, lookUp);
  if (Object.values(asked).some(hasUnknown)) {
    const detail = `${name} (data source ${type}) depends on what is only known after apply, and a managed cluster has to know it at plan. Please report it: the mapping of this cloud asks too much.`;
    return { state: null, diagnostics: [error("A data source cannot be read yet", detail)] };
  }
  if (!vendor.data) throw new TypeError(`${type} is read of a vendor without data sources`);
  const { state, diagnostics } = await vendor.data(type, asked);
  if (state !== null || diagnostics.some((d) => d.severity === "error")) return { state, diagnostics };
  return { state, diagnostics: [...diagnostics, error("There is no such object", `${name} (data source ${type}) found nothing.`)] };
}
