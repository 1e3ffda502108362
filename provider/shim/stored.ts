// An object at rest and back: what stands in our own state, and how a newer vendor takes it over.
import { type Diagnostic, error } from "../framework/diagnostic.js";
import { stateJson } from "../protocol/state-text.js";
import { hasErrors } from "./diagnostics.js";
import type { ObjectState, StoredObject } from "./instance-types.js";
import { lostDiagnostic } from "./object.js";
import type { Vendor } from "./vendor.js";

export async function storeObject(vendor: Vendor, type: string, state: ObjectState): Promise<StoredObject> {
  const schema = await vendor.schema(type);
  return {
    type,
    schema_version: schema.version,
    attributes: stateJson(schema.type, state.value),
    private: Buffer.from(state.private).toString("base64"),
  };
}

export interface Loaded {
  /** null with errors: nothing may be done to the object then. */
  readonly state: ObjectState | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** Brings a stored object to the schema of the vendor that is there now. Written by a newer one: an error. */
export async function loadObject(vendor: Vendor, stored: StoredObject): Promise<Loaded> {
  try {
    const { state, diagnostics } = await vendor.upgrade(stored.type, { version: stored.schema_version, json: stored.attributes });
    if (hasErrors(diagnostics)) return { state: null, diagnostics };
    if (state === null) {
      const detail = `${vendor.name} made nothing of the stored ${stored.type} (schema version ${stored.schema_version}) and gave no reason.`;
      return { state: null, diagnostics: [...diagnostics, error("A stored object cannot be read", detail)] };
    }
    return { state: { value: state, private: Buffer.from(stored.private, "base64") }, diagnostics };
  } catch (cause) {
    return { state: null, diagnostics: [lostDiagnostic(cause)] };
  }
}
