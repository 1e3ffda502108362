// kube-proxy, nftables mode, of the control plane's version.
import { createHash } from "node:crypto";
import { type KubeObject, systemNamespace } from "../object.js";
import { type CoreInput, managedLabels, serviceAccountKubeconfig } from "./parts.js";
import { clusterRoleBinding } from "./rbac.js";

export function kubeProxy(input: CoreInput): readonly KubeObject[] {
  const name = "kube-proxy";
  const labels = { "k8s-app": name };
  const data = {
    "config.conf": `${JSON.stringify(
      {
        apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
        kind: "KubeProxyConfiguration",
        mode: "nftables",
        clusterCIDR: input.podCidr,
        clientConnection: { kubeconfig: "/var/lib/kube-proxy/kubeconfig.conf" },
        // The conntrack table belongs to the machine's host where machines are containers: leave its size alone.
        conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
      },
      null,
      2,
    )}\n`,
    "kubeconfig.conf": serviceAccountKubeconfig(input),
  };
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace: systemNamespace, labels: managedLabels } },
    clusterRoleBinding("kubeadm:node-proxier", "system:node-proxier", { kind: "ServiceAccount", name }),
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: systemNamespace, labels: { ...managedLabels, ...labels } }, data },
    {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name, namespace: systemNamespace, labels: { ...managedLabels, ...labels } },
      spec: {
        selector: { matchLabels: labels },
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1 } },
        template: {
          // The process reads its configuration once: a change has to make new pods.
          metadata: { labels, annotations: { "honest-paas.dev/config": digest(data) } },
          spec: {
            serviceAccountName: name,
            priorityClassName: "system-node-critical",
            hostNetwork: true,
            nodeSelector: { "kubernetes.io/os": "linux" },
            tolerations: [{ operator: "Exists" }],
            containers: [
              {
                name,
                image: `registry.k8s.io/kube-proxy:v${input.version}`,
                imagePullPolicy: "IfNotPresent",
                command: ["/usr/local/bin/kube-proxy", "--config=/var/lib/kube-proxy/config.conf", "--hostname-override=$(NODE_NAME)"],
                env: [{ name: "NODE_NAME", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "spec.nodeName" } } }],
                securityContext: { privileged: true },
                resources: { requests: { cpu: "20m", memory: "32Mi" } },
                volumeMounts: [
                  { name: "config", mountPath: "/var/lib/kube-proxy" },
                  { name: "xtables-lock", mountPath: "/run/xtables.lock" },
                  { name: "lib-modules", mountPath: "/lib/modules", readOnly: true },
                ],
              },
            ],
            volumes: [
              { name: "config", configMap: { name } },
              { name: "xtables-lock", hostPath: { path: "/run/xtables.lock", type: "FileOrCreate" } },
              { name: "lib-modules", hostPath: { path: "/lib/modules", type: "" } },
            ],
          },
        },
      },
    },
  ];
}

export const digest = (data: unknown): string => createHash("sha256").update(JSON.stringify(data)).digest("hex").slice(0, 12);
