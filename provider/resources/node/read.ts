// Read of a membership. An API that does not answer changes nothing; a Node that is gone from a cluster that answers does.
import type { Context, ReadRequest, StateResponse } from "../../framework/resource.js";
import { text } from "../cluster/decode.js";
import { clusterFacts, clusterMarks } from "../cluster/session.js";
import { unreachableWarning } from "../cluster/words.js";
import { nodeInput } from "./schema.js";

export async function readNode({ state, private: seen }: ReadRequest, context: Context): Promise<StateResponse> {
  const node = nodeInput(state);
  const facts = await clusterFacts(context, node.access);
  const marks = clusterMarks(context, node.access);
  const born = (): void => {
    const { nodeName, pool, labels, taints } = node;
    // the barrier of a birth that goes on in this apply learns here what this membership wants on its Node
    if (seen.complete !== true) marks.births.set(nodeName, { nodeName, pool, gen: text(state.gen) ?? "", labels, taints });
  };
  if (!facts.ok) {
    born();
    return { state, private: seen, diagnostics: [unreachableWarning(node.cluster, node.access.endpoint, facts.failure)] };
  }
  const { complete, tornDown, nodes, lease } = facts.value;
  // Before the hand-over nobody knows who is late and who is lost; after the teardown has begun everybody goes.
  if (!complete || tornDown) {
    if (!tornDown) born();
    return { state, private: seen };
  }
  marks.complete = true;

  const object = nodes[node.nodeName];
  const stored = { ...seen, complete: true };
  if (!object) return { state: null };
  // A control plane's Node carries its successor's machine: then this membership's machine is gone already, and what is
  // left of it is decided by the plan (another vm_id replaces it).
  const mine = object.machineId === node.vmId && object.agentFresh;
  // Its machine is this one, so an apply has somebody to let in again. A control plane makes itself new certificates.
  const lockedOut = node.role === "worker" && object.machineId === node.vmId && object.lockedOut === true;
  const halfWay = mine && (lease?.holder === node.nodeName || object.draining === true);
  // Deleted by hand and registered anew by the kubelet, born in a run that ended too early, or come back from a snapshot of
  // before this membership: labels, taints and mark are not the kubelet's to write.
  const bare = mine && object.gen !== text(state.gen);
  const membership = halfWay ? "going down" : lockedOut ? "locked out" : bare ? "bare" : "member";
  return { state: { ...state, membership }, private: stored };
}
