// kube-router: pod network by routes (IPIP between subnets, or everywhere) and network policies. Services are kube-proxy's.
import { type KubeObject, systemNamespace } from "../object.js";
import { digest } from "./kube-proxy.js";
import { type CoreInput, managedLabels, serviceAccountKubeconfig } from "./parts.js";
import { clusterRole, clusterRoleBinding } from "./rbac.js";

const confFile = "/etc/cni/net.d/10-kuberouter.conflist";

export function kubeRouter(input: CoreInput): readonly KubeObject[] {
  const name = "kube-router";
  const labels = { "k8s-app": name };
  const data = {
    "cni-conf.json": `${JSON.stringify(
      {
        cniVersion: "0.3.0",
        name: "honest",
        plugins: [
          // kube-router fills in the node's range.
          {
            type: "bridge",
            name: "kubernetes",
            bridge: "kube-bridge",
            isDefaultGateway: true,
            hairpinMode: true,
            ipam: { type: "host-local" },
          },
          { type: "portmap", capabilities: { portMappings: true, snat: true } },
        ],
      },
      null,
      2,
    )}\n`,
    kubeconfig: serviceAccountKubeconfig(input),
  };
  const image = `docker.io/cloudnativelabs/kube-router:v${input.kubeRouter}`;
  const read = ["get", "list", "watch"];
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace: systemNamespace, labels: managedLabels } },
    clusterRole("honest-paas:kube-router", [
      { apiGroups: [""], resources: ["namespaces", "pods", "services", "nodes", "endpoints"], verbs: read },
      { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: read },
      { apiGroups: ["networking.k8s.io"], resources: ["networkpolicies"], verbs: read },
      { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "create", "update"] },
      { apiGroups: [""], resources: ["services/status"], verbs: ["update"] },
    ]),
    clusterRoleBinding("honest-paas:kube-router", "honest-paas:kube-router", { kind: "ServiceAccount", name }),
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: systemNamespace, labels: { ...managedLabels, ...labels } }, data },
    {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name, namespace: systemNamespace, labels: { ...managedLabels, ...labels } },
      spec: {
        selector: { matchLabels: labels },
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1 } },
        template: {
          metadata: { labels, annotations: { "honest-paas.dev/config": digest(data) } },
          spec: {
            serviceAccountName: name,
            priorityClassName: "system-node-critical",
            hostNetwork: true,
            nodeSelector: { "kubernetes.io/os": "linux" },
            tolerations: [{ operator: "Exists" }],
            initContainers: [
              {
                name: "cni-configuration",
                image,
                imagePullPolicy: "IfNotPresent",
                // Only when missing: kube-router keeps the node's range in the file.
                command: [
                  "/bin/sh",
                  "-c",
                  `[ -f ${confFile} ] || { cp /config/cni-conf.json ${confFile}.new && mv ${confFile}.new ${confFile}; }`,
                ],
                volumeMounts: [
                  { name: "cni", mountPath: "/etc/cni/net.d" },
                  { name: "config", mountPath: "/config" },
                ],
              },
            ],
            containers: [
              {
                name,
                image,
                imagePullPolicy: "IfNotPresent",
                command: ["/usr/local/bin/kube-router"],
                args: [
                  "--run-router=true",
                  "--run-firewall=true",
                  "--run-service-proxy=false",
                  "--run-loadbalancer=false",
                  "--bgp-graceful-restart=true",
                  "--enable-overlay=true",
                  // "full": between all nodes, and for what a pod sends to another machine's own address
                  `--overlay-type=${input.podTraffic === "tunnelled" ? "full" : "subnet"}`,
                  `--service-cluster-ip-range=${input.serviceCidr}`,
                  "--kubeconfig=/config/kubeconfig",
                  "--health-port=20244",
                ],
                env: [
                  { name: "NODE_NAME", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "spec.nodeName" } } },
                  { name: "POD_NAME", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } },
                  { name: "KUBE_ROUTER_CNI_CONF_FILE", value: confFile },
                ],
                securityContext: { privileged: true },
                resources: { requests: { cpu: "50m", memory: "64Mi" } },
                livenessProbe: {
                  httpGet: { path: "/healthz", port: 20244, host: "127.0.0.1" },
                  initialDelaySeconds: 20,
                  periodSeconds: 10,
                  failureThreshold: 6,
                },
                volumeMounts: [
                  { name: "cni", mountPath: "/etc/cni/net.d" },
                  { name: "config", mountPath: "/config" },
                  { name: "lib-modules", mountPath: "/lib/modules", readOnly: true },
                  { name: "xtables-lock", mountPath: "/run/xtables.lock" },
                ],
              },
            ],
            volumes: [
              { name: "cni", hostPath: { path: "/etc/cni/net.d", type: "DirectoryOrCreate" } },
              { name: "config", configMap: { name } },
              { name: "lib-modules", hostPath: { path: "/lib/modules", type: "" } },
              { name: "xtables-lock", hostPath: { path: "/run/xtables.lock", type: "FileOrCreate" } },
            ],
          },
        },
      },
    },
  ];
}
