// Who has not reached a state of the authorities' rotation yet. What a node says of itself may hold a rotation back; a node
// that lies about its own trust locks itself out and nobody else.
import type { NodeFacts } from "./facts.js";

export interface RotationStep {
  readonly number: number;
  readonly state: string;
}

/** A sentence about each node that is not there, in the order of their names. */
export function trustLag(nodes: Readonly<Record<string, NodeFacts>>, { number, state }: RotationStep): readonly string[] {
  return Object.entries(nodes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, { agentFresh, trust }]) => {
      if (!agentFresh) return [`${name}: its agent is silent, so nobody can say`];
      if (trust === undefined || trust.number !== number || trust.state !== state) return [`${name}: it has not begun`];
      return trust.waits === null ? [] : [`${name}: ${trust.waits}`];
    });
}

/** Nodes whose machine would come back from its boot document with the old authorities only. */
export const oldDocuments = (nodes: Readonly<Record<string, NodeFacts>>): readonly string[] =>
  Object.entries(nodes)
    .filter(([, { trust }]) => trust?.document !== true)
    .map(([name]) => name)
    .sort();
