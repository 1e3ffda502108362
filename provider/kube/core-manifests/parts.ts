// What the cluster-wide parts are made from. Manifests are functions from this to plain objects: same input, same objects.
export interface CoreInput {
  readonly cluster: string;
  /** "1.36.3" */
  readonly version: string;
  /** Name that every node resolves to the API. */
  readonly endpointName: string;
  readonly endpointPort: number;
  readonly podCidr: string;
  readonly serviceCidr: string;
  readonly clusterDomain: string;
  readonly cni: "kube-router" | "none";
  /** Whether packets between pods are wrapped within a subnet too. @default "routed" */
  readonly podTraffic?: "routed" | "tunnelled";
  /** Versions without a leading v. */
  readonly coredns: string;
  readonly kubeRouter: string;
  /** How long certificates live and when they are renewed; left out = agents keep to their boot documents. */
  readonly certificates?: CertificatePolicy;
  /** honest_pki.rotation_set: what machines trust and sign with; left out = what their documents say. */
  readonly rotation?: string;
  /** Snapshots of etcd; left out = agents take none by themselves. */
  readonly backup?: BackupPolicy;
  /** Left out = nothing leaves the cluster. */
  readonly backupKeys?: BackupKeys | undefined;
  /** Whether agents mend what they find broken. @default true */
  readonly selfHeal?: boolean;
  /** The agent as it is handed to nodes; left out = none is delivered. */
  readonly agent?: { readonly archive: Buffer; readonly sha256: string; readonly version: string };
}

export interface CertificatePolicy {
  readonly lifetimeSeconds: number;
  readonly renewBeforeSeconds: number;
}

/** As agents read it. Seconds; 0 = not by schedule. */
export interface BackupPolicy {
  readonly every_seconds: number;
  readonly keep: number;
  readonly drill_seconds: number;
  readonly target: {
    readonly endpoint: string;
    readonly bucket: string;
    /** Empty, or ends with a slash. */
    readonly prefix: string;
    readonly region: string;
    readonly ca: string | null;
    readonly keep: number;
  } | null;
}
export interface BackupKeys {
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly passphrase: string;
}

export const managedLabels = { "app.kubernetes.io/managed-by": "honest-paas" } as const;
export const rbac = "rbac.authorization.k8s.io/v1";
export const rbacGroup = "rbac.authorization.k8s.io";

/**
 * In-cluster credentials towards the endpoint name. Not the service address: that is what these very pods bring up, and
 * until then a packet to it may leave the machine and meet a stranger.
 */
export function serviceAccountKubeconfig(input: CoreInput): string {
  const account = "/var/run/secrets/kubernetes.io/serviceaccount";
  return `${JSON.stringify(
    {
      apiVersion: "v1",
      kind: "Config",
      clusters: [
        {
          name: "default",
          cluster: { "certificate-authority": `${account}/ca.crt`, server: `https://${input.endpointName}:${input.endpointPort}` },
        },
      ],
      users: [{ name: "default", user: { tokenFile: `${account}/token` } }],
      contexts: [{ name: "default", context: { cluster: "default", namespace: "default", user: "default" } }],
      "current-context": "default",
    },
    null,
    2,
  )}\n`;
}
