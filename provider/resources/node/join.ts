// From "its machine was ordered" to "a member that serves": grant, wait for this very machine, dress the Node, free the
// lease. Idempotent: run again it finds everything done.
import { workerToken } from "../../boot/token.js";
import type { KubeClient } from "../../kube/client.js";
import { factsOf, readSnapshot, type Snapshot } from "../../kube/facts.js";
import { grantKey, revokeGrant, writeAddresses, writeGrant } from "../../kube/grants.js";
import { freeLease } from "../../kube/lease.js";
import { markerFrom } from "../../kube/marker.js";
import { agentStatus, isLockedOut } from "../../kube/node-status.js";
import { type Outcome, ok } from "../../kube/outcome.js";
import { done, isTransient, notYet, poll } from "../../kube/poll.js";
import { withdrawRequest } from "../../kube/requests.js";
import { attendance } from "../../kube/wait-ready.js";
import { catchUp } from "./catch-up.js";
import { claimNode, dressNode } from "./dress.js";
import type { NodeInput } from "./schema.js";

export interface JoinOptions {
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
  /** @default 1000 */
  readonly everyMs?: number;
}

export async function join(client: KubeClient, node: NodeInput, gen: string, options: JoinOptions): Promise<Outcome<void>> {
  const { signal, deadline, log } = options;
  const waiting = { deadline, signal, progress: log, everyMs: options.everyMs ?? 1_000 };

  const granted = await poll(
    async () => {
      const addresses = await writeAddresses(client, node.addresses.length ? { [node.nodeName]: node.addresses } : {}, { signal });
      if (!addresses.ok) return addresses;
      // A machine that an interrupted destroy has taken out of service comes back when nobody asks it to stay out.
      const free = node.role === "control-plane" ? await withdrawRequest(client, node.nodeName, { signal }) : ok(undefined);
      if (!free.ok) return free;
      const claimed = await claimNode(client, node.nodeName, gen, { signal });
      if (!claimed.ok) return claimed;
      const grant = await ensureGrant(client, node, signal);
      return grant.ok ? ok(done(undefined)) : grant;
    },
    { ...waiting, what: `giving ${node.nodeName} leave to join` },
  );
  if (!granted.ok) return granted;

  let looks = 0;
  const serving = await poll(
    async () => {
      // The agent deletes a grant when it has approved; a machine that then lost its certificate needs another.
      if (++looks % 30 === 0) {
        const grant = await ensureGrant(client, node, signal);
        if (!grant.ok && !isTransient(grant.failure)) return grant;
      }
      const snapshot = await readSnapshot(client, signal);
      if (!snapshot.ok) return snapshot;
      const missing = whatIsMissing(node, snapshot.value);
      return ok(missing === null ? done(undefined) : notYet(missing));
    },
    { ...waiting, what: `waiting for machine ${node.vmId} to serve as ${node.nodeName}` },
  );
  if (!serving.ok) return serving;
  // One that came back by itself in the meantime has left its grant unused.
  const revoked = node.role === "worker" ? await revokeGrant(client, tokenOf(node).id, { signal }) : ok(false);
  if (!revoked.ok && !isTransient(revoked.failure)) return revoked;

  const labelled = await poll(
    async () => {
      const { nodeName, pool, labels, taints } = node;
      const dressed = await dressNode(client, { nodeName, pool, labels, taints, gen, uncordon: true }, { signal });
      if (!dressed.ok) return dressed;
      const freed = await freeLease(client, node.nodeName, { signal });
      return freed.ok ? ok(done(undefined)) : freed;
    },
    { ...waiting, what: `labelling ${node.nodeName}` },
  );
  return labelled.ok ? catchUp(client, node.nodeName, waiting) : labelled;
}

/**
 * Workers only, and only until their Node is there, or when its kubelet's certificate ended while the machine was off:
 * control planes come with their own certificates.
 */
async function ensureGrant(client: KubeClient, node: NodeInput, signal: AbortSignal): Promise<Outcome<void>> {
  if (node.role !== "worker") return ok(undefined);
  const present = await client.get({ apiVersion: "v1", kind: "Node", name: node.nodeName }, { signal });
  if (!present.ok) return present;
  if (present.value && !isLockedOut(present.value, Date.now())) return ok(undefined);
  const { id: tokenId, secret: tokenSecret } = tokenOf(node);
  const standing = await client.get(grantKey(tokenId), { signal });
  if (!standing.ok) return standing;
  const forUs = standing.value?.metadata.annotations?.["honest-paas.dev/machine-id"] === node.vmId;
  if (forUs && !expiresSoon(standing.value?.data)) return ok(undefined);
  const written = await writeGrant(client, { nodeName: node.nodeName, machineId: node.vmId, tokenId, tokenSecret }, { signal });
  return written.ok ? ok(undefined) : written;
}

function tokenOf(node: NodeInput): { readonly id: string; readonly secret: string } {
  const [id = "", secret = ""] = workerToken(node.tokenSeed, node.name, node.release).split(".");
  return { id, secret };
}

function expiresSoon(data: unknown): boolean {
  const encoded = (data as { expiration?: string } | undefined)?.expiration ?? "";
  const at = Date.parse(Buffer.from(encoded, "base64").toString());
  return Number.isNaN(at) || at - Date.now() < 20 * 60_000;
}

/** null = it serves. */
export function whatIsMissing(node: NodeInput, snapshot: Snapshot): string | null {
  const registeredIsEnough = markerFrom(snapshot.marker).cni === "none";
  const [seen] = attendance([{ name: node.nodeName, machineId: node.vmId }], snapshot.nodes, { registeredIsEnough, now: snapshot.at });
  if (seen && seen.state !== "ready") return `${seen.name} ${seen.reason}`;
  const object = snapshot.nodes.find((n) => n.metadata.name === node.nodeName);
  // The Node of a predecessor with the same name stays Ready for 40 s: only this machine's own report counts.
  if (!object || agentStatus(object)?.machineId !== node.vmId) return `the agent on ${node.nodeName} has not reported yet`;
  if (!seen?.reports) return `the agent on ${node.nodeName} is silent`;
  if (node.role === "control-plane") {
    const voter = factsOf(snapshot).etcd[node.nodeName] ?? "absent";
    if (voter !== "answers") return `${node.nodeName} is not a voter of etcd yet (${voter})`;
  }
  return null;
}
