// What an apply will have done when its crank stands still: every machine that is stale has had its turn. The same plan,
// asked as if nobody had to wait.
import { type Action, type Change, operations } from "./change.js";
import type { Instance } from "./instance.js";
import { type Plan, type PlanInput, planAll } from "./plan.js";

/** Facts of a cluster that is not handed over: there honest_boot lets every machine take its release at once. */
const nobodyWaits = {
  ...{ reachable: true, born: true, complete: false, tornDown: false, windowOpen: true },
  ...{ lease: null, etcd: {}, nodes: {} },
};

export function forecast(input: PlanInput): Promise<Plan> {
  return planAll({ ...input, privateFor: ({ type, private: held }: Instance) => (type === "honest_boot" ? { facts: nobodyWaits } : held) });
}

export interface Block {
  readonly name: string;
  readonly type: string;
  readonly action: Action;
}

/** Every object, by name; one that is left over from a replacement is a line of its own. */
export function blocksOf(changes: readonly Change[]): readonly Block[] {
  return changes
    .map(({ name, type, action, deposed }) => ({ name: deposed ? `${name} (replaced before)` : name, type, action }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** Whether anything is to be done at all. */
export const isStill = (changes: readonly Change[]): boolean => operations(changes).length === 0;
