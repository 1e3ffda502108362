// A rotation of the authorities as the barrier sees it: handed to the machines, and waited for until each has said that it is
// where the rotation is.
import type { KubeClient } from "../../kube/client.js";
import type { RotationParts } from "../../kube/core-manifests/rotation.js";
import { readFacts } from "../../kube/facts.js";
import { type Outcome, ok } from "../../kube/outcome.js";
import { done, notYet, poll } from "../../kube/poll.js";
import { trustLag } from "../../rollout/trust.js";
import type { ConvergeOptions } from "./converge.js";
import type { BarrierInput } from "./schema.js";

/**
 * Without a set no rotation was ever asked for. Only machines of the configuration are waited for: the Node of one that was
 * replaced goes after the barrier.
 * `silent`: who is not waited for either. In an apply that is not about the rotation an agent that is off is a warning only.
 */
export async function everybodyTrusts(
  client: KubeClient,
  input: BarrierInput,
  options: ConvergeOptions,
  silent: readonly string[] = [],
): Promise<Outcome<void>> {
  if (input.rotation === null) return ok(undefined);
  const { number, state } = JSON.parse(input.rotation) as RotationParts;
  const expected = new Set([...Object.keys(input.members), ...input.workers.map((worker) => worker.nodeName)]);
  for (const name of silent) expected.delete(name);
  const { deadline, signal, log: progress, everyMs = 1_000 } = options;
  return poll(
    async () => {
      const facts = await readFacts(client, signal);
      if (!facts.ok) return facts;
      const nodes = Object.fromEntries(Object.entries(facts.value.nodes).filter(([name]) => expected.has(name)));
      const behind = trustLag(nodes, { number, state });
      return ok(behind.length === 0 ? done(undefined) : notYet(behind.join("; ")));
    },
    { what: `waiting for "${state}" of rotation ${number} on every node`, deadline, signal, progress, everyMs },
  );
}
