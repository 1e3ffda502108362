// CoreDNS of the version that goes with the cluster's minor, at the tenth address of the service range.
import { type KubeObject, systemNamespace } from "../object.js";
import { digest } from "./kube-proxy.js";
import { type CoreInput, managedLabels } from "./parts.js";
import { clusterRole, clusterRoleBinding } from "./rbac.js";
import { serviceAddress } from "./service-address.js";

export function coredns(input: CoreInput): readonly KubeObject[] {
  const name = "coredns";
  // "kube-dns" is what kubeadm and every other tool look for.
  const labels = { "k8s-app": "kube-dns" };
  const objectLabels = { ...managedLabels, ...labels };
  const data = { Corefile: corefile(input) };
  const read = ["list", "watch"];
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace: systemNamespace, labels: managedLabels } },
    clusterRole("system:coredns", [
      { apiGroups: [""], resources: ["services", "pods", "namespaces"], verbs: read },
      { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: read },
    ]),
    clusterRoleBinding("system:coredns", "system:coredns", { kind: "ServiceAccount", name }),
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: systemNamespace, labels: objectLabels }, data },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: {
        name: "kube-dns",
        namespace: systemNamespace,
        labels: { ...objectLabels, "kubernetes.io/cluster-service": "true", "kubernetes.io/name": "CoreDNS" },
      },
      spec: {
        clusterIP: serviceAddress(input.serviceCidr, 10),
        selector: labels,
        ports: [
          { name: "dns", port: 53, targetPort: 53, protocol: "UDP" },
          { name: "dns-tcp", port: 53, targetPort: 53, protocol: "TCP" },
          { name: "metrics", port: 9153, targetPort: 9153, protocol: "TCP" },
        ],
      },
    },
    {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name, namespace: systemNamespace, labels: objectLabels },
      // An unready replica must never hold a drain back.
      spec: { maxUnavailable: 1, selector: { matchLabels: labels }, unhealthyPodEvictionPolicy: "AlwaysAllow" },
    },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, namespace: systemNamespace, labels: objectLabels },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } },
        template: {
          metadata: { labels, annotations: { "honest-paas.dev/config": digest(data) } },
          spec: podSpec(name, labels, input.coredns),
        },
      },
    },
  ];
}

const podSpec = (name: string, labels: Readonly<Record<string, string>>, version: string) => ({
  serviceAccountName: name,
  priorityClassName: "system-cluster-critical",
  // The kubelet's resolvConf, which the boot stage points at a file without addresses of this very machine.
  dnsPolicy: "Default",
  nodeSelector: { "kubernetes.io/os": "linux" },
  tolerations: [
    { key: "CriticalAddonsOnly", operator: "Exists" },
    { key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" },
  ],
  topologySpreadConstraints: ["kubernetes.io/hostname", "topology.kubernetes.io/zone"].map((topologyKey) => ({
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: "ScheduleAnyway",
    labelSelector: { matchLabels: labels },
  })),
  containers: [
    {
      name,
      image: `registry.k8s.io/coredns/coredns:v${version}`,
      imagePullPolicy: "IfNotPresent",
      args: ["-conf", "/etc/coredns/Corefile"],
      resources: { requests: { cpu: "50m", memory: "48Mi" }, limits: { memory: "170Mi" } },
      ports: [
        { name: "dns", containerPort: 53, protocol: "UDP" },
        { name: "dns-tcp", containerPort: 53, protocol: "TCP" },
        { name: "metrics", containerPort: 9153, protocol: "TCP" },
      ],
      securityContext: {
        allowPrivilegeEscalation: false,
        capabilities: { add: ["NET_BIND_SERVICE"], drop: ["ALL"] },
        readOnlyRootFilesystem: true,
      },
      livenessProbe: { httpGet: { path: "/health", port: 8080 }, initialDelaySeconds: 30, timeoutSeconds: 5, failureThreshold: 5 },
      readinessProbe: { httpGet: { path: "/ready", port: 8181 }, periodSeconds: 2 },
      volumeMounts: [{ name: "config", mountPath: "/etc/coredns", readOnly: true }],
    },
  ],
  volumes: [{ name: "config", configMap: { name, items: [{ key: "Corefile", path: "Corefile" }] } }],
});

function corefile(input: CoreInput): string {
  return `.:53 {
    errors
    health {
        lameduck 5s
    }
    ready
    kubernetes ${input.clusterDomain} in-addr.arpa ip6.arpa {
        pods insecure
        fallthrough in-addr.arpa ip6.arpa
        ttl 30
    }
    prometheus :9153
    forward . /etc/resolv.conf {
        max_concurrent 1000
    }
    cache 30
    loop
    reload
    loadbalance
}
`;
}
