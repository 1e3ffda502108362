// Stand-ins for inputs that do not exist yet, so that the size of user-data can be checked at plan: real keys and
// certificates of a cluster that nobody has, since made-up ones compress otherwise.
import type { MachineSpec } from "../../../constructs/blueprint/machine-spec.js";
import type { LateInputs } from "../../boot/document.js";
import { bundleOf } from "../../pki/bundle.js";
import { createPki } from "../../pki/create.js";

/** Signatures and keys differ by a few bytes from one making to the next. */
export const sampleMarginBytes = 64;

export function sampleLate(spec: MachineSpec): LateInputs {
  const controlPlane = spec.role === "control-plane";
  const members = Object.fromEntries(["a", "b", "c"].map((letter, n) => [`${spec.cluster}-cp-${letter}`, `10.98.133.1${n}`]));
  return {
    endpoint_address: "10.98.133.10",
    address: controlPlane ? "10.98.133.11" : null,
    etcd_disk: controlPlane ? "honest-disk-0123456789" : null,
    pki: JSON.stringify(bundleOf(createPki(spec.cluster, 87_600), { leafSeconds: 31_536_000, ticketNotAfter: "2000-01-01T00:00:00Z" })),
    members: controlPlane ? members : {},
  };
}
