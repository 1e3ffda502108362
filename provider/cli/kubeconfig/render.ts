// The kubeconfig as data, and putting it into one that exists.
import type { ClusterAccess } from "./access.js";

export interface ExecEntry {
  readonly command: string;
  readonly args: readonly string[];
}
export interface KeyEntry {
  readonly cert: string;
  readonly key: string;
}

interface Named {
  readonly name: string;
}
export interface Kubeconfig {
  readonly apiVersion: "v1";
  readonly kind: "Config";
  readonly clusters: readonly Named[];
  readonly users: readonly Named[];
  readonly contexts: readonly Named[];
  readonly "current-context": string;
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

export function renderKubeconfig(access: ClusterAccess, user: string, entry: ExecEntry | KeyEntry): Kubeconfig {
  const name = access.cluster;
  const userName = `${user}@${name}`;
  const credentials =
    "command" in entry
      ? {
          exec: {
            apiVersion: "client.authentication.k8s.io/v1",
            command: entry.command,
            args: entry.args,
            interactiveMode: "Never",
            provideClusterInfo: false,
          },
        }
      : { "client-certificate-data": base64(entry.cert), "client-key-data": base64(entry.key) };
  const checked = access.serverName === null ? {} : { "tls-server-name": access.serverName };
  const cluster = { server: access.endpoint, ...checked, "certificate-authority-data": base64(access.caBundle) };
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster } as Named],
    users: [{ name: userName, user: credentials } as Named],
    contexts: [{ name, context: { cluster: name, user: userName } } as Named],
    "current-context": name,
  };
}

const mergedList = (old: unknown, added: readonly Named[]): readonly unknown[] => {
  const names = new Set(added.map((item) => item.name));
  const kept = Array.isArray(old) ? old.filter((item: Partial<Named> | null) => !names.has(item?.name ?? "")) : [];
  return [...kept, ...added];
};

/** Entries of the same names are replaced, everything else stays as it is; the new context becomes the current one. */
export function mergeKubeconfig(existing: Readonly<Record<string, unknown>>, added: Kubeconfig): Readonly<Record<string, unknown>> {
  return {
    ...existing,
    apiVersion: "v1",
    kind: "Config",
    clusters: mergedList(existing.clusters, added.clusters),
    users: mergedList(existing.users, added.users),
    contexts: mergedList(existing.contexts, added.contexts),
    "current-context": added["current-context"],
  };
}
