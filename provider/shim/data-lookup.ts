// Lookups by a vendor's own data sources: the usual way for a mapping to fill its table.
import { error } from "../framework/diagnostic.js";
import type { ObjectValue, Value } from "../framework/value.js";
import { hasErrors } from "./diagnostics.js";
import type { Lookup } from "./instance-types.js";

export interface DataLookup {
  readonly dataSource: string;
  /** Arguments of the data source for the wanted object: its name, its tag, its fixed address. null: nothing to go by. */
  readonly config: (wanted: ObjectValue) => ObjectValue | null;
  /** Attribute with the id, or with a list of ids. @default "id" */
  readonly id?: string;
  /** How the data source words that there is none. What is worded otherwise is "unknown", never "none". */
  readonly none: RegExp;
  /** False: another's object of the same name. @default every object is ours */
  readonly ours?: (found: ObjectValue, wanted: ObjectValue) => boolean;
  readonly ready?: Lookup["ready"];
}

const idsOf = (value: Value | undefined): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((id): id is string => typeof id === "string" && id !== "");

export function dataLookup({ dataSource, config, id = "id", none, ours, ready }: DataLookup): Lookup {
  return {
    async find(vendor, wanted) {
      const asked = config(wanted);
      if (asked === null) {
        const detail = `${dataSource} has nothing to look for: neither a name nor a mark of the object is known.`;
        return { kind: "unknown", diagnostics: [error("An object cannot be looked for", detail)] };
      }
      const { state, diagnostics } = await vendor.readData(dataSource, asked);
      if (hasErrors(diagnostics)) {
        const nothing = diagnostics.every((d) => d.severity !== "error" || none.test(`${d.summary}\n${d.detail}`));
        return nothing ? { kind: "none" } : { kind: "unknown", diagnostics };
      }
      if (state === null || (ours && !ours(state, wanted))) return { kind: "none" };
      const ids = idsOf(state[id]);
      return ids.length === 0 ? { kind: "none" } : { kind: "ids", ids };
    },
    ...(ready ? { ready } : {}),
  };
}
