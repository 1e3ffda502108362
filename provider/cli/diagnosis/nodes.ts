// What Nodes say, when the API answers: members, disks, clocks, certificates, the pod network. Pure.
import { agentStatus, certificatesReport, isLockedOut, readiness } from "../../kube/node-status.js";
import type { KubeObject } from "../../kube/object.js";
import { healthReports } from "../status/agent-reports.js";
import { timeOf } from "../status/words.js";
import { type Evidence, type Finding, networkFix } from "./evidence.js";

/** Reports come every 15 s; one that is this far ahead was written by a clock that is wrong. */
const aheadMs = 60_000;
interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

export function ofNodes(evidence: Evidence): readonly Finding[] {
  if (evidence.refused !== null) return ofAuthorities(evidence);
  return [
    ...ofMembers(evidence),
    ...ofAuthorities(evidence),
    ...evidence.nodes.flatMap((node) => [
      ...ofDisk(node),
      ...ofClock(node, evidence),
      ...ofCertificates(node, evidence.now),
      ...ofNetwork(node, evidence.cni),
    ]),
    ...ofHealth(evidence.nodes),
  ];
}

function ofMembers({ etcd }: Evidence): readonly Finding[] {
  const all = Object.entries(etcd).filter(([, state]) => state !== "learner");
  const dead = all.filter(([, state]) => state === "dead").map(([name]) => name);
  if (dead.length === 0) return [];
  const quorum = Math.floor(all.length / 2) + 1;
  const answer = all.length - dead.length;
  return [
    {
      cause: "no-quorum",
      sureness: answer < quorum ? "certain" : "likely",
      text:
        answer < quorum
          ? "etcd has no quorum."
          : answer === quorum
            ? "etcd is one member away from losing its quorum."
            : "An etcd member does not answer.",
      evidence: [`${answer} of ${all.length} members answer; not: ${dead.join(", ")}`],
      fix: ["terraform apply mends machines that are gone or off; on one that runs: journalctl -u honest-etcd."],
    },
  ];
}

/** Nobody believes what an ended authority signed, the provider and its rotation included. */
const fixOfAuthority = (name: string): string =>
  name === "front-proxy CA"
    ? "Rotate the authorities: docs/guides/ca-rotation.md. Until then only aggregated APIs are refused."
    : "A rotation comes too late: it goes over the API, and nobody believes an ended authority. The kit has no way to renew one in place; what was in the cluster is in its newest snapshot: docs/guides/ca-rotation.md.";

const ofAuthorities = ({ authorities, now }: Evidence): readonly Finding[] =>
  Object.entries(authorities)
    .filter(([, end]) => end <= now)
    .map(([name, end]) => ({
      cause: "certificate",
      sureness: "certain",
      text: `The ${name} ended at ${timeOf(end)}.`,
      evidence: ["as the state has it"],
      fix: [fixOfAuthority(name)],
    }));

function ofDisk(node: KubeObject): readonly Finding[] {
  const { conditions = [] } = (node.status ?? {}) as { conditions?: readonly Condition[] };
  const stage = agentStatus(node)?.stage ?? "";
  const name = node.metadata.name;
  const words = [
    ...conditions.filter((c) => c.type === "DiskPressure" && c.status === "True").map((c) => `DiskPressure: ${c.message ?? ""}`),
    ...(/no space left/i.test(stage) ? [`boot stage ${stage}`] : []),
  ];
  if (words.length === 0) return [];
  return [
    {
      cause: "disk",
      sureness: "certain",
      text: `The disk of node ${name} is full.`,
      evidence: words.map((word) => `${name}: ${word}`),
      fix: [`Free space on ${name} (crictl rmi --prune, journalctl --vacuum-size=200M), or raise disk_size; machines roll for it.`],
    },
  ];
}

/** What agents report of themselves (docs/guides/control-plane.md). Why nothing is mended may be a person's words. */
const ofHealth = (nodes: readonly KubeObject[]): readonly Finding[] =>
  healthReports(nodes).flatMap(({ node, problems }) =>
    problems
      .filter((words) => /disk|\bspace\b|nospace|inode/i.test(words.replace(/ is not mended: .*/, "")))
      .map((words) => ({
        cause: "disk",
        sureness: "certain",
        text: `The agent of ${node} reports a disk or a store that is full.`,
        evidence: [`${node}: ${words}`],
        fix: [`See the words above; on ${node}: df -h, journalctl -u honest-etcd.`],
      })),
  );

function ofClock(node: KubeObject, { now, reach }: Evidence): readonly Finding[] {
  const at = agentStatus(node)?.at ?? null;
  // the API server's own clock where it is known: this computer's may be the wrong one
  const reference = (reach.kind === "tls" ? reach.clock : null) ?? now;
  if (at === null || at - reference < aheadMs) return [];
  const name = node.metadata.name;
  return [
    {
      cause: "clock",
      sureness: "likely",
      text: `The clock of node ${name} is ${Math.round((at - reference) / 1000)} s ahead.`,
      evidence: [`it reported at ${timeOf(at)}; it is ${timeOf(reference)}`],
      fix: [`On ${name}: chronyc tracking or timedatectl; let it reach a time server (udp/123).`],
    },
  ];
}

function ofCertificates(node: KubeObject, now: number): readonly Finding[] {
  const name = node.metadata.name;
  const report = certificatesReport(node);
  if (report === null) return [];
  const ended = Object.entries(report.ends).filter(([, end]) => end <= now);
  const words = [...ended.map(([what, end]) => `${what} ended at ${timeOf(end)}`), ...(report.problem === null ? [] : [report.problem])];
  if (words.length === 0) return [];
  const locked = isLockedOut(node, now);
  return [
    {
      cause: "certificate",
      sureness: "certain",
      text: locked
        ? `Node ${name} is locked out: its certificate ended while it was off.`
        : `Certificates of ${name} are not as they should be.`,
      evidence: words.map((word) => `${name}: ${word}`),
      fix: locked
        ? ["terraform apply lets it in again; nothing is replaced."]
        : [`On ${name}: journalctl -u honest-agent says why a renewal did not happen.`],
    },
  ];
}

function ofNetwork(node: KubeObject, cni: Evidence["cni"]): readonly Finding[] {
  const { onlyNetworkMissing, reason } = readiness(node);
  const name = node.metadata.name;
  if (!onlyNetworkMissing) return [];
  return [
    {
      cause: "cni",
      sureness: "certain",
      text: `Node ${name} has no pod network.`,
      evidence: [`${name}: ${reason}`],
      fix: [cni === "none" ? "This cluster has cni = none: install a pod network." : networkFix],
    },
  ];
}
