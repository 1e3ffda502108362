// A birth that takes more than one apply: memberships that an earlier apply recorded are not touched by the one that hands
// the cluster over, so their refresh leaves what is to be written on their Nodes, and the plan carries it to the apply.
import type { Context, Private } from "../../framework/resource.js";
import { hasUnknown, type ObjectValue } from "../../framework/value.js";
import { accessFrom } from "../cluster/access.js";
import { isObject } from "../cluster/decode.js";
import { type Birth, clusterMarks } from "../cluster/session.js";
import type { BarrierInput } from "./schema.js";

/** For the private part of a plan that creates the barrier. */
export function birthsOf(proposed: ObjectValue, context: Context): { readonly births: readonly Birth[] } {
  const known = isObject(proposed.access) && !hasUnknown(proposed.access);
  return { births: known ? [...clusterMarks(context, accessFrom(proposed)).births.values()] : [] };
}

/** What the plan carried, and over it what this very run has made; without those whose machine was replaced since. */
export function allBirths(planned: Private, made: ReadonlyMap<string, Birth>, input: BarrierInput): ReadonlyMap<string, Birth> {
  const carried = (planned.births ?? []) as readonly Birth[];
  const expected = new Set([...Object.keys(input.members), ...input.workers.map((worker) => worker.nodeName)]);
  const all = [...carried.map((birth) => [birth.nodeName, birth] as const), ...made];
  return new Map(all.filter(([nodeName]) => expected.has(nodeName)));
}
