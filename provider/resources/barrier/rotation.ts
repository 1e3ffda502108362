// A rotation of the authorities as the barrier sees it: handed to the machines, and waited for until each has said that it is
// where the rotation is.
import type { KubeClient } from "../../kube/client.js";
import type { RotationParts } from "../../kube/core-manifests/rotation.js";
import { readFacts } from "../../kube/facts.js";
import { type Outcome, ok } from "../../kube/outcome.js";
import { done, notYet, poll } from "../../kube/poll.js";
import { trustLag } from "../../rollout/trust.js";
import type { ConvergeOptions } from "./converge.js";

/** `set`: honest_pki.rotation_set, null = no rotation was ever set. */
export async function everybodyTrusts(client: KubeClient, set: string | null, options: ConvergeOptions): Promise<Outcome<void>> {
  if (set === null) return ok(undefined);
  const { number, state } = JSON.parse(set) as RotationParts;
  const { deadline, signal, log: progress, everyMs = 1_000 } = options;
  return poll(
    async () => {
      const facts = await readFacts(client, signal);
      if (!facts.ok) return facts;
      const behind = trustLag(facts.value.nodes, { number, state });
      return ok(behind.length === 0 ? done(undefined) : notYet(behind.join("; ")));
    },
    { what: `waiting for "${state}" of rotation ${number} on every node`, deadline, signal, progress, everyMs },
  );
}
