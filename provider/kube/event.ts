// Events of a Node, as kubectl get events shows them: for what a person has to know while terraform still waits.
import type { CallOptions, KubeClient } from "./client.js";
import type { KubeObject } from "./object.js";
import { type Outcome, ok } from "./outcome.js";

/** A drain waits for a PodDisruptionBudget. */
export const drainBlocked = "DrainBlocked";

/** Writes a warning about the node. Nothing depends on it: who calls says when it failed, and goes on. */
export async function warnOf(
  client: KubeClient,
  node: string,
  reason: string,
  message: string,
  call: CallOptions,
): Promise<Outcome<undefined>> {
  const at = new Date().toISOString().replace(/\.\d+Z$/, "Z");
  const event: KubeObject = {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `honest-paas-${node}-${reason.toLowerCase()}-${Date.now().toString(36)}`, namespace: "default" },
    // events of Nodes carry the name as the uid, as the kubelet's do
    involvedObject: { apiVersion: "v1", kind: "Node", name: node, uid: node },
    type: "Warning",
    reason,
    message: message.slice(0, 1000),
    source: { component: "honest-paas-provider" },
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
  };
  const written = await client.create(event, call);
  return written.ok ? ok(undefined) : written;
}
