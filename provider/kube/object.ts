// Kubernetes objects as this folder handles them: plain data, and the few fields that code reads are typed where they are read.

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly ownerReferences?: readonly { readonly kind: string; readonly name: string; readonly controller?: boolean }[];
}

export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** Names an object. */
export interface ObjectKey {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

export const keyOf = (object: KubeObject): ObjectKey => ({
  apiVersion: object.apiVersion,
  kind: object.kind,
  name: object.metadata.name,
  ...(object.metadata.namespace === undefined ? {} : { namespace: object.metadata.namespace }),
});

export const wordKey = (key: ObjectKey): string => `${key.kind} ${key.namespace ? `${key.namespace}/` : ""}${key.name}`;

export const systemNamespace = "kube-system";
export const fieldManager = "honest-paas";
export const prefix = "honest-paas.dev/";

export const configMap = (name: string, namespace = systemNamespace): ObjectKey => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name,
  namespace,
});
export const secret = (name: string, namespace = systemNamespace): ObjectKey => ({ apiVersion: "v1", kind: "Secret", name, namespace });
export const node = (name: string): ObjectKey => ({ apiVersion: "v1", kind: "Node", name });
