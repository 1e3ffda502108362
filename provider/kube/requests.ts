// What the provider asks of agents about one control plane: a ConfigMap that nodes can read and only we can write. The
// answer stands on the Node. A request names its machine and its member of etcd: a successor of the same name is neither.
import type { CallOptions, KubeClient } from "./client.js";
import { configMap, type KubeObject, prefix, systemNamespace } from "./object.js";
import { isConflict, isNotFound, type Outcome, ok } from "./outcome.js";

/** "retire": its own agent takes the machine out of service. "leave": out of etcd for good first; for a dead one another agent. */
export interface NodeRequest {
  readonly do: "retire" | "leave";
  readonly machineId: string;
  /** etcd's id of the member in hex; null when it has none. */
  readonly memberId: string | null;
  /** When it was asked: tells a request from an earlier one. */
  readonly at: string;
}
/** What the agent says when the machine is out of service. */
export interface Retired {
  readonly at: string;
  /** What could not be done; empty = etcd has stopped cleanly and its disk is unmounted. */
  readonly problems: readonly string[];
}

export const requestsKey = configMap("honest-paas-requests");
export const retiredAnnotation = `${prefix}retired`;

/** Takes the place of an earlier request about that node. */
export function askAgents(client: KubeClient, name: string, request: NodeRequest, options?: CallOptions): Promise<Outcome<unknown>> {
  const { machineId: machine_id, memberId: member_id, at } = request;
  return write(client, { [name]: JSON.stringify({ do: request.do, machine_id, member_id, at }) }, options);
}

/** An agent that has acted on it puts the machine back into service. */
export async function withdrawRequest(client: KubeClient, name: string, options?: CallOptions): Promise<Outcome<unknown>> {
  const gone = await client.patch(requestsKey, { data: { [name]: null } }, options);
  return !gone.ok && isNotFound(gone.failure) ? ok(undefined) : gone;
}

/** No name of a node: it is not about one machine's end. */
const snapshotRequest = "_snapshot";

/** Takes the place of an earlier request for one. The answer is `asked` in the report of that node's snapshots. */
export const askForSnapshot = (client: KubeClient, node: string, at: string, options?: CallOptions): Promise<Outcome<unknown>> =>
  write(client, { [snapshotRequest]: JSON.stringify({ do: "snapshot", node, at }) }, options);

export const withdrawSnapshotRequest = (client: KubeClient, options?: CallOptions): Promise<Outcome<unknown>> =>
  withdrawRequest(client, snapshotRequest, options);

async function write(client: KubeClient, data: Readonly<Record<string, string>>, options?: CallOptions): Promise<Outcome<unknown>> {
  const patched = await client.patch(requestsKey, { data }, options);
  if (patched.ok || !isNotFound(patched.failure)) return patched;
  const made = await client.create(
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: requestsKey.name, namespace: systemNamespace }, data },
    options,
  );
  // Somebody made it in between: the patch works now.
  return !made.ok && isConflict(made.failure) ? client.patch(requestsKey, { data }, options) : made;
}

/** null = the agent has not answered; what does not parse is no answer. */
export function retiredAnswer(node: KubeObject | undefined): Retired | null {
  const text = node?.metadata.annotations?.[retiredAnnotation];
  if (text === undefined) return null;
  try {
    const data = JSON.parse(text) as { at?: unknown; problems?: unknown } | null;
    if (typeof data?.at !== "string") return null;
    const problems = Array.isArray(data.problems) ? data.problems.filter((p): p is string => typeof p === "string") : [];
    return { at: data.at, problems };
  } catch {
    return null;
  }
}
