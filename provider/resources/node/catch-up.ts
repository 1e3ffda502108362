// A machine that has just booted into a rotation of the authorities: its document may have others than are trusted by now, and
// its agent brings files and kubelet along while it serves already.
import type { KubeClient } from "../../kube/client.js";
import { trustReport } from "../../kube/node-status.js";
import { node } from "../../kube/object.js";
import { type Outcome, ok } from "../../kube/outcome.js";
import { done, notYet, type PollOptions, poll } from "../../kube/poll.js";

const patienceMs = 120_000;

/**
 * Waits until the node says that it is where the rotation is, so that the plan after the last roll finds everybody there; at
 * once where nothing ever rotated. Two minutes at most: it serves, and a plan that needs it to be there says what is missing.
 */
export async function catchUp(client: KubeClient, nodeName: string, waiting: Omit<PollOptions, "what">): Promise<Outcome<void>> {
  const waited = await poll(
    async () => {
      const found = await client.get(node(nodeName), { signal: waiting.signal });
      if (!found.ok) return found;
      const waits = (found.value && trustReport(found.value)?.waits) ?? null;
      return ok(waits === null ? done(undefined) : notYet(waits));
    },
    {
      ...waiting,
      deadline: Math.min(waiting.deadline, Date.now() + patienceMs),
      what: `waiting for ${nodeName} to follow the rotation of the authorities`,
    },
  );
  return !waited.ok && waited.failure.kind === "timeout" ? ok(undefined) : waited;
}
