// Create and update of a membership.
import { randomBytes } from "node:crypto";
import { type Diagnostic, error } from "../../framework/diagnostic.js";
import type { ApplyRequest, Context, StateResponse } from "../../framework/resource.js";
import type { ObjectValue } from "../../framework/value.js";
import type { KubeClient } from "../../kube/client.js";
import { readFacts } from "../../kube/facts.js";
import { readMarker } from "../../kube/marker.js";
import { type Failure, type Outcome, ok, wordFailure } from "../../kube/outcome.js";
import { done, poll } from "../../kube/poll.js";
import { text, timeoutMs } from "../cluster/decode.js";
import { clusterClient, clusterMarks } from "../cluster/session.js";
import { capital, consoleHint } from "../cluster/words.js";
import { join } from "./join.js";
import { type NodeInput, nodeInput } from "./schema.js";

export async function createNode({ planned }: ApplyRequest, context: Context): Promise<StateResponse> {
  const gen = randomBytes(4).toString("hex");
  const node = nodeInput(planned);
  const state: ObjectValue = { ...planned, node_name: node.nodeName, membership: "member", gen };
  const client = clusterClient(context, node.access);
  const deadline = Date.now() + timeoutMs(planned, "create", "20m");

  // Who goes back to a snapshot has been a whole cluster before: its silence is no birth.
  const shared = clusterMarks(context, node.access);
  if (node.etcdNumber > 0) shared.complete = true;
  if (shared.restoring && !(await isBack(client, node))) {
    // As at a birth: all of them have to be made before any of them serves, and the barrier, which has the number too, waits.
    const { nodeName, pool, labels, taints } = node;
    shared.births.set(nodeName, { nodeName, pool, gen, labels, taints });
    return { state, private: { complete: true } };
  }
  const living = await isLiving(client, node, context, deadline);
  if (living.ok && !living.value) {
    // Birth: whoever waited here would hold one of terraform's slots while the machines that make the cluster are still to
    // come. The barrier waits for everybody.
    const { nodeName, pool, labels, taints } = node;
    shared.births.set(nodeName, { nodeName, pool, gen, labels, taints });
    return { state, private: {} };
  }
  const joined = living.ok ? await joinNode(client, node, gen, deadline, context) : living;
  if (joined.ok) return { state, private: { complete: true } };
  // The state is kept (tainted): with none the gate would be gone with it, and a machine that came late after all could be
  // destroyed while another is down.
  return { state, private: living.ok ? { complete: true } : {}, diagnostics: [joinError(node, joined.failure)] };
}

/** The cluster answers with the number of this machine: it is not what went before. Workers have none to wait with. */
async function isBack(client: KubeClient, node: NodeInput): Promise<boolean> {
  if (node.role !== "control-plane") return true;
  const facts = await readFacts(client, AbortSignal.timeout(5_000));
  return facts.ok && (facts.value.number ?? 0) >= node.etcdNumber;
}

export async function updateNode({ prior, planned }: ApplyRequest, context: Context): Promise<StateResponse> {
  const node = nodeInput(planned);
  const gen = text(planned.gen) ?? "";
  const client = clusterClient(context, node.access);
  const deadline = Date.now() + timeoutMs(planned, "update", "20m");
  const state: ObjectValue = { ...planned, membership: "member" };
  if (prior && prior.membership === "member" && !touchesNode(prior, planned)) return { state };

  const living = await isLiving(client, node, context, deadline, true);
  if (living.ok && !living.value) return { state };
  const joined = living.ok ? await joinNode(client, node, gen, deadline, context) : living;
  return joined.ok ? { state, private: { complete: true } } : { state: prior, diagnostics: [joinError(node, joined.failure)] };
}

/** What is written on the Node or beside it; the rest is only for later runs. */
const touchesNode = (prior: ObjectValue, planned: ObjectValue): boolean =>
  ["pool", "labels", "taints", "address", "addresses"].some(
    (name) => JSON.stringify(prior[name] ?? null) !== JSON.stringify(planned[name] ?? null),
  );

/**
 * Whether the cluster has been handed over. An API that does not answer means "not born yet" only when nobody has seen this
 * cluster complete; the barrier, which comes last, finds out if that was wrong.
 */
async function isLiving(
  client: KubeClient,
  node: NodeInput,
  context: Context,
  deadline: number,
  mustAnswer = false,
): Promise<Outcome<boolean>> {
  const marks = clusterMarks(context, node.access);
  const log = (message: string) => context.log("info", message, { node: node.nodeName });
  const look = async (): Promise<Outcome<boolean>> => {
    const marker = await readMarker(client, { signal: context.signal, timeoutMs: 5_000 });
    return marker.ok ? ok(marker.value.complete && !marker.value.tornDown) : marker;
  };
  if (!marks.complete && !mustAnswer) {
    const seen = await look();
    if (seen.ok) return seen;
    return seen.failure.kind === "unreachable" ? ok(false) : seen;
  }
  const what = `waiting for the API of cluster ${node.cluster}`;
  return poll(
    async () => {
      const seen = await look();
      return seen.ok ? ok(done(seen.value)) : seen;
    },
    { deadline, signal: context.signal, what, progress: log },
  );
}

function joinNode(client: KubeClient, node: NodeInput, gen: string, deadline: number, context: Context): Promise<Outcome<void>> {
  clusterMarks(context, node.access).complete = true;
  return join(client, node, gen, {
    deadline,
    signal: context.signal,
    log: (message) => context.log("info", message, { node: node.nodeName }),
  });
}

const joinError = (node: NodeInput, failure: Failure): Diagnostic =>
  error(
    `${node.nodeName} has not joined cluster ${node.cluster}`,
    `${capital(wordFailure(failure))}. Machine ${node.vmId} stays as it is and the membership is kept in state; the next apply goes on. ${consoleHint}${lostHint(node)}`,
  );

/** An API that does not come back may have lost its data, which no machine decides about by itself. */
const lostHint = ({ role }: NodeInput): string =>
  role === "control-plane"
    ? " When the etcd disks of most control planes are lost, none of them founds a new cluster by itself: go back to a snapshot with the spec's `restore` (honest-paas snapshot restore)."
    : "";
