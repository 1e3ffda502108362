// A healthy cluster of three as the doctor sees it, changed by each test; and parts that fail.
import type { Evidence, MachineEvidence, Reach } from "../../../../../provider/cli/diagnosis/evidence.js";
import type { KubeObject } from "../../../../../provider/kube/object.js";
import { kubeNode, type NodeLook } from "../../../../support/kube-node.js";

export const now = Date.parse("2026-06-01T12:00:00Z");
export const second = 1_000;
export const hour = 3_600 * second;
export const iso = (ms: number): string => new Date(ms).toISOString();

export const tls = (over: Partial<Extract<Reach, { kind: "tls" }>> = {}): Reach => ({
  kind: "tls",
  problem: null,
  certificate: { notBefore: now - hour, notAfter: now + 100 * hour, names: "DNS:demo-api", issuer: "CN=demo" },
  status: 200,
  body: "[+]ping ok\n[+]etcd ok\nreadyz check passed",
  clock: now,
  ...over,
});
export const silent = (code = "ECONNREFUSED"): Reach => ({ kind: "silent", code, words: `connect ${code} 127.0.0.1:26443` });
export const cut: Reach = { kind: "cut", words: "the connection was closed before the handshake" };
export const unreachable = { kind: "unreachable", message: "https://127.0.0.1:26443: other side closed" } as const;

export const node = (name: string, look: NodeLook = {}): KubeObject =>
  kubeNode(name, {
    agentAt: now - 5 * second,
    labels: name.includes("-cp-") ? { "node-role.kubernetes.io/control-plane": "" } : {},
    ...look,
  });
export const machine = (name: string, over: Partial<MachineEvidence> = {}): MachineEvidence => ({
  name,
  role: name.includes("-cp-") ? "control-plane" : "worker",
  running: true,
  marker: { stage: "ready", ok: true, reason: "" },
  distress: null,
  ...over,
});
const names = ["demo-cp-a", "demo-cp-b", "demo-cp-c"];
export const machines = (over: Readonly<Record<string, Partial<MachineEvidence>>> = {}): readonly MachineEvidence[] =>
  [...names, "demo-w-1"].map((name) => machine(name, over[name]));
export const distress = (over: Readonly<Record<string, string>> = {}) => ({
  api: "does not answer since 2026-06-01T11:58:00Z (TimeoutError: timed out)",
  etcd: "active, 3 of 3 members answer",
  "disk etcd": "3%",
  "disk /": "40%",
  kubelet: "active",
  containerd: "active",
  certificates: "valid",
  clock: iso(now - 30 * second),
  ...over,
});

export const workload = (kind: string, name: string, status: object, spec: object = {}): KubeObject => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name, namespace: "kube-system" },
  spec,
  status,
});
export const coredns = (available: number, replicas = 2): KubeObject =>
  workload("Deployment", "coredns", { availableReplicas: available }, { replicas });
export const kubeRouter = (available = 4): KubeObject =>
  workload("DaemonSet", "kube-router", { desiredNumberScheduled: 4, numberAvailable: available });

export const pod = (name: string, over: { readonly labels?: object; readonly node?: string; readonly status?: object } = {}): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", labels: over.labels ?? {} },
    spec: { nodeName: over.node ?? "demo-w-1" },
    status: over.status ?? { phase: "Running" },
  }) as KubeObject;
export const pulling = (name: string, message: string, reason = "ErrImagePull"): KubeObject =>
  pod(name, { status: { phase: "Pending", containerStatuses: [{ image: "nginx:none", state: { waiting: { reason, message } } }] } });
export const event = (about: string, reason: string, message: string, at = now - 10 * second, kind = "Pod"): KubeObject => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { name: `${about}.1`, namespace: "default" },
  type: "Warning",
  reason,
  message,
  involvedObject: { kind, name: about, namespace: "default" },
  lastTimestamp: iso(at),
});
export const budget = (name: string, spec: object, allowed: number): KubeObject => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name, namespace: "default" },
  spec,
  status: { disruptionsAllowed: allowed, currentHealthy: 2, desiredHealthy: 2 },
});

export const evidence = (over: Partial<Evidence> = {}): Evidence => ({
  cluster: "demo",
  endpoint: "https://127.0.0.1:26443",
  now,
  reach: tls(),
  refused: null,
  nodes: [...names, "demo-w-1"].map((name) => node(name)),
  etcd: Object.fromEntries(names.map((name) => [name, "answers" as const])),
  pods: [],
  events: [],
  budgets: [],
  workloads: [coredns(2), kubeRouter()],
  memberships: [...names, "demo-w-1"],
  controlPlanes: names,
  workers: ["demo-w"],
  cni: "kube-router",
  mirrors: [],
  authorities: { "cluster CA": now + 1000 * hour },
  machines: null,
  balancer: null,
  ...over,
});
/** The API does not answer, so nothing of Kubernetes is known. */
export const dead = (reach: Reach, over: Partial<Evidence> = {}): Evidence =>
  evidence({ reach, refused: unreachable, nodes: [], etcd: {}, workloads: null, ...over });
