// The plan in a person's words: what happens to each machine, in the order in which it may happen.
import type { Blueprint, Member } from "../../constructs/blueprint/blueprint.js";
import type { Action, Change } from "./change.js";

export interface StepsInput {
  readonly blueprint: Blueprint;
  readonly changes: readonly Change[];
  /** Only machines whose resources have these names. */
  readonly members: readonly Member[];
}

/** "prod-cp-a: replaced, etcd disk kept", "prod-workers-a-0: replaced, its successor is Ready before it is drained (at most 10m)". */
export function stepsOf({ changes, members }: StepsInput): readonly string[] {
  const byName = new Map(changes.filter(({ deposed }) => !deposed).map((change) => [change.name, change]));
  const actionOf = (name: string): Action => byName.get(name)?.action ?? "no-op";
  const known = members.flatMap((member) => {
    const words = wordsOf(member, actionOf);
    return words === null ? [] : [`${member.name}: ${words}`];
  });
  const names = new Set(members.map(({ id }) => `${id}/node`));
  const leaving = changes
    .filter(({ name, type, action, deposed }) => type === "honest_node" && action === "delete" && !deposed && !names.has(name))
    .map(({ prior }) => `${String(prior?.attributes.node_name ?? prior?.attributes.name)}: drained, then deleted`);
  return [...known, ...leaving];
}

function wordsOf(member: Member, actionOf: (name: string) => Action): string | null {
  const machine = actionOf(member.machine);
  const node = actionOf(`${member.id}/node`);
  const minutes = `${Math.ceil(member.drainTimeoutSec / 60)}m`;
  if (machine === "create") return member.role === "control-plane" ? "new control plane" : "new worker";
  if (machine === "replace" || machine === "delete") {
    return member.role === "control-plane"
      ? `replaced, etcd disk kept; drained first (at most ${minutes})`
      : `replaced, its successor is Ready before it is drained (at most ${minutes})`;
  }
  if (machine === "update") return "machine changed in place";
  if (node === "replace" || node === "create") return "registered anew";
  return node === "update" ? "labels, taints or addresses changed in place" : null;
}
