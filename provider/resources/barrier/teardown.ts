// The end of a cluster: say so (in this process and in the cluster), let Kubernetes take back what it made at the cloud,
// open the gates. Best effort: an API that does not answer must not keep a cluster alive.
import type { KubeClient } from "../../kube/client.js";
import { readMarker, writeMarker } from "../../kube/marker.js";
import { type KubeObject, keyOf, wordKey } from "../../kube/object.js";
import { type Failure, type Outcome, ok } from "../../kube/outcome.js";
import { done, notYet, poll } from "../../kube/poll.js";

export interface TeardownOptions {
  readonly volumes: "keep" | "delete";
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
  readonly everyMs?: number;
}

/** undefined = all gone; else what was not done and why. */
export async function teardown(
  client: KubeClient,
  options: TeardownOptions,
): Promise<{ readonly failure: Failure; readonly step: string } | undefined> {
  const { signal } = options;
  const marker = await readMarker(client, { signal, timeoutMs: 5_000 });
  if (!marker.ok) return { failure: marker.failure, step: "reading the cluster" };
  const marked = await writeMarker(client, { ...marker.value, tornDown: true }, { signal });
  if (!marked.ok) return { failure: marked.failure, step: "marking the cluster as torn down" };
  // A cluster that was never handed over has no workloads of anybody.
  if (!marker.value.complete) return undefined;
  const balancers = await goAway(client, "Service", (o) => (o.spec as { type?: string } | undefined)?.type === "LoadBalancer", options);
  if (!balancers.ok) return { failure: balancers.failure, step: "deleting the balancers that Kubernetes made" };
  if (options.volumes === "delete") {
    const volumes = await goAway(client, "PersistentVolumeClaim", () => true, options);
    if (!volumes.ok) return { failure: volumes.failure, step: "deleting the volumes that Kubernetes made" };
  }
  return undefined;
}

async function goAway(
  client: KubeClient,
  kind: string,
  wanted: (object: KubeObject) => boolean,
  { deadline, signal, log: progress, everyMs = 1_000 }: TeardownOptions,
): Promise<Outcome<void>> {
  return poll(
    async () => {
      const objects = await client.list("v1", kind, { signal });
      if (!objects.ok) return objects;
      const left = objects.value.filter(wanted);
      if (left.length === 0) return ok(done(undefined));
      for (const object of left.filter((o) => o.metadata.deletionTimestamp === undefined)) {
        const gone = await client.delete(keyOf(object), { signal });
        if (!gone.ok) return gone;
      }
      return ok(notYet(`still there: ${left.map((o) => wordKey(keyOf(o))).join(", ")}`));
    },
    { what: `waiting for every ${kind} to go`, deadline, signal, progress, everyMs },
  );
}
