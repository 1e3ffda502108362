// What a plan wants to do with one object.
import type { VendorResource } from "../../constructs/iaas/resource.js";
import type { ObjectValue } from "../framework/value.js";
import type { Instance } from "./instance.js";

export type Action = "create" | "update" | "replace" | "delete" | "no-op";

export interface Change {
  readonly name: string;
  readonly type: string;
  readonly action: Action;
  /** null: it is to go, no resource of the configuration has its name. */
  readonly resource: VendorResource | null;
  /** What is there now; of a deposed one that one. */
  readonly prior: Instance | null;
  /** Left over from an earlier replacement. */
  readonly deposed: boolean;
  /** The new one is made before the old one goes. */
  readonly createFirst: boolean;
  /** As far as it is known; null: it is to go. */
  readonly planned: ObjectValue | null;
  /** What the vendor wants back when the old one goes. */
  readonly destroyPrivate: unknown;
  readonly dependencies: readonly string[];
}

/** A part of the work of an apply. "drop" of a replacement takes the old object away, "make" puts the new one there. */
export interface Operation {
  readonly id: string;
  readonly kind: "make" | "drop";
  readonly change: Change;
  /** Ids of operations that come before. */
  readonly after: readonly string[];
}

const makes = ({ action }: Change): boolean => action === "create" || action === "update" || action === "replace";
const drops = ({ action }: Change): boolean => action === "delete" || action === "replace";

const makeId = ({ name }: Change): string => `make ${name}`;
const dropId = (change: Change, n: number): string => (change.deposed ? `drop ${change.name} (deposed ${n})` : `drop ${change.name}`);

/**
 * The order of an apply, as Terraform has it: an object is made after what it needs and goes before what it needed. A
 * replacement goes first and comes then, or the other way round where its successor stands first: then it goes when all
 * that needed it have turned to the new one.
 */
export function operations(changes: readonly Change[]): readonly Operation[] {
  const made = new Map(changes.filter(makes).map((change) => [change.name, change]));
  const dropped = changes.filter(drops).map((change, n) => ({ change, id: dropId(change, n) }));
  const needs = (change: Change, name: string): boolean => change.prior?.dependencies.includes(name) ?? false;
  const dropsNeeding = (name: string, but: string): readonly string[] =>
    dropped.filter(({ change, id }) => id !== but && needs(change, name)).map(({ id }) => id);
  const own = (change: Change): string | undefined => dropped.find((one) => one.change === change)?.id;

  const making = [...made.values()].map((change): Operation => {
    const before = change.dependencies.flatMap((name) => {
      const needed = made.get(name);
      return needed ? [makeId(needed)] : [];
    });
    const old = change.action === "replace" && !change.createFirst ? own(change) : undefined;
    return { id: makeId(change), kind: "make", change, after: [...before, ...(old ? [old] : [])] };
  });
  const dropping = dropped.map(({ change, id }): Operation => {
    const dependents = dropsNeeding(change.name, id);
    const successor = change.action === "replace" && change.createFirst ? made.get(change.name) : undefined;
    const turned = successor
      ? [...made.values()].filter((other) => other.name !== change.name && needs(other, change.name)).map(makeId)
      : [];
    return { id, kind: "drop", change, after: [...dependents, ...(successor ? [makeId(successor)] : []), ...turned] };
  });
  return [...making, ...dropping];
}
