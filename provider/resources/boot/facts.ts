// Facts in the private state of one machine: what Read saw, cut to what its pace asks for. Without times: a number that
// moves with the clock would change the state file at every plan.
import { equalValues } from "../../framework/equal.js";
import type { Context, Private, StateResponse } from "../../framework/resource.js";
import type { ObjectValue, Value } from "../../framework/value.js";
import { wordFailure } from "../../kube/outcome.js";
import type { Facts, NodeFacts } from "../../rollout/facts.js";
import { nodesOf } from "../../rollout/pace.js";
import { openingWords, type Window, windowState } from "../../rollout/window.js";
import { accessFrom } from "../cluster/access.js";
import { isObject, text, textMap, texts } from "../cluster/decode.js";
import { clusterFacts } from "../cluster/session.js";
import { unreachableWarning } from "../cluster/words.js";
import { specOf } from "./render.js";

export type HeldFacts = Facts & {
  /** The window that `windowOpen` was judged by; a plan has no clock to judge another. */
  readonly window?: Value;
};

/** Facts of the last reading as far as they hold for what is planned now. */
export function heldFacts(held: Private, proposed: ObjectValue): HeldFacts | null {
  const facts = held.facts as HeldFacts | undefined;
  if (facts === undefined) return null;
  const window = proposed.window ?? null;
  if (window === null) return { ...facts, windowOpen: true };
  if (equalValues(window, facts.window ?? null)) return facts;
  const { windowOpens: _, ...others } = facts;
  return { ...others, windowOpen: false, windowNew: true };
}

const neverRead: Facts = {
  reachable: false,
  born: false,
  complete: false,
  tornDown: false,
  windowOpen: true,
  lease: null,
  etcd: {},
  nodes: {},
};

export function windowOf(value: ObjectValue): Window | null {
  const given = value.window;
  if (!isObject(given)) return null;
  return {
    days: texts(given.days),
    hour: Number(given.hour),
    durationHours: Number(given.duration_hours),
    timezone: text(given.timezone) ?? "UTC",
  };
}

/** What agents say to people. It moves with every snapshot and renewal, and no pace asks for it. */
const toPeople = ["certificates", "trust", "snapshots", "health"] as const satisfies readonly (keyof NodeFacts)[];

function paced(node: NodeFacts): NodeFacts {
  const kept = { ...node };
  for (const name of toPeople) delete kept[name];
  return kept;
}

/** Control planes and the machines of the own pool; a cluster of hundreds must not be written into each of its machines. */
function relevant(facts: Facts, state: ObjectValue): Facts {
  const { role } = specOf(state);
  const mine = new Set<NodeFacts>(Object.keys(textMap(state.roster)).flatMap((name) => nodesOf(facts, role, name)));
  const members = new Set([...texts(state.members), ...Object.keys(facts.etcd)]);
  const nodes = Object.entries(facts.nodes)
    .filter(([name, node]) => members.has(name) || mine.has(node))
    .map(([name, node]) => [name, paced(node)] as const);
  const lease = facts.lease && { ...facts.lease, ageSec: 0 };
  return { ...facts, lease, nodes: Object.fromEntries(nodes) };
}

/** Read of honest_boot. A cluster that does not answer leaves the old facts standing, marked as old. */
export async function readFactsInto(state: ObjectValue, held: Private, context: Context): Promise<StateResponse> {
  const wanted = windowOf(state);
  const { open, opens } = windowState(wanted, Date.now());
  const words = wanted && opens ? { windowOpens: openingWords(wanted, opens) } : {};
  const window = { window: state.window ?? null, windowOpen: open, ...words };
  const seen = await clusterFacts(context, accessFrom(state));
  if (seen.ok) return { state, private: { facts: { ...relevant(seen.value, state), ...window } } };
  const why = wordFailure(seen.failure);
  const { unreachable: _, windowOpens: __, ...before } = (held.facts as Facts | undefined) ?? neverRead;
  return {
    state,
    private: { facts: { ...before, ...window, reachable: false, unreachable: why } },
    diagnostics: [unreachableWarning(specOf(state).cluster, accessFrom(state).endpoint, seen.failure)],
  };
}
