// A healthy three-member cluster as it is read, for the tests of status; changed by each of them.
import { X509Certificate } from "node:crypto";
import type { ClusterState, WantedMachine } from "../../../../../provider/cli/status/from-state.js";
import { reportOf, type StatusReport } from "../../../../../provider/cli/status/report.js";
import type { RunningVersions } from "../../../../../provider/cli/status/running.js";
import type { Snapshot } from "../../../../../provider/kube/facts.js";
import type { KubeObject } from "../../../../../provider/kube/object.js";
import { issueCertificate } from "../../../../../provider/pki/certificate.js";
import { kubeNode, type NodeLook } from "../../../../support/kube-node.js";

export const now = Date.parse("2026-06-01T12:00:00Z");
export const second = 1_000;
export const day = 86_400_000;
const names = ["demo-cp-a", "demo-cp-b", "demo-cp-c"];

export const authority = (from: number, to: number) =>
  issueCertificate({ subject: { commonName: "ca" }, notBefore: new Date(from), notAfter: new Date(to) });
const ca = authority(now - day, now + 3650 * day);
export const leaf = (from: number, to: number, issuer = ca) =>
  new X509Certificate(
    issueCertificate({ subject: { commonName: "kube-apiserver" }, notBefore: new Date(from), notAfter: new Date(to), issuer }).cert,
  );

export interface Look {
  readonly nodes?: Readonly<Record<string, NodeLook | null>>;
  /** Members that do not answer, as every other sees them. */
  readonly dead?: readonly string[];
  readonly learner?: string;
  readonly leader?: string;
  readonly voters?: readonly string[];
  readonly lease?: { readonly holder: string; readonly ageSec: number; readonly drained?: boolean };
  readonly marker?: Readonly<Record<string, string>> | null;
  readonly state?: Partial<ClusterState>;
  readonly served?: readonly X509Certificate[];
  readonly unreachable?: string;
  readonly running?: RunningVersions;
}

export const machine = (name: string, over: Partial<WantedMachine> = {}): WantedMachine => ({
  name,
  pool: "cp",
  role: "control-plane",
  release: "r1a2b3c4d5e6",
  wanted: "r1a2b3c4d5e6",
  pending: false,
  ...over,
});

export function report(look: Look = {}): StatusReport {
  const dead = new Set(look.dead ?? []);
  const members = (look.voters ?? names).map((name) => ({
    name,
    answers: !dead.has(name),
    learner: name === look.learner,
    leader: name === look.leader,
  }));
  const nodes = Object.fromEntries(
    names.map((name) => {
      const over = look.nodes?.[name];
      const alive: NodeLook = {
        agentAt: now - 5 * second,
        bootedAt: now - 3 * 3_600_000,
        readySince: now - 8 * second,
        machineId: `i-${name}`,
        release: "r1a2b3c4d5e6",
      };
      const etcd = { at: now - 5 * second, members };
      const labels = { "node-role.kubernetes.io/control-plane": "", "honest-paas.dev/pool": "cp" };
      return [name, over === null ? null : kubeNode(name, { ...alive, etcd, labels, ...over })];
    }),
  );
  const object = (kind: string, more: object): KubeObject => ({ apiVersion: "v1", kind, metadata: { name: "x" }, ...more });
  const { lease, marker = { complete: "true" } } = look;
  const snapshot: Snapshot = {
    nodes: Object.values(nodes).filter((node) => node !== null),
    lease: lease && {
      ...object("Lease", { spec: { holderIdentity: lease.holder, acquireTime: new Date(now - lease.ageSec * second).toISOString() } }),
      metadata: { name: "x", annotations: { "honest-paas.dev/drained": String(lease.drained === true) } },
    },
    marker: marker === null ? undefined : object("ConfigMap", { data: marker }),
    at: now,
  };
  const state: ClusterState = {
    version: "1.36.3",
    uid: "uid-1",
    machines: names.map((name) => machine(name)),
    memberships: names.map((nodeName) => ({
      nodeName,
      role: "control-plane",
      pool: "cp",
      release: "r1a2b3c4d5e6",
      machineId: `i-${nodeName}`,
      tainted: false,
    })),
    window: null,
    authorities: { "cluster CA": ca.cert },
    ...look.state,
  };
  return reportOf({
    cluster: "demo",
    endpoint: "https://127.0.0.1:26443",
    state,
    snapshot: look.unreachable ?? snapshot,
    running: look.running ?? { apiServers: {}, proxies: {} },
    served: look.served ?? [leaf(now - day, now + 364 * day)],
    now,
  });
}
