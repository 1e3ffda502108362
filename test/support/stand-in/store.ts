// Objects of a stand-in cluster: paths as in Kubernetes, versions, three kinds of patch. What a real API server does that
// nothing here relies on (managed fields of others, admission, validation) is left out.

export interface StoredObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    uid: string;
    resourceVersion: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    deletionTimestamp?: string;
    ownerReferences?: { kind: string; name: string; controller?: boolean }[];
    [field: string]: unknown;
  };
  [field: string]: unknown;
}
export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const plurals: Readonly<Record<string, { readonly apiVersion: string; readonly kind: string; readonly namespaced: boolean }>> = {
  "api/v1/configmaps": { apiVersion: "v1", kind: "ConfigMap", namespaced: true },
  "api/v1/events": { apiVersion: "v1", kind: "Event", namespaced: true },
  "api/v1/namespaces": { apiVersion: "v1", kind: "Namespace", namespaced: false },
  "api/v1/nodes": { apiVersion: "v1", kind: "Node", namespaced: false },
  "api/v1/persistentvolumeclaims": { apiVersion: "v1", kind: "PersistentVolumeClaim", namespaced: true },
  "api/v1/pods": { apiVersion: "v1", kind: "Pod", namespaced: true },
  "api/v1/secrets": { apiVersion: "v1", kind: "Secret", namespaced: true },
  "api/v1/serviceaccounts": { apiVersion: "v1", kind: "ServiceAccount", namespaced: true },
  "api/v1/services": { apiVersion: "v1", kind: "Service", namespaced: true },
  "apis/apps/v1/daemonsets": { apiVersion: "apps/v1", kind: "DaemonSet", namespaced: true },
  "apis/apps/v1/deployments": { apiVersion: "apps/v1", kind: "Deployment", namespaced: true },
  "apis/coordination.k8s.io/v1/leases": { apiVersion: "coordination.k8s.io/v1", kind: "Lease", namespaced: true },
  "apis/policy/v1/poddisruptionbudgets": { apiVersion: "policy/v1", kind: "PodDisruptionBudget", namespaced: true },
  "apis/rbac.authorization.k8s.io/v1/clusterroles": { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", namespaced: false },
  "apis/rbac.authorization.k8s.io/v1/clusterrolebindings": {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    namespaced: false,
  },
  "apis/rbac.authorization.k8s.io/v1/roles": { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", namespaced: true },
  "apis/rbac.authorization.k8s.io/v1/rolebindings": { apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", namespaced: true },
  // Not in the client's table: found by discovery.
  "apis/example.org/v1/widgets": { apiVersion: "example.org/v1", kind: "Widget", namespaced: true },
};

export interface Target {
  readonly collection: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

export function parsePath(path: string): Target | undefined {
  const match = /^\/(api\/v1|apis\/[^/]+\/[^/]+)(?:\/namespaces\/([^/]+)(?=\/[^/]))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(path);
  const [, group, namespace, plural, name, subresource] = match ?? [];
  const known = plurals[`${group}/${plural}`];
  if (!known) return undefined;
  const optional = {
    ...(namespace ? { namespace } : {}),
    ...(name ? { name: decodeURIComponent(name) } : {}),
    ...(subresource ? { subresource } : {}),
  };
  return { collection: `${group}/${plural}`, apiVersion: known.apiVersion, kind: known.kind, ...optional };
}

export function discovery(path: string): unknown {
  const group = path.replace(/^\//, "");
  const resources = Object.entries(plurals)
    .filter(([key]) => key.startsWith(`${group}/`))
    .map(([key, r]) => ({ name: key.slice(group.length + 1), kind: r.kind, namespaced: r.namespaced }));
  return resources.length ? { kind: "APIResourceList", groupVersion: group.replace(/^apis?\//, ""), resources } : undefined;
}

export const refusal = (status: number, reason: string, message: string, headers?: Record<string, string>): Reply => ({
  status,
  body: { kind: "Status", apiVersion: "v1", status: "Failure", reason, message, code: status },
  ...(headers ? { headers } : {}),
});

type Data = Record<string, unknown>;
const isData = (value: unknown): value is Data => value !== null && typeof value === "object" && !Array.isArray(value);

/** RFC 7396. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isData(patch)) return patch;
  const result: Data = isData(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}

/** Server-side apply of one manager: sets what is applied, removes what this manager applied before and no more. */
export function applyPatch(live: unknown, before: unknown, wanted: unknown): unknown {
  if (!isData(wanted)) return wanted;
  const result: Data = isData(live) ? { ...live } : {};
  for (const key of Object.keys(isData(before) ? before : {})) if (!(key in wanted)) delete result[key];
  for (const [key, value] of Object.entries(wanted)) result[key] = applyPatch(result[key], isData(before) ? before[key] : undefined, value);
  return result;
}

export class Store {
  readonly objects = new Map<string, StoredObject>();
  private readonly applied = new Map<string, unknown>();
  private version = 0;

  key(target: Target): string {
    return [target.collection, target.namespace ?? "", target.name].join("|");
  }
  list(collection: string, namespace?: string): StoredObject[] {
    return [...this.objects]
      .filter(([key]) => key.startsWith(`${collection}|`) && (namespace === undefined || key.split("|")[1] === namespace))
      .map(([, object]) => object);
  }
  get(target: Target): StoredObject | undefined {
    return this.objects.get(this.key(target));
  }
  put(target: Target, body: unknown): StoredObject {
    const old = this.get(target);
    const { metadata = {}, ...rest } = body as { metadata?: Data };
    const object = {
      ...rest,
      apiVersion: target.apiVersion,
      kind: target.kind,
      metadata: {
        creationTimestamp: new Date().toISOString(),
        ...metadata,
        name: target.name,
        ...(target.namespace ? { namespace: target.namespace } : {}),
        uid: old?.metadata.uid ?? `uid-${++this.version}`,
        resourceVersion: String(++this.version),
      },
    } as unknown as StoredObject;
    this.objects.set(this.key(target), object);
    return object;
  }
  /** All that is there now, for `back`. */
  snapshot(): ReadonlyMap<string, StoredObject> {
    return structuredClone(this.objects);
  }
  /** What came later is gone, what was deleted is there again; versions go on. */
  back(snapshot: ReadonlyMap<string, StoredObject>): void {
    this.objects.clear();
    this.applied.clear();
    for (const [key, object] of structuredClone(snapshot)) this.objects.set(key, object);
    this.version += 1_000_000_000;
  }
  remove(target: Target): boolean {
    this.applied.delete(this.key(target));
    return this.objects.delete(this.key(target));
  }

  create(target: Target, body: unknown): Reply {
    const name = (body as StoredObject).metadata?.name;
    const at = { ...target, name };
    if (this.get(at)) return refusal(409, "AlreadyExists", `${target.kind} "${name}" already exists`);
    return { status: 201, body: this.put(at, body) };
  }
  write(target: Target, method: "PUT" | "apply" | "merge", body: unknown): Reply {
    const old = this.get(target);
    const { uid, resourceVersion } = (body as { metadata?: { uid?: string; resourceVersion?: string } }).metadata ?? {};
    if (!old && (method !== "apply" || uid !== undefined)) {
      return uid === undefined
        ? refusal(404, "NotFound", `${target.kind} "${target.name}" not found`)
        : refusal(409, "Conflict", "uid mismatch");
    }
    if (resourceVersion !== undefined && resourceVersion !== old?.metadata.resourceVersion) {
      return refusal(409, "Conflict", `the object has been modified: ${target.kind} "${target.name}"`);
    }
    if (method === "PUT") return { status: 200, body: this.put(target, body) };
    if (method === "merge") return { status: 200, body: this.put(target, mergePatch(old, body)) };
    const key = this.key(target);
    const next = this.put(target, applyPatch(old, this.applied.get(key), body));
    this.applied.set(key, body);
    return { status: old ? 200 : 201, body: next };
  }
}
