// Which versions really run, from the pods of kube-system. Pure, but for the list.
import type { KubeClient } from "../../kube/client.js";
import { factsLimitMs } from "../../kube/facts.js";
import type { KubeObject } from "../../kube/object.js";

export interface RunningVersions {
  /** By node. */
  readonly apiServers: Readonly<Record<string, string>>;
  readonly proxies: Readonly<Record<string, string>>;
}

interface Pod {
  readonly spec?: { readonly nodeName?: string; readonly containers?: readonly { readonly name: string; readonly image?: string }[] };
  readonly status?: { readonly phase?: string };
}

const versionOf = (image: string | undefined): string | undefined => /:v?(\d+\.\d+\.\d+[^@:/]*)(@|$)/.exec(image ?? "")?.[1];

export function runningVersions(pods: readonly KubeObject[]): RunningVersions {
  const of = (container: string): Readonly<Record<string, string>> =>
    Object.fromEntries(
      (pods as readonly (KubeObject & Pod)[]).flatMap(({ spec, status, metadata }) => {
        const version = versionOf(spec?.containers?.find((c) => c.name === container)?.image);
        const runs = status?.phase === "Running" && metadata.deletionTimestamp === undefined;
        return version !== undefined && spec?.nodeName !== undefined && runs ? [[spec.nodeName, version]] : [];
      }),
    );
  return { apiServers: of("kube-apiserver"), proxies: of("kube-proxy") };
}

/** What cannot be listed is unknown, and no reason to say nothing of the rest. */
export async function readVersions(client: KubeClient, signal: AbortSignal): Promise<RunningVersions> {
  const call = { signal, timeoutMs: factsLimitMs, namespace: "kube-system" };
  const lists = await Promise.all(
    ["component=kube-apiserver", "k8s-app=kube-proxy"].map((labelSelector) => client.list("v1", "Pod", { ...call, labelSelector })),
  );
  return runningVersions(lists.flatMap((list) => (list.ok ? list.value : [])));
}
