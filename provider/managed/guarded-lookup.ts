// A lookup that takes nothing for ours that is not: names are not unique in most clouds. What this cluster knows of already is
// no find, and a find before anything was sent is somebody else's.
import { error } from "../framework/diagnostic.js";
import type { Found, Lookup } from "../shim/instance-types.js";

export interface Guard {
  readonly address: string;
  readonly type: string;
  readonly known: readonly string[];
  /** Whether a create of this address was ever begun, in this run or by one that was interrupted. */
  readonly begun: () => boolean;
  /** See `FoundBy.part`. */
  readonly part: boolean;
}

export function guardedLookup(lookup: Lookup, guard: Guard): Lookup {
  return {
    ...lookup,
    async find(vendor, wanted): Promise<Found> {
      if (guard.part && !guard.begun()) return { kind: "none" };
      const found = await lookup.find(vendor, wanted);
      // nothing was sent yet, so nothing of ours can be lost; what keeps the cloud from answering will show at the create
      if (found.kind === "unknown" && !guard.begun()) return { kind: "none" };
      if (found.kind !== "ids") return found;
      const ids = found.ids.filter((id) => !guard.known.includes(id));
      if (ids.length === 0) return { kind: "none" };
      return guard.begun() ? { ...found, ids } : { kind: "unknown", diagnostics: [somebodys(guard, ids)] };
    },
  };
}

const somebodys = ({ address, type }: Guard, ids: readonly string[]) =>
  error(
    "There is an object of this name already",
    `${address} is to be made, and a ${type} with its name is there: ${ids.join(", ")}. Neither the state nor the journal of this cluster knows of it, so it is left alone. If it belongs to another cluster, give this one another name; if it is left over from one that is gone, remove it.`,
  );
