// Rights of people, nodes and agents. kubeadm's cluster-wide phases never run, so what they would grant stands here, except
// its group-wide approvals: a client certificate is approved by an agent, for one granted name.
import { addressesKey, bootstrapGroup } from "../grants.js";
import { type KubeObject, systemNamespace } from "../object.js";
import { managedLabels, rbac, rbacGroup } from "./parts.js";
import { policyConfigMap } from "./policy.js";
import { trustConfigMap } from "./rotation.js";

export const agentGroup = "honest-paas:agents";

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}
export type Subject =
  | { readonly kind: "Group" | "User"; readonly name: string }
  | { readonly kind: "ServiceAccount"; readonly name: string };

const meta = (name: string, namespace?: string) => ({ name, labels: managedLabels, ...(namespace === undefined ? {} : { namespace }) });
const subjectOf = (s: Subject) =>
  s.kind !== "ServiceAccount"
    ? { kind: s.kind, name: s.name, apiGroup: rbacGroup }
    : { kind: s.kind, name: s.name, namespace: systemNamespace };

export const clusterRole = (name: string, rules: readonly Rule[]): KubeObject => ({
  apiVersion: rbac,
  kind: "ClusterRole",
  metadata: meta(name),
  rules,
});
export const clusterRoleBinding = (name: string, role: string, subject: Subject): KubeObject => ({
  apiVersion: rbac,
  kind: "ClusterRoleBinding",
  metadata: meta(name),
  roleRef: { apiGroup: rbacGroup, kind: "ClusterRole", name: role },
  subjects: [subjectOf(subject)],
});
const role = (name: string, rules: readonly Rule[]): KubeObject => ({
  apiVersion: rbac,
  kind: "Role",
  metadata: meta(name, systemNamespace),
  rules,
});
const roleBinding = (name: string, roleName: string, subject: Subject): KubeObject => ({
  apiVersion: rbac,
  kind: "RoleBinding",
  metadata: meta(name, systemNamespace),
  roleRef: { apiGroup: rbacGroup, kind: "Role", name: roleName },
  subjects: [subjectOf(subject)],
});

/** Certificates that agents may approve; which ones they do approve is the agent's judgement over the grants. */
const signers = ["kubernetes.io/kube-apiserver-client-kubelet", "kubernetes.io/kubelet-serving"];

export function rbacObjects(): readonly KubeObject[] {
  const agents: Subject = { kind: "Group", name: agentGroup };
  const nodes: Subject = { kind: "Group", name: "system:nodes" };
  return [
    // The identity in admin.conf: without this binding the file on a control plane has no rights.
    clusterRoleBinding("kubeadm:cluster-admins", "cluster-admin", { kind: "Group", name: "kubeadm:cluster-admins" }),
    // The API server towards kubelets: logs, exec, port-forward.
    clusterRoleBinding("kubeadm:apiserver-kubelet-client", "system:kubelet-api-admin", {
      kind: "User",
      name: "kube-apiserver-kubelet-client",
    }),
    // A granted machine may ask for a certificate. Nothing approves the whole group.
    clusterRoleBinding("honest-paas:node-bootstrapper", "system:node-bootstrapper", { kind: "Group", name: bootstrapGroup }),

    clusterRole("honest-paas:agent", [
      { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch", "patch"] },
      { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
      { apiGroups: ["certificates.k8s.io"], resources: ["certificatesigningrequests"], verbs: ["get", "list", "watch"] },
      { apiGroups: ["certificates.k8s.io"], resources: ["certificatesigningrequests/approval"], verbs: ["update", "patch"] },
      { apiGroups: ["certificates.k8s.io"], resources: ["signers"], resourceNames: signers, verbs: ["approve"] },
    ]),
    clusterRoleBinding("honest-paas:agent", "honest-paas:agent", agents),
    role("honest-paas:agent", [
      // Grants are Secrets whose names are not known beforehand: agents of control planes may read this namespace's.
      { apiGroups: [""], resources: ["secrets"], verbs: ["get", "list", "watch", "delete"] },
      { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch"] },
      { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "list", "watch", "create", "update", "patch"] },
    ]),
    roleBinding("honest-paas:agent", "honest-paas:agent", agents),

    // Every node fetches the agent with its own credentials, learns what is wanted of it, and looks whether it is still a
    // member when its Node is gone. (The node authorizer lets it patch its own Node.)
    role("honest-paas:agent-archive", [
      {
        apiGroups: [""],
        resources: ["configmaps"],
        resourceNames: ["honest-paas-agent", addressesKey.name, policyConfigMap, trustConfigMap],
        verbs: ["get"],
      },
    ]),
    roleBinding("honest-paas:agent-archive", "honest-paas:agent-archive", nodes),
    roleBinding("honest-paas:agent-archive-control-planes", "honest-paas:agent-archive", agents),
  ];
}
