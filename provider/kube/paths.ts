// Where an object lives in the API. The kinds that every cluster needs are a table, so that a hand-over costs no
// discovery; whatever else a manifest brings is asked from the API once per group and version.
import type { ObjectKey } from "./object.js";

export interface ResourceKind {
  readonly plural: string;
  readonly namespaced: boolean;
}

const known: Readonly<Record<string, ResourceKind>> = {
  "v1/ConfigMap": { plural: "configmaps", namespaced: true },
  "v1/Event": { plural: "events", namespaced: true },
  "v1/Namespace": { plural: "namespaces", namespaced: false },
  "v1/Node": { plural: "nodes", namespaced: false },
  "v1/PersistentVolume": { plural: "persistentvolumes", namespaced: false },
  "v1/PersistentVolumeClaim": { plural: "persistentvolumeclaims", namespaced: true },
  "v1/Pod": { plural: "pods", namespaced: true },
  "v1/Secret": { plural: "secrets", namespaced: true },
  "v1/Service": { plural: "services", namespaced: true },
  "v1/ServiceAccount": { plural: "serviceaccounts", namespaced: true },
  "apps/v1/DaemonSet": { plural: "daemonsets", namespaced: true },
  "apps/v1/Deployment": { plural: "deployments", namespaced: true },
  "apps/v1/StatefulSet": { plural: "statefulsets", namespaced: true },
  "certificates.k8s.io/v1/CertificateSigningRequest": { plural: "certificatesigningrequests", namespaced: false },
  "coordination.k8s.io/v1/Lease": { plural: "leases", namespaced: true },
  "networking.k8s.io/v1/NetworkPolicy": { plural: "networkpolicies", namespaced: true },
  "policy/v1/PodDisruptionBudget": { plural: "poddisruptionbudgets", namespaced: true },
  "rbac.authorization.k8s.io/v1/ClusterRole": { plural: "clusterroles", namespaced: false },
  "rbac.authorization.k8s.io/v1/ClusterRoleBinding": { plural: "clusterrolebindings", namespaced: false },
  "rbac.authorization.k8s.io/v1/Role": { plural: "roles", namespaced: true },
  "rbac.authorization.k8s.io/v1/RoleBinding": { plural: "rolebindings", namespaced: true },
};

export const knownKind = (apiVersion: string, kind: string): ResourceKind | undefined => known[`${apiVersion}/${kind}`];

/** "/api/v1" for the core group, "/apis/apps/v1" for the others. */
export const groupPath = (apiVersion: string): string => (apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`);

export function collectionPath(kind: ResourceKind, apiVersion: string, namespace: string | undefined): string {
  const scope = kind.namespaced && namespace ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${groupPath(apiVersion)}${scope}/${kind.plural}`;
}

export const objectPath = (kind: ResourceKind, key: ObjectKey): string =>
  `${collectionPath(kind, key.apiVersion, key.namespace ?? (kind.namespaced ? "default" : undefined))}/${encodeURIComponent(key.name)}`;

/** The kind in an answer of the discovery API (APIResourceList); undefined when the API does not serve it. */
export function kindIn(resources: unknown, kind: string): ResourceKind | undefined {
  const list = (resources as { resources?: readonly { name?: string; kind?: string; namespaced?: boolean }[] } | null)?.resources ?? [];
  // Subresources are listed with a slash in their name.
  const found = list.find((r) => r.kind === kind && r.name !== undefined && !r.name.includes("/"));
  return found?.name === undefined ? undefined : { plural: found.name, namespaced: found.namespaced === true };
}
