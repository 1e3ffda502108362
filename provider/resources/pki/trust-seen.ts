// What the nodes say of a rotation, as the last reading found it: kept in honest_pki's private state, so that a plan without
// a refresh judges by it too.
import type { Context, Private } from "../../framework/resource.js";
import type { ObjectValue } from "../../framework/value.js";
import { wordFailure } from "../../kube/outcome.js";
import type { Rotation } from "../../pki/rotation.js";
import type { Facts } from "../../rollout/facts.js";
import { oldDocuments, trustLag } from "../../rollout/trust.js";
import { text } from "../cluster/decode.js";
import { clusterFacts } from "../cluster/session.js";

export interface TrustSeen {
  /** Why nobody could be asked; null = the API answered. */
  readonly unreachable: string | null;
  /** The state that was asked for. */
  readonly rotation: Rotation;
  /** A sentence about each node that has not said that it is there. */
  readonly behind: readonly string[];
  /** Nodes whose boot document carries the old authorities. */
  readonly oldDocuments: readonly string[];
}

export const trustSeen = (held: Private): TrustSeen | null => (held.trust as TrustSeen | undefined) ?? null;

/** What keeps a rotation from going on; empty = every node has said that it has reached this state. */
export function behindIn(seen: TrustSeen | null, { number, state }: Rotation): readonly string[] {
  if (seen === null || seen.rotation.number !== number || seen.rotation.state !== state)
    return ["The cluster has not been read since (plan with a refresh; honest_pki needs its endpoint)"];
  return seen.unreachable === null ? seen.behind : [`Nobody can say: ${seen.unreachable}`];
}

/** Asks only while a rotation is on its way, and shares the reading with everybody in this process. */
export async function readTrust(state: ObjectValue, rotation: Rotation | null, context: Context): Promise<Private> {
  const endpoint = text(state.endpoint);
  if (rotation === null || rotation.state === "retire" || endpoint === null) return {};
  const [ca_bundle, client_ca_cert, client_ca_key] = ["ca_bundle", "client_ca_cert", "client_ca_key"].map(
    (name) => text(state[name]) ?? "",
  );
  const facts = await clusterFacts(context, {
    endpoint,
    ca_bundle: ca_bundle ?? "",
    client_ca_cert: client_ca_cert ?? "",
    client_ca_key: client_ca_key ?? "",
  });
  const trust: TrustSeen = facts.ok
    ? { unreachable: null, rotation, behind: behindOf(facts.value, rotation), oldDocuments: oldDocuments(facts.value.nodes) }
    : { unreachable: wordFailure(facts.failure), rotation, behind: [], oldDocuments: [] };
  return { trust };
}

function behindOf(facts: Facts, rotation: Rotation): readonly string[] {
  if (!facts.complete) return ["The cluster has not been handed over yet"];
  return trustLag(facts.nodes, rotation);
}
