// Sets of evidence: images, mirror, DNS, pod network, budgets, machines.
import { budget, coredns, dead, event, evidence, kubeRouter, machine, machines, node, now, pod, pulling, second, tls } from "./evidence.js";
import type { Row } from "./row.js";

const draining = { spec: { unschedulable: true }, annotations: { "honest-paas.dev/draining": "g1" } };
const held = { labels: { app: "web" } };
const wait = { stage: "artefacts", ok: false, reason: "http://10.0.0.9:8080/dl.k8s.io/v1.36.3/kubelet: [Errno 111] Connection refused" };
const noCni = {
  ready: false,
  reason: "KubeletNotReady",
  message: "container runtime network not ready: NetworkReady=false cni plugin not initialized",
};

export const rows: readonly Row[] = [
  // image pull and mirror: both an image that does not come
  [
    "image pull: no such image",
    evidence({ pods: [pulling("web", 'failed to pull and unpack image "docker.io/library/nginx:none": not found')] }),
    "image-pull",
    "certain",
    /cannot be pulled/,
  ],
  [
    "image pull: no such image, of a mirror that answers",
    evidence({
      mirrors: ["10.0.0.9:8080"],
      pods: [pulling("web", "failed to resolve image: http://10.0.0.9:8080/v2/library/nginx/manifests/none: not found")],
    }),
    "image-pull",
    "certain",
    /cannot be pulled/,
  ],
  [
    "image pull: the back-off says nothing, the event does",
    evidence({
      pods: [pulling("web", "Back-off pulling image", "ImagePullBackOff")],
      events: [event("web", "Failed", 'Failed to pull image "nginx:none": failed to resolve reference: pull access denied')],
    }),
    "image-pull",
    "certain",
    /cannot be pulled/,
  ],
  [
    "image pull: no way to the registry, and no mirror",
    evidence({
      pods: [
        pulling(
          "web",
          'failed to do request: Head "https://registry-1.docker.io/v2/": dial tcp: lookup registry-1.docker.io: no such host',
        ),
      ],
    }),
    "image-pull",
    "certain",
    /do not reach the registry/,
  ],
  [
    "mirror: images, the mirror is down",
    evidence({
      mirrors: ["10.0.0.9:8080"],
      pods: [
        pulling(
          "web",
          'failed to do request: Head "http://10.0.0.9:8080/v2/nginx/manifests/1": dial tcp 10.0.0.9:8080: connect: connection refused',
        ),
      ],
    }),
    "mirror",
    "certain",
    /from the mirror 10\.0\.0\.9:8080/,
  ],
  [
    "mirror: images, nothing but the fallback is named",
    evidence({
      mirrors: ["10.0.0.9:8080"],
      pods: [pulling("web", 'failed to do request: Head "https://registry-1.docker.io/v2/": dial tcp: i/o timeout')],
    }),
    "mirror",
    "likely",
    /from the mirror/,
  ],
  [
    "mirror: a new machine fetches its programs",
    evidence({ mirrors: ["10.0.0.9:8080"], machines: [...machines(), machine("demo-w-2", { marker: wait })] }),
    "mirror",
    "certain",
    /demo-w-2 cannot fetch/,
  ],
  // DNS and CNI: both end in names that do not resolve
  [
    "DNS: the endpoint's name",
    dead({ kind: "unresolved", name: "api.demo.example", words: "getaddrinfo ENOTFOUND api.demo.example" }),
    "dns",
    "certain",
    /api\.demo\.example, has no address/,
  ],
  ["DNS: scaled to nothing", evidence({ workloads: [coredns(0, 0), kubeRouter()] }), "dns", "certain", /No CoreDNS pod serves \(0 of 0/],
  ["DNS: deleted", evidence({ workloads: [kubeRouter()] }), "dns", "certain", /Deployment coredns is gone/],
  ["DNS: its pods fall over", evidence({ workloads: [coredns(0), kubeRouter()] }), "dns", "likely", /0 of 2 wanted/],
  [
    "CNI: no pod network, so CoreDNS waits",
    evidence({ nodes: [node("demo-cp-a", noCni), node("demo-w-1", noCni)], workloads: [coredns(0), kubeRouter(0)] }),
    "cni",
    "certain",
    /has no pod network/,
  ],
  [
    "CNI: pods wait for a sandbox, CoreDNS too",
    evidence({
      workloads: [coredns(0), kubeRouter()],
      pods: [pod("web", { status: { phase: "Pending" } })],
      events: [
        event(
          "web",
          "FailedCreatePodSandBox",
          'plugin type="bridge" failed (add): failed to find plugin "bridge" in path [/opt/cni/bin]: network',
        ),
      ],
    }),
    "cni",
    "certain",
    /Pods get no network/,
  ],
  ["CNI: the DaemonSet is gone", evidence({ workloads: [coredns(2)] }), "cni", "certain", /kube-router is gone/],
  ["CNI: it does not run on a node", evidence({ workloads: [coredns(2), kubeRouter(3)] }), "cni", "likely", /on 1 of 4 nodes/],
  // budgets
  [
    "PDB: a drain waits",
    evidence({
      nodes: [node("demo-w-1", draining)],
      pods: [pod("web-1", held)],
      budgets: [budget("web", { minAvailable: 2, selector: { matchLabels: { app: "web" } } }, 0)],
    }),
    "pdb",
    "certain",
    /demo-w-1 is being emptied/,
  ],
  [
    "PDB: somebody else's cordon, a budget by expressions",
    evidence({
      nodes: [node("demo-w-1", { spec: { unschedulable: true } })],
      pods: [pod("web-1", held)],
      budgets: [budget("web", { maxUnavailable: 0, selector: { matchExpressions: [{ key: "app", operator: "In", values: ["web"] }] } }, 0)],
    }),
    "pdb",
    "likely",
    /is cordoned/,
  ],
  [
    "PDB: given up, the event tells",
    evidence({ events: [event("demo-w-1", "DrainBlocked", "default/web-1 is kept by a PodDisruptionBudget", now - 60 * second, "Node")] }),
    "pdb",
    "likely",
    /was held up/,
  ],
  ["a machine is off", evidence({ machines: machines({ "demo-w-1": { running: false } }) }), "machine", "certain", /demo-w-1 does not run/],
  [
    "nothing explains it",
    dead(tls({ status: 200 }), { machines: machines() }),
    "unknown",
    "possible",
    /nothing that was looked at says why/,
  ],
];
