// From "an API should come up" to "handed over". Every step finds its own traces, so that an interrupted run goes on.

import { workerToken } from "../../boot/token.js";
import { applySet } from "../../kube/apply-set.js";
import type { KubeClient } from "../../kube/client.js";
import { coreInventory } from "../../kube/core-manifests/build.js";
import { grantKey, writeAddresses, writeGrant } from "../../kube/grants.js";
import { writeMarker } from "../../kube/marker.js";
import type { KubeObject } from "../../kube/object.js";
import { type Outcome, ok, type TimedOut } from "../../kube/outcome.js";
import { done, isTransient, notYet, poll } from "../../kube/poll.js";
import { type Attendance, attendance, type Expected, wordMissing } from "../../kube/wait-ready.js";
import type { Birth } from "../cluster/session.js";
import { dressNode } from "../node/dress.js";
import type { Core } from "./core.js";
import { everybodyTrusts } from "./rotation.js";
import type { BarrierInput, BarrierWorker } from "./schema.js";

export interface ConvergeOptions {
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
  /** What memberships made in this run have left: labels, taints and marks of Nodes that did not exist yet. */
  readonly births: ReadonlyMap<string, Birth>;
  /** The rotation is another one than before, so that every agent is waited for. @default true */
  readonly rotates?: boolean;
  /** @default 500 */
  readonly everyMs?: number;
}
export interface Converged {
  readonly clusterUid: string;
  /** Why the cluster's DNS is late; null = it answers. */
  readonly dns: string | null;
  /** Nodes that serve but whose agent has not reported. */
  readonly silent: readonly string[];
}
/** `missing`: the machines that did not come, when that is why the time ran out. */
export interface NotConverged extends TimedOut {
  readonly missing?: readonly Attendance[];
}

export async function converge(client: KubeClient, input: BarrierInput, core: Core, options: ConvergeOptions): Promise<Outcome<Converged>> {
  const { deadline, signal, log } = options;
  const waiting = { deadline, signal, progress: log, everyMs: options.everyMs ?? 500 };
  const once = <T>(what: string, step: () => Promise<Outcome<T>>) =>
    poll(
      async () => {
        const outcome = await step();
        return outcome.ok ? ok(done(outcome.value)) : outcome;
      },
      { ...waiting, what },
    );

  const controlPlanes = Object.keys(input.members).sort().join(", ");
  const uid = await once(`waiting for the Kubernetes API of ${input.cluster} (control planes: ${controlPlanes})`, async () => {
    const ready = await client.raw("/readyz", { signal, timeoutMs: 5_000 });
    return ready.ok ? readUid(client, signal) : ready;
  });
  if (!uid.ok) return uid;
  log(`the API of ${input.cluster} answers; applying ${core.objects.length} cluster-wide objects`);

  const addresses = await once("writing the nodes' addresses", () => writeAddresses(client, addressesOf(input), { signal }));
  if (!addresses.ok) return addresses;
  // Deployments come when all nodes are there: scheduled before, every replica would sit on the first machine that came.
  let serving: Outcome<readonly string[]> | undefined;
  const before = async (object: KubeObject): Promise<Outcome<unknown>> => {
    if (object.kind !== "Deployment" || serving?.ok) return ok(undefined);
    serving = await everybodyServes(client, input, options);
    return serving;
  };
  const applied = await once("applying the cluster-wide parts", () =>
    applySet(client, { inventory: coreInventory, objects: core.objects, before }, { signal }),
  );
  if (!applied.ok) return applied;
  const silent = serving ?? ok([]);
  if (!silent.ok) return silent;

  for (const birth of options.births.values()) {
    const dressed = await once(`labelling ${birth.nodeName}`, () => dressNode(client, { ...birth, uncordon: false }, { signal }));
    if (!dressed.ok) return dressed;
  }
  const marked = await once("handing the cluster over", () =>
    writeMarker(client, { complete: true, tornDown: false, uid: input.uid, cni: input.cni }, { signal }),
  );
  if (!marked.ok) return marked;
  const trusted = await everybodyTrusts(client, input, options, options.rotates === false ? silent.value : []);
  if (!trusted.ok) return trusted;
  const names = input.cni === "none" ? ok(null) : await namesResolve(client, options);
  return names.ok ? ok({ clusterUid: uid.value, silent: silent.value, dns: names.value }) : names;
}

/** null = the cluster's DNS answers; else why it is late. Not a failure: the cluster is there, and a fix may be in it. */
async function namesResolve(
  client: KubeClient,
  { deadline, signal, log, everyMs = 500 }: ConvergeOptions,
): Promise<Outcome<string | null>> {
  const waited = await poll(
    async () => {
      const found = await client.get({ apiVersion: "apps/v1", kind: "Deployment", namespace: "kube-system", name: "coredns" }, { signal });
      if (!found.ok) return found;
      const { availableReplicas = 0 } = (found.value?.status ?? {}) as { availableReplicas?: number };
      return ok(availableReplicas > 0 ? done(null) : notYet("no replica of CoreDNS is Ready"));
    },
    { what: "waiting for the cluster's DNS", deadline: Math.min(deadline, Date.now() + 120_000), signal, progress: log, everyMs },
  );
  return !waited.ok && waited.failure.kind === "timeout" ? ok(waited.failure.message) : waited;
}

/** Grants for those who have not joined, then all nodes Ready and their agents heard; the agents get a minute longer. */
async function everybodyServes(client: KubeClient, input: BarrierInput, options: ConvergeOptions): Promise<Outcome<readonly string[]>> {
  const { deadline, signal, log: progress, everyMs = 500 } = options;
  const expected: readonly Expected[] = [
    ...Object.keys(input.members).map((name) => ({ name, machineId: null })),
    ...input.workers.map((worker) => ({ name: worker.nodeName, machineId: worker.vmId })),
  ];
  const granted = new Map<string, number>();
  let missing: readonly Attendance[] = [];
  let allReadyAt = 0;
  const look = async () => {
    const nodes = await client.list("v1", "Node", { signal });
    if (!nodes.ok) return nodes;
    const seen = attendance(expected, nodes.value, { registeredIsEnough: input.cni === "none", now: Date.now() });
    missing = seen.filter((m) => m.state !== "ready");
    const absent = new Set(missing.filter((m) => m.state === "absent").map((m) => m.name));
    for (const worker of input.workers.filter((w) => absent.has(w.nodeName))) {
      const grant = await grantTo(client, input, worker, granted, signal);
      if (!grant.ok && !isTransient(grant.failure)) return grant;
    }
    if (missing.length > 0) return ok(notYet(`${missing.length} of ${expected.length} nodes are missing: ${wordMissing(missing)}`));
    const silent = seen.filter((m) => !m.reports).map((m) => m.name);
    allReadyAt ||= Date.now();
    if (silent.length === 0 || Date.now() - allReadyAt > 60_000) return ok(done(silent));
    return ok(notYet(`all nodes are Ready; waiting for the agents on ${silent.join(", ")}`));
  };
  const waited = await poll(look, { deadline, signal, progress, everyMs, what: "waiting for the nodes" });
  if (waited.ok || waited.failure.kind !== "timeout") return waited;
  const failure: NotConverged = { ...waited.failure, missing };
  return { ok: false, failure };
}

/** Once, and again when it was used up for nothing: a minute after the agent took the grant, no Node has come. */
async function grantTo(
  client: KubeClient,
  input: BarrierInput,
  worker: BarrierWorker,
  granted: Map<string, number>,
  signal: AbortSignal,
): Promise<Outcome<void>> {
  const at = granted.get(worker.nodeName);
  if (at !== undefined && Date.now() - at < 60_000) return ok(undefined);
  const [tokenId = "", tokenSecret = ""] = workerToken(input.tokenSeed, worker.prefix, worker.release).split(".");
  const standing = at === undefined ? ok(undefined) : await client.get(grantKey(tokenId), { signal });
  if (!standing.ok) return standing;
  // Still there and younger than half an hour: the machine has not used it yet.
  if (standing.value && at !== undefined && Date.now() - at < 30 * 60_000) return ok(undefined);
  const { nodeName, vmId: machineId } = worker;
  const written = await writeGrant(client, { nodeName, machineId, tokenId, tokenSecret }, { signal });
  if (!written.ok) return written;
  granted.set(nodeName, Date.now());
  return ok(undefined);
}

const addressesOf = (input: BarrierInput): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries([
    ...Object.entries(input.members).map(([name, address]) => [name, [address]] as const),
    ...input.workers.flatMap((worker) => (worker.address === null ? [] : [[worker.nodeName, [worker.address]] as const])),
  ]);

async function readUid(client: KubeClient, signal: AbortSignal): Promise<Outcome<string>> {
  const found = await client.get({ apiVersion: "v1", kind: "Namespace", name: "kube-system" }, { signal });
  if (!found.ok) return found;
  const uid = found.value?.metadata.uid;
  return uid ? ok(uid) : { ok: false, failure: { kind: "unreachable", message: "the namespace kube-system is not there yet" } };
}
