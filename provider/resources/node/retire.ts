// The last step before a control plane's machine goes: leadership moved, API server and etcd stopped in order, the disk
// unmounted. Its own agent does it; of a dead machine that leaves for good, the agents of the others take the member out.
import { type Diagnostic, warning } from "../../framework/diagnostic.js";
import type { KubeClient } from "../../kube/client.js";
import { factsOf, memberIdOf, readSnapshot } from "../../kube/facts.js";
import { type Outcome, ok, stopped } from "../../kube/outcome.js";
import { done, notYet, poll, sleep } from "../../kube/poll.js";
import { askAgents, retiredAnswer } from "../../kube/requests.js";
import type { VoterState } from "../../rollout/facts.js";
import type { NodeInput } from "./schema.js";

/** A machine that does not answer is not waited for any longer: the disk is detached from it all the same. */
export const retireMs = 60_000;
export const leaveMs = 5 * 60_000;
/** A person has given it up: then it is asked for, but not waited for long. */
const lostMs = 60_000;
/** From the end of the only API server to a stopped etcd and an unmounted disk, which nobody can report. */
const aloneMs = 6_000;

export interface Retirement {
  readonly client: KubeClient;
  readonly node: NodeInput;
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
}

const now = (): string => new Date().toISOString();

/** Of a machine that will be replaced. Never fails for an agent that is silent; the warnings say what was not done. */
export async function retire(going: Retirement): Promise<Outcome<readonly Diagnostic[]>> {
  const { client, node, signal } = going;
  const snapshot = await readSnapshot(client, signal);
  if (!snapshot.ok) return snapshot;
  const at = now();
  const memberId = memberIdOf(snapshot.value, node.nodeName);
  const asked = await askAgents(client, node.nodeName, { do: "retire", machineId: node.vmId, memberId, at }, { signal });
  if (!asked.ok) return asked;
  const others = Object.entries(factsOf(snapshot.value).etcd).filter(([name, state]) => name !== node.nodeName && state === "answers");
  return answered(going, at, others.length === 0);
}

/** Waits for the agent's word. `alone`: the API goes with this machine, so its silence is the only word there is. */
async function answered(going: Retirement, at: string, alone: boolean): Promise<Outcome<readonly Diagnostic[]>> {
  const { client, node, signal, log } = going;
  const waited = await poll(
    async () => {
      const snapshot = await readSnapshot(client, signal);
      if (!snapshot.ok) return alone && snapshot.failure.kind === "unreachable" ? ok(done<readonly string[] | null>(null)) : snapshot;
      const answer = retiredAnswer(snapshot.value.nodes.find((one) => one.metadata.name === node.nodeName));
      return ok(
        answer?.at === at ? done<readonly string[] | null>(answer.problems) : notYet(`${node.nodeName} is taking itself out of service`),
      );
    },
    {
      what: `waiting until ${node.nodeName} is out of service`,
      deadline: Math.min(going.deadline, Date.now() + retireMs),
      signal,
      progress: log,
    },
  );
  if (!waited.ok) return waited.failure.kind === "timeout" ? ok([notRetired(node)]) : waited;
  if (waited.value === null) await sleep(aloneMs, signal);
  if (signal.aborted) return stopped(`waiting until ${node.nodeName} is out of service`);
  return ok(waited.value === null || waited.value.length === 0 ? [] : [retiredBadly(node, waited.value)]);
}

/**
 * Out of etcd for good. A living machine's agent leaves and retires; a dead machine's member is taken out by another
 * agent, when a majority of the rest answers. That it is only off and not gone does not matter: it was asked to leave for
 * good, and a member that was removed can do nothing alone.
 */
export async function leaveEtcd(going: Retirement, alive: boolean, lost: boolean): Promise<Outcome<readonly Diagnostic[]>> {
  const { client, node, signal, log } = going;
  const at = now();
  let asked: string | null | undefined;
  const left = await poll(
    async () => {
      const snapshot = await readSnapshot(client, signal);
      if (!snapshot.ok) return snapshot;
      const { etcd } = factsOf(snapshot.value);
      const state = etcd[node.nodeName];
      // Silence is no proof.
      if (state === undefined) return ok(Object.keys(etcd).length > 0 ? done(undefined) : notYet("no control plane reports on etcd"));
      const memberId = memberIdOf(snapshot.value, node.nodeName);
      if (memberId !== asked) {
        const request = await askAgents(client, node.nodeName, { do: "leave", machineId: node.vmId, memberId, at }, { signal });
        if (!request.ok) return request;
        asked = memberId;
      }
      return ok(notYet(wordLeaving(node.nodeName, etcd)));
    },
    {
      what: `waiting until ${node.nodeName} has left etcd`,
      deadline: Math.min(going.deadline, Date.now() + (lost ? lostMs : leaveMs)),
      signal,
      progress: log,
    },
  );
  if (!left.ok) return lost && left.failure.kind === "timeout" ? ok([stillMember(node)]) : left;
  // Of one that was dead or never a member nobody can answer.
  return alive && asked !== undefined ? answered(going, at, false) : ok([]);
}

export function wordLeaving(name: string, etcd: Readonly<Record<string, VoterState>>): string {
  if (etcd[name] === "answers") return `${name} is leaving etcd`;
  const rest = Object.entries(etcd).filter(([other, state]) => other !== name && state !== "learner");
  const answering = rest.filter(([, state]) => state === "answers").length;
  const need = Math.floor(rest.length / 2) + 1;
  if (answering < need)
    return `${name} is dead and stays a member of etcd: only ${answering} of the ${rest.length} others answer, ${need} must`;
  return `${name} is dead; the other control planes take its member out of etcd`;
}

const notRetired = (node: NodeInput): Diagnostic =>
  warning(
    `${node.nodeName} did not go out of service in order`,
    `Its agent has not answered within ${retireMs / 1000} s, so the machine goes as it is: its etcd is cut off, and its disk may still be mounted when it is detached.`,
  );

const retiredBadly = (node: NodeInput, problems: readonly string[]): Diagnostic =>
  warning(`${node.nodeName} did not go out of service in order`, `Its agent says: ${problems.join("; ")}. The machine goes all the same.`);

const stillMember = (node: NodeInput): Diagnostic =>
  warning(
    `${node.nodeName} is still a member of etcd`,
    `It was given up by a person, and no agent has taken it out of etcd within ${lostMs / 1000} s. Until somebody does (etcdctl member remove on a control plane), it counts for the quorum.`,
  );
