// Destroy of a membership: the gate, then cordon, drain, and out. Nothing is touched before the gate has passed.
import { type Diagnostic, error, warning } from "../../framework/diagnostic.js";
import type { Context, DeleteRequest, StateResponse } from "../../framework/resource.js";
import type { KubeClient } from "../../kube/client.js";
import { cordon, drain } from "../../kube/drain.js";
import { drainBlocked, warnOf } from "../../kube/event.js";
import { factsOf, readSnapshot } from "../../kube/facts.js";
import { writeAddresses } from "../../kube/grants.js";
import { freeLease, markDrained, takeLease } from "../../kube/lease.js";
import { drainingAnnotation } from "../../kube/node-status.js";
import { node as nodeKey } from "../../kube/object.js";
import { type Failure, isNotFound, type Outcome, ok, timedOut, wordFailure } from "../../kube/outcome.js";
import { done, isTransient, notYet, poll } from "../../kube/poll.js";
import { withdrawRequest } from "../../kube/requests.js";
import type { Facts } from "../../rollout/facts.js";
import { abandonedBy, decideGate, type GateVerdict } from "../../rollout/gate.js";
import { text, timeoutMs } from "../cluster/decode.js";
import { isLost, lostVariable } from "../cluster/lost.js";
import { clusterClient, clusterMarks, type Marks } from "../cluster/session.js";
import { capital } from "../cluster/words.js";
import { marksFrom, type NodeMarks } from "./marks.js";
import { leaveEtcd, retire } from "./retire.js";
import { type NodeInput, nodeInput } from "./schema.js";
import { noSnapshot, snapshotFirst } from "./snapshot-first.js";
import { workerGate } from "./worker-gate.js";

const gateMs = 15 * 60_000;
/** A state that was not refreshed since the birth does not know of the hand-over: silence counts when it has lasted. */
const silenceMs = 15_000;

export async function deleteNode({ prior, private: data }: DeleteRequest, context: Context): Promise<StateResponse> {
  const node = nodeInput(prior);
  const marks = marksFrom(data);
  const shared = clusterMarks(context, node.access);
  if (marks.complete || marks.restoring) shared.complete = true;
  if (marks.restoring) shared.restoring = true;
  // What this run's refresh has left for the barrier is of the membership that ends.
  shared.births.delete(node.nodeName);
  // The machine stays as it is: only the membership is registered anew.
  if (marks.how === "replace" && marks.plannedVmId === node.vmId) return { state: null };

  const going: Going = {
    client: clusterClient(context, node.access),
    node,
    marks,
    gen: text(prior.gen),
    shared,
    lost: isLost(node.nodeName),
    deadline: Date.now() + timeoutMs(prior, "delete", "30m"),
    signal: context.signal,
    log: (message) => context.log("info", message, { node: node.nodeName }),
  };
  const passed = await gate(going);
  if (!passed.ok) return { state: prior, diagnostics: [refused(node, passed.failure)] };
  if (passed.value === "nothing to do") return { state: null };
  if (passed.value === "unseen") return { state: null, diagnostics: [unforgotten(node)] };

  const saved = passed.value === "drain" && marks.how === "replace" ? await snapshotFirst(going, marks.version ?? null) : ok([]);
  if (!saved.ok) {
    const back = backInService(node, await undo(going));
    return { state: prior, diagnostics: [noSnapshot(node, wordFailure(saved.failure), back)] };
  }
  const out = await takeOut(going, passed.value);
  if (out.ok) return { state: null, diagnostics: [...saved.value, ...out.value] };
  return { state: prior, diagnostics: [notEmptied(node, out.failure, backInService(node, await undo(going)))] };
}

interface Going {
  readonly client: KubeClient;
  readonly node: NodeInput;
  readonly marks: NodeMarks;
  readonly gen: string | null;
  readonly shared: Marks;
  readonly lost: boolean;
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
}

/** "drain": alive, to be emptied. "gone": dead or given up, nothing to empty. "unseen": given up while nobody answers. */
type Passed = "drain" | "gone" | "unseen" | "nothing to do";

async function gate(going: Going): Promise<Outcome<Passed>> {
  const { client, node, marks, signal } = going;
  const deadline = Math.min(going.deadline, Date.now() + gateMs);
  let silentSince: number | null = null;
  const waited = await poll(
    async () => {
      const snapshot = await readSnapshot(client, signal);
      // Who goes back to a snapshot may have an API server that answers without an etcd behind it: with errors.
      const judged = snapshot.ok || snapshot.failure.kind === "unreachable" || (going.shared.restoring && isTransient(snapshot.failure));
      if (!judged) return snapshot;
      silentSince = snapshot.ok ? null : (silentSince ?? Date.now());
      const facts = snapshot.ok ? factsOf(snapshot.value) : unread(snapshot.failure);
      const verdict = judge(going, facts);
      switch (verdict.verdict) {
        case "skip":
          return ok(done<Outcome<Passed>>(ok("nothing to do")));
        case "pass": {
          if (signal.aborted) return { ok: false, failure: { kind: "stopped", message: `stopped before ${node.nodeName} was taken down` } };
          // The whole cluster goes, goes back, or never came about: nobody is left who would have to be told.
          if (verdict.rule === "restore") return ok(done<Outcome<Passed>>(ok("nothing to do")));
          if (verdict.rule === "G3") {
            if (silentSince !== null && marks.how === "replace" && Date.now() - silentSince < silenceMs)
              return ok(notYet(`${node.nodeName} was never handed over; waiting whether the Kubernetes API stays silent`));
            return ok(done<Outcome<Passed>>(ok("nothing to do")));
          }
          if (!snapshot.ok) return ok(done<Outcome<Passed>>(ok(marks.machineGone ? "nothing to do" : "unseen")));
          if (!verdict.drain) return ok(done<Outcome<Passed>>(ok("gone")));
          if (node.role === "worker") return ok(done<Outcome<Passed>>(ok("drain")));
          const mine = await takeLease(client, node.nodeName, { signal, over: abandonedBy(facts) });
          if (!mine.ok) return mine;
          return mine.value ? ok(done<Outcome<Passed>>(ok("drain"))) : ok(notYet("another machine has just been taken down"));
        }
        case "refuse":
          return ok(done<Outcome<Passed>>(timedOut(verdict.reason)));
        case "wait":
          return ok(notYet(verdict.reason));
        default:
          return verdict satisfies never;
      }
    },
    { what: `waiting until ${node.nodeName} may be taken down`, deadline, signal, progress: going.log },
  );
  return waited.ok ? waited.value : waited;
}

function judge(going: Going, facts: Facts): GateVerdict {
  const { node, marks, gen, shared, lost } = going;
  if (node.role === "worker")
    return workerGate({
      node,
      how: marks.how,
      gen,
      facts,
      tornDown: shared.tornDown,
      everComplete: shared.complete,
      markless: marks.markless,
      lost,
    });
  return decideGate({
    name: node.nodeName,
    how: marks.how,
    gen,
    vmId: node.vmId,
    plannedVmId: marks.plannedVmId,
    // A list of an older configuration: who leaves may have been preceded by others that are in it.
    members: marks.how === "leave" ? [] : node.members,
    planned: marks.members,
    facts,
    tornDown: shared.tornDown,
    everComplete: shared.complete,
    markless: marks.markless,
    machineGone: marks.machineGone,
    lost,
    // All control planes go back or none: one that is tainted, which core plans without a past, goes with the others.
    restoring: shared.restoring,
  });
}

const unread = (failure: Failure): Facts => ({
  reachable: false,
  unreachable: failure.message,
  born: false,
  complete: false,
  tornDown: false,
  windowOpen: true,
  lease: null,
  etcd: {},
  nodes: {},
});

/** After the gate. The lease is mine now (control planes). */
async function takeOut(going: Going, passed: "drain" | "gone"): Promise<Outcome<readonly Diagnostic[]>> {
  const { client, node, marks, signal, log } = going;
  // The mark comes first, also on a dead one: an agent that finds its Node gone registers it again unless it goes by us.
  const begun = await client.patch(
    nodeKey(node.nodeName),
    { metadata: { annotations: { [drainingAnnotation]: going.gen ?? "" } } },
    { signal },
  );
  if (!begun.ok && !isNotFound(begun.failure)) return begun;
  if (passed === "drain") {
    const cordoned = await cordon(client, node.nodeName, true, signal);
    if (!cordoned.ok) return cordoned;
    const deadline = Math.min(going.deadline, Date.now() + node.drainTimeoutMs);
    const held = async (words: string): Promise<void> => {
      const limit = new Date(deadline).toISOString().slice(11, 19);
      const told = await warnOf(client, node.nodeName, drainBlocked, `${words}. The drain gives up at ${limit}Z.`, {
        signal,
        timeoutMs: 5_000,
      });
      if (!told.ok) log(`the event ${drainBlocked} was not written: ${wordFailure(told.failure)}`);
    };
    const emptied = await drain(client, { node: node.nodeName, deadline, signal, log, held });
    if (!emptied.ok) return emptied;
    if (emptied.value.left.length > 0) return timedOut(`pods are still on ${node.nodeName}: ${emptied.value.left.join("; ")}`);
  }
  if (node.role === "worker") return forget(going);
  const drained = passed === "drain" ? await markDrained(client, { signal }) : ok(undefined);
  if (!drained.ok) return drained;
  if (marks.how === "leave") return leave(going, passed);
  return passed === "drain" ? retire(going) : ok([]);
}

/** What is left of the node goes when etcd has forgotten it. */
async function leave(going: Going, passed: "drain" | "gone"): Promise<Outcome<readonly Diagnostic[]>> {
  const { client, node, signal, lost } = going;
  const left = await leaveEtcd(going, passed === "drain", lost);
  if (!left.ok) return left;
  const forgotten = await forget(going);
  if (!forgotten.ok) return forgotten;
  const withdrawn = await withdrawRequest(client, node.nodeName, { signal });
  if (!withdrawn.ok) return withdrawn;
  const freed = await freeLease(client, node.nodeName, { signal });
  return freed.ok ? ok([...left.value, ...forgotten.value]) : freed;
}

async function forget({ client, node, signal }: Going): Promise<Outcome<readonly Diagnostic[]>> {
  const gone = await client.delete(nodeKey(node.nodeName), { signal });
  if (gone.ok) {
    const addresses = await writeAddresses(client, { [node.nodeName]: null }, { signal });
    return addresses.ok ? ok([]) : addresses;
  }
  if (gone.failure.kind !== "unreachable") return gone;
  return ok([
    warning(
      `Node ${node.nodeName} could not be deleted`,
      `${capital(wordFailure(gone.failure))}. Its machine goes all the same; delete the Node by hand when the API is back.`,
    ),
  ]);
}

/** A destroy that failed leaves the node in service. Not on ctrl-C's signal: that is aborted already. */
async function undo({ client, node }: Going): Promise<Outcome<unknown>> {
  const signal = AbortSignal.timeout(10_000);
  const back = await client.patch(
    nodeKey(node.nodeName),
    { metadata: { annotations: { [drainingAnnotation]: null } }, spec: { unschedulable: null } },
    { signal },
  );
  if (node.role !== "control-plane") return back;
  const withdrawn = await withdrawRequest(client, node.nodeName, { signal });
  const freed = await freeLease(client, node.nodeName, { signal });
  return [back, withdrawn, freed].find((outcome) => !outcome.ok) ?? back;
}

const unforgotten = (node: NodeInput): Diagnostic =>
  warning(
    `Node ${node.nodeName} is still known to the cluster`,
    `It was given up by ${lostVariable} while the Kubernetes API did not answer. When it does, delete the Node by hand` +
      `${node.role === "control-plane" ? ", and look whether it is still a member of etcd" : ""}.`,
  );

const refused = (node: NodeInput, failure: Failure): Diagnostic =>
  error(
    `${node.nodeName} was not taken down`,
    `${capital(wordFailure(failure))}. Nothing of ${node.nodeName} was changed. Mend what is named and apply again. ` +
      `If this plan also changes something that the machines share (network, balancer), apply that alone first: terraform apply -target=ADDRESS. ` +
      `If the node is lost for good, ${lostVariable}=${node.nodeName} in the environment lets it go in this one run, without a drain.`,
  );

const backInService = ({ nodeName }: NodeInput, undone: Outcome<unknown>): string =>
  undone.ok
    ? "The node is back in service and its machine was not touched."
    : `Its machine was not touched, but the node could not be put back in service: ${wordFailure(undone.failure)}. kubectl uncordon ${nodeName} does it, and the next apply too.`;

const notEmptied = (node: NodeInput, failure: Failure, back: string): Diagnostic =>
  error(
    `${node.nodeName} was not emptied`,
    `${capital(wordFailure(failure))}. ${back} A PodDisruptionBudget that never allows an eviction has to be changed by its owner; ` +
      `${lostVariable}=${node.nodeName} in the environment skips gate and drain for this one run.`,
  );
