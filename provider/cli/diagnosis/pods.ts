// What pods and their controllers say: images, mirror, pod network, the cluster's DNS. Pure.
import type { KubeObject } from "../../kube/object.js";
import { appliedAnew, type Evidence, type Finding, networkFix } from "./evidence.js";

interface Waiting {
  readonly reason?: string;
  readonly message?: string;
}
interface Pod {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly initContainerStatuses?: readonly { readonly image?: string; readonly state?: { readonly waiting?: Waiting } }[];
    readonly containerStatuses?: readonly { readonly image?: string; readonly state?: { readonly waiting?: Waiting } }[];
  };
}
interface Event {
  readonly reason?: string;
  readonly message?: string;
  readonly involvedObject?: { readonly kind?: string; readonly namespace?: string; readonly name?: string };
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
}
interface Workload {
  readonly spec?: { readonly replicas?: number };
  readonly status?: {
    readonly availableReplicas?: number;
    readonly desiredNumberScheduled?: number;
    readonly numberAvailable?: number;
  };
}

const pulling = /^(ErrImagePull|ImagePullBackOff|InvalidImageName|ErrImageNeverPull|RegistryUnavailable|ImageInspectError)$/;
/** Words of a way that does not lead to the registry, and no word of the registry itself. */
const noWay =
  /connection refused|no such host|i\/o timeout|network is unreachable|no route to host|TLS handshake timeout|context deadline exceeded|dial tcp|x509:/i;
const sandbox = /network|cni|ipam|interface/i;
const freshMs = 30 * 60_000;

const one = (text: string): string => text.replace(/\s+/g, " ").trim().slice(0, 300);
const named = ({ metadata }: KubeObject): string => `${metadata.namespace ?? "default"}/${metadata.name}`;
const at = (event: Event): number => Date.parse(event.lastTimestamp ?? event.eventTime ?? "") || 0;

export function ofPods(evidence: Evidence): readonly Finding[] {
  if (evidence.refused !== null) return [];
  const images = ofImages(evidence);
  const network = ofNetwork(evidence, images.length > 0);
  const blocked = evidence.nodes.length > 0 && (network.length > 0 || evidence.nodes.every(withoutNetwork));
  return [...images, ...network, ...ofDns(evidence, blocked, images.length > 0), ...ofEviction(evidence)];
}

const withoutNetwork = (node: KubeObject): boolean =>
  ((node.status as { conditions?: readonly { type: string; status: string; message?: string }[] } | undefined)?.conditions ?? []).some(
    (c) => c.type === "Ready" && c.status === "False" && /cni|NetworkReady=false/i.test(c.message ?? ""),
  );

/** The newest warnings about a pod that is still there. */
const eventsOf = (pod: KubeObject, { events, now }: Evidence): readonly Event[] =>
  (events as readonly (KubeObject & Event)[])
    .filter(
      (e) =>
        e.involvedObject?.name === pod.metadata.name && (e.involvedObject.namespace ?? "default") === (pod.metadata.namespace ?? "default"),
    )
    .filter((e) => now - at(e) < freshMs)
    .sort((a, b) => at(b) - at(a));

function ofImages(evidence: Evidence): readonly Finding[] {
  const { mirrors } = evidence;
  const failing = (evidence.pods as readonly (KubeObject & Pod)[]).flatMap((pod) => {
    const containers = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
    const waits = containers.find((c) => pulling.test(c.state?.waiting?.reason ?? ""));
    if (!waits) return [];
    const said = [
      waits.state?.waiting?.message ?? "",
      ...eventsOf(pod, evidence)
        .filter((e) => e.reason === "Failed")
        .map((e) => e.message ?? ""),
    ];
    // "Back-off pulling image" alone does not say why
    const why = said.find((words) => /failed to|error/i.test(words)) ?? said.find(Boolean) ?? waits.state?.waiting?.reason ?? "";
    return [{ pod: named(pod), node: pod.spec?.nodeName ?? "no node", image: waits.image ?? "", why: one(why) }];
  });
  const byMirror = failing.filter(
    ({ why }) =>
      mirrors.length > 0 &&
      (mirrors.some((host) => why.includes(host)) ? !/not found|manifest unknown/i.test(why) || noWay.test(why) : noWay.test(why)),
  );
  const others = failing.filter((f) => !byMirror.includes(f));
  const lines = (all: typeof failing): readonly string[] => all.slice(0, 5).map(({ pod, node, why }) => `${pod} on ${node}: ${why}`);
  const unreachable = others.filter(({ why }) => noWay.test(why));
  return [
    ...(byMirror.length === 0
      ? []
      : [
          {
            cause: "mirror" as const,
            sureness: byMirror.some(({ why }) => mirrors.some((host) => why.includes(host))) ? ("certain" as const) : ("likely" as const),
            text: `Images cannot be had from the mirror ${mirrors.join(", ")}.`,
            evidence: lines(byMirror),
            fix: [
              "Start the mirror, or see that nodes reach it; the kubelet tries again by itself.",
              "honest-paas mirror verify says whether its files are whole.",
            ],
          },
        ]),
    ...(others.length === 0
      ? []
      : [
          {
            cause: "image-pull" as const,
            sureness: "certain" as const,
            text: unreachable.length > 0 ? "Nodes do not reach the registry of an image." : "An image cannot be pulled.",
            evidence: lines(others),
            fix:
              unreachable.length > 0
                ? ["See that nodes reach the registry (route, firewall, DNS of the machines), or set mirror.images to one that they reach."]
                : ["Correct the image's name or tag, or give the pod imagePullSecrets."],
          },
        ]),
  ];
}

function ofNetwork(evidence: Evidence, imagesFail: boolean): readonly Finding[] {
  const { workloads, cni } = evidence;
  const fix = [networkFix];
  const stuck = (evidence.pods as readonly (KubeObject & Pod)[]).flatMap((pod) => {
    const event =
      pod.status?.phase === "Pending" &&
      eventsOf(pod, evidence).find((e) => e.reason === "FailedCreatePodSandBox" && sandbox.test(e.message ?? ""));
    return event ? [`${named(pod)} on ${pod.spec?.nodeName ?? "no node"}: ${one(event.message ?? "")}`] : [];
  });
  const daemon = (workloads as readonly (KubeObject & Workload)[] | null)?.find(
    (w) => w.kind === "DaemonSet" && w.metadata.name === "kube-router",
  );
  const missing = cni === "kube-router" && workloads !== null && daemon === undefined;
  const behind = (daemon?.status?.desiredNumberScheduled ?? 0) - (daemon?.status?.numberAvailable ?? 0);
  return [
    ...(stuck.length === 0
      ? []
      : [{ cause: "cni" as const, sureness: "certain" as const, text: "Pods get no network.", evidence: stuck.slice(0, 5), fix }]),
    ...(missing
      ? [
          {
            cause: "cni" as const,
            sureness: "certain" as const,
            text: "The DaemonSet kube-router is gone: new nodes get no pod network, and routes are no longer kept.",
            evidence: [],
            fix,
          },
        ]
      : []),
    ...(behind > 0
      ? [
          {
            cause: "cni" as const,
            // its image may be the reason, which says so itself
            sureness: imagesFail ? ("possible" as const) : ("likely" as const),
            text: `kube-router does not run on ${behind} of ${daemon?.status?.desiredNumberScheduled} nodes.`,
            evidence: [],
            fix,
          },
        ]
      : []),
  ];
}

function ofDns({ workloads }: Evidence, networkFails: boolean, imagesFail: boolean): readonly Finding[] {
  if (workloads === null) return [];
  const dns = (workloads as readonly (KubeObject & Workload)[]).find((w) => w.kind === "Deployment" && w.metadata.name === "coredns");
  const available = dns?.status?.availableReplicas ?? 0;
  if (dns && available > 0) return [];
  const wanted = dns?.spec?.replicas ?? 1;
  const byHand = dns === undefined || wanted === 0;
  return [
    {
      cause: "dns",
      sureness: byHand ? "certain" : networkFails || imagesFail ? "possible" : "likely",
      text:
        dns === undefined
          ? "The Deployment coredns is gone: no name of a Service resolves."
          : `No CoreDNS pod serves (${available} of ${wanted} wanted): no name of a Service resolves.`,
      evidence: [],
      fix: byHand
        ? [dns === undefined ? appliedAnew : "kubectl -n kube-system scale deployment coredns --replicas=2"]
        : ["kubectl -n kube-system get pods -l k8s-app=kube-dns; kubectl -n kube-system logs -l k8s-app=kube-dns."],
    },
  ];
}

const ofEviction = ({ pods }: Evidence): readonly Finding[] => {
  const evicted = (pods as readonly (KubeObject & Pod)[]).filter(
    (p) => p.status?.reason === "Evicted" && /ephemeral-storage|inodes|imagefs|nodefs/i.test(p.status.message ?? ""),
  );
  if (evicted.length === 0) return [];
  return [
    {
      cause: "disk",
      sureness: "likely",
      text: "Pods were evicted because a node's disk was full.",
      evidence: evicted.slice(0, 5).map((p) => `${named(p)} on ${p.spec?.nodeName ?? "no node"}: ${one(p.status?.message ?? "")}`),
      fix: ["See what fills the disk of that node, or raise disk_size; then delete the evicted pods."],
    },
  ];
};
