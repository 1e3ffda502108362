// What is wrong, one sentence of cause for each. Pure.
import type { NodeFacts } from "../../rollout/facts.js";
import { snapshotConcerns } from "../../rollout/snapshots.js";
import type { ClusterState } from "./from-state.js";
import type { CertificateReport, MemberReport, NodeReport, StatusReport } from "./report.js";
import { ago, short, span } from "./words.js";

export interface Problem {
  /** "problem": exit code 2. "note": worth knowing, nothing is wrong. */
  readonly severity: "problem" | "note";
  readonly text: string;
}

type Found = Omit<StatusReport, "verdict" | "problems">;

/** A replacement takes a minute, on slow clouds a few. */
const longLeaseSec = 15 * 60;
const longBootMs = 10 * 60_000;
const dayMs = 86_400_000;

const seeDoctor = "honest-paas doctor looks at the way to it and at the machines, and names the likely cause.";

const problem = (text: string): Problem => ({ severity: "problem", text });
const note = (text: string): Problem => ({ severity: "note", text });

export function judge(found: Found, state: ClusterState, now: number, nodes: Readonly<Record<string, NodeFacts>> = {}): readonly Problem[] {
  const certificates = found.certificates.flatMap((certificate) => ofCertificate(certificate, now));
  if (found.api_error !== null) return [problem(capital(found.api_error)), ...certificates, ...ofPending(found), note(seeDoctor)];
  return [
    ...ofHandOver(found),
    ...ofEtcd(found, now),
    ...found.nodes.flatMap((node) => ofNode(node, now)),
    ...ofMissing(found, state),
    ...ofLease(found),
    ...certificates,
    ...ofVersions(found),
    ...ofHealth(found),
    ...snapshotConcerns(nodes, now).map((line) => problem(`Snapshots: ${line}.`)),
    ...ofPending(found),
  ];
}

const capital = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1);
const since = (at: string | null, now: number): string => (at === null ? "" : ` since ${at.slice(11, 19)}Z (${ago(at, now)})`);

function ofHandOver({ complete, torn_down }: Found): readonly Problem[] {
  if (torn_down) return [problem("The cluster is being torn down: a destroy has begun. Run terraform destroy again, or apply to keep it.")];
  return complete ? [] : [problem("The cluster has not been handed over: run terraform apply.")];
}

function ofEtcd({ members, nodes }: Found, now: number): readonly Problem[] {
  const voters = members.filter(({ state }) => state !== "absent");
  if (voters.length === 0) return [problem("No control plane has reported on etcd within the last minute.")];
  const answering = members.filter(({ state }) => state === "answers").length;
  const quorum = Math.floor(voters.length / 2) + 1;
  const edge = answering > 1 && answering === quorum && answering < voters.length;
  return [
    ...members.flatMap((member) => ofMember(member, nodes, now)),
    ...(edge ? [problem(`${answering} of ${voters.length} etcd members answer: with one more lost, the cluster takes no changes.`)] : []),
  ];
}

function ofMember({ name, state, reported_at }: MemberReport, nodes: readonly NodeReport[], now: number): readonly Problem[] {
  const alive = nodes.some((node) => node.name === name && node.agent_fresh);
  switch (state) {
    case "answers":
      return [];
    case "learner":
      return [problem(`etcd member ${name} is a learner: it has joined and has no vote yet.`)];
    case "absent":
      return [problem(`${name} is no member of etcd${alive ? "; its machine runs, so it should ask in by itself" : ""}.`)];
    case "disputed":
      return [problem(`etcd member ${name} did not answer the newest witness and an older one says that it does: look again in a minute.`)];
    case "dead":
      return [
        problem(
          alive
            ? `etcd member ${name} does not answer, and its machine runs: look at etcd there (journalctl -u honest-etcd).`
            : `etcd member ${name} does not answer${since(reported_at, now)}, and its machine has not been heard of since: terraform apply mends a machine that is gone or off.`,
        ),
      ];
    default:
      return state satisfies never;
  }
}

function ofNode(node: NodeReport, now: number): readonly Problem[] {
  const { name, ready, reason, agent_fresh, agent_at, ready_since, unschedulable, draining, release, state_release } = node;
  return [
    ...(ready
      ? []
      : [problem(`Node ${name} is not Ready${since(ready_since, now)}: ${reason.replace(/[.:]$/, "") || "the kubelet says no reason"}.`)]),
    ...(agent_fresh
      ? []
      : [
          problem(
            agent_at === null ? `The agent on ${name} has never reported.` : `The agent on ${name} is silent${since(agent_at, now)}.`,
          ),
        ]),
    ...ofStage(node, now),
    ...(unschedulable ? [note(draining ? `Node ${name} is being emptied.` : `Node ${name} is cordoned.`)] : []),
    ...(state_release !== null && release !== null && release !== state_release
      ? [
          problem(
            `${name} runs release ${short(release)} and the state has ${short(state_release)}: an apply was cut or is under way; apply again.`,
          ),
        ]
      : []),
  ];
}

/** A failed stage carries its reason behind a colon. */
function ofStage({ name, stage, booted_at }: NodeReport, now: number): readonly Problem[] {
  if (stage === null || stage === "ready") return [];
  const late = booted_at !== null && now - Date.parse(booted_at) > longBootMs;
  if (stage.includes(": ")) return [problem(`The boot of ${name} failed at stage ${stage}.`)];
  return late
    ? [problem(`The boot of ${name} stands at stage ${stage} for ${ago(booted_at, now)}.`)]
    : [note(`${name} is booting: stage ${stage}.`)];
}

function ofMissing({ nodes }: Found, { memberships }: ClusterState): readonly Problem[] {
  return memberships.flatMap(({ nodeName, tainted }) => [
    ...(nodes.some((node) => node.name === nodeName)
      ? []
      : [problem(`Node ${nodeName} is in the state and not in the cluster: terraform apply mends it.`)]),
    ...(tainted ? [problem(`The membership of ${nodeName} is tainted: its last create did not come to an end; apply again.`)] : []),
  ]);
}

function ofLease({ lease }: Found): readonly Problem[] {
  if (lease === null) return [];
  const text = `${lease.holder} is being replaced or taken out for ${span(lease.age_sec * 1000)}${lease.drained ? ", and is drained" : ""}`;
  return [lease.age_sec > longLeaseSec ? problem(`${text}: an apply was cut; apply again.`) : note(`${text}.`)];
}

function ofCertificate({ name, not_before, not_after, trusted, source }: CertificateReport, now: number): readonly Problem[] {
  const what = `The certificate of ${source === "state" ? "the " : ""}${name}`;
  const wrong = trusted ? [] : [problem(`${what} is not signed by the cluster's CA: another cluster or a proxy answers.`)];
  const left = Date.parse(not_after) - now;
  if (left <= 0) return [...wrong, problem(`${what} ended at ${not_after}.`)];
  // a tenth of its life, but no more than a season for an authority and a month for what is renewed
  const life = Date.parse(not_after) - Date.parse(not_before);
  const soon = Math.min(life / 10, (source === "state" ? 90 : 30) * dayMs);
  return left < soon ? [...wrong, problem(`${what} ends at ${not_after}, in ${span(left)}.`)] : wrong;
}

/** During an upgrade they differ for a while; which way they may differ is the pace's matter. */
function ofVersions({ nodes }: Found): readonly Problem[] {
  const apiServers = [...new Set(nodes.flatMap(({ api_server }) => api_server ?? []))].sort();
  return apiServers.length > 1 ? [note(`API servers of ${apiServers.length} versions serve: ${apiServers.join(", ")}.`)] : [];
}

const ofHealth = ({ health }: Found): readonly Problem[] =>
  health.flatMap(({ node, problems, healed }) => [
    ...problems.map((what) => problem(`${node}: ${ended(what)}`)),
    ...healed.map((what) => note(`The agent on ${node} has mended: ${ended(what)}`)),
  ]);

const ended = (sentence: string): string => (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`);

function ofPending({ pending, window }: Found): readonly Problem[] {
  if (pending.length === 0) return [];
  const who = pending.length === 1 ? `${pending[0]?.name} waits` : `${pending.length} machines wait`;
  const closed =
    window && !window.open ? `; the maintenance window opens ${window.opens === null ? "within no week" : `at ${window.opens}`}` : "";
  return [note(`${who} for a new release: honest-paas converge goes on${closed}.`)];
}
