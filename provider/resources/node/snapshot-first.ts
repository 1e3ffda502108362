// Before the first control plane moves to another Kubernetes version, a snapshot of etcd: the way back from an upgrade that
// went wrong. Asked for when the gate is open and nothing of the machine has been touched.
import { type Diagnostic, error, warning } from "../../framework/diagnostic.js";
import { factsOf, readSnapshot } from "../../kube/facts.js";
import { failed, type Outcome, ok, timedOut, wordFailure } from "../../kube/outcome.js";
import { done, notYet, poll } from "../../kube/poll.js";
import { askForSnapshot, withdrawSnapshotRequest } from "../../kube/requests.js";
import type { Facts } from "../../rollout/facts.js";
import { capital } from "../cluster/words.js";
import type { Retirement } from "./retire.js";
import type { NodeInput } from "./schema.js";

/** Clusters that go without one in this run. An environment variable, because Delete sees no configuration. */
export const noSnapshotVariable = "HONEST_PAAS_NO_SNAPSHOT";
/** An etcd of 2 GiB is saved and read again in about a minute. */
const oneTryMs = 5 * 60_000;

/** This machine is the first of the control planes that goes to that version. */
export function isFirstStep(node: NodeInput, version: string | null, { nodes, etcd }: Facts): boolean {
  const running = nodes[node.nodeName]?.version ?? null;
  if (node.role !== "control-plane" || version === null || running === null || running === version) return false;
  const others = [...new Set([...Object.keys(etcd), ...node.members])].filter((name) => name !== node.nodeName);
  return !others.some((name) => nodes[name]?.version === version);
}

/** Who can take one: the others first, since this one's machine goes next. */
export function takers(node: NodeInput, { nodes, etcd }: Facts): readonly string[] {
  return Object.keys(etcd)
    .filter((name) => etcd[name] === "answers" && nodes[name]?.agentFresh === true && nodes[name]?.snapshots !== undefined)
    .sort((a, b) => Number(a === node.nodeName) - Number(b === node.nodeName) || (a < b ? -1 : 1));
}

/** Warnings when it was skipped on purpose; a failure says why there is none. Nothing when it is no first step. */
export async function snapshotFirst(going: Retirement, version: string | null): Promise<Outcome<readonly Diagnostic[]>> {
  const { client, node, signal } = going;
  if (version === null || node.role !== "control-plane") return ok([]);
  const read = await readSnapshot(client, signal);
  if (!read.ok) return read;
  const facts = factsOf(read.value);
  if (!isFirstStep(node, version, facts)) return ok([]);
  if (isWaived(node.cluster)) return ok([waived(node, version)]);
  const able = takers(node, facts);
  if (able.length === 0) return timedOut(`no control plane of ${node.cluster} has an agent that answers and takes snapshots`);
  const problems: string[] = [];
  for (const name of able) {
    const taken = await takenBy(going, name);
    if (taken.ok && taken.value === null) return ok([]);
    if (!taken.ok && taken.failure.kind !== "timeout") return taken;
    problems.push(`${name}: ${taken.ok ? taken.value : wordFailure(taken.failure)}`);
  }
  return timedOut(problems.join("; "));
}

/** null = taken and read again; else why not, in the agent's words. */
async function takenBy(going: Retirement, name: string): Promise<Outcome<string | null>> {
  const { client, signal, log } = going;
  const at = new Date().toISOString();
  const asked = await askForSnapshot(client, name, at, { signal });
  if (!asked.ok) return asked;
  const answer = await poll(
    async () => {
      const read = await readSnapshot(client, signal);
      if (!read.ok) return read;
      const said = factsOf(read.value).nodes[name]?.snapshots?.asked;
      return ok(said?.at === at ? done(said.problem) : notYet(`${name} takes a snapshot of etcd before the upgrade`));
    },
    { what: `waiting for a snapshot by ${name}`, deadline: Math.min(going.deadline, Date.now() + oneTryMs), signal, progress: log },
  );
  // what nobody waits for need not be done
  const withdrawn = await withdrawSnapshotRequest(client, { signal });
  return answer.ok && !withdrawn.ok ? failed(withdrawn.failure) : answer;
}

export const isWaived = (cluster: string): boolean =>
  (process.env[noSnapshotVariable] ?? "")
    .split(",")
    .map((part) => part.trim())
    .includes(cluster);

const waived = (node: NodeInput, version: string): Diagnostic =>
  warning(
    `No snapshot was taken before the upgrade of cluster ${node.cluster}`,
    `${noSnapshotVariable} names it. ${node.nodeName} goes to ${version} all the same; what there is to restore is as old as the last snapshot (honest-paas snapshot list).`,
  );

/** `back`: whether the node is back in service, a sentence. */
export const noSnapshot = (node: NodeInput, why: string, back: string): Diagnostic =>
  error(
    `No snapshot could be taken before the upgrade of cluster ${node.cluster}`,
    `${capital(why).replace(/\.$/, "")}. ${back} An upgrade is not begun without a way back: ` +
      `mend what is named (honest-paas status; journalctl -u honest-agent on that machine; an agent of an older kit takes none: apply once without the new version) and apply again. ` +
      `To go without one in this one run: ${noSnapshotVariable}=${node.cluster} in the environment.`,
  );
