// Looks every second at the versions that really run: each API server is asked itself, kubelets as they register, the rest
// by the images of containers that run. Every look has to keep the skew policy.
import type { Access } from "../../provider/kube/access.js";
import { connect, type KubeClient } from "../../provider/kube/client.js";
import type { KubeObject } from "../../provider/kube/object.js";
import { issueClient } from "../../provider/pki/issue.js";
import { isMixed, type Sight, skewProblems } from "./skew-policy.js";

export interface SkewReport {
  readonly looks: number;
  /** Looks in which two minors ran at once. */
  readonly mixed: number;
  /** Most seconds between two looks that were whole. */
  readonly longestBlindSec: number;
  /** With the time of the look, each kind once. */
  readonly problems: readonly string[];
  /** What changed, in order: "12:00:01 apiServers e2e-cp-a 1.36.3 → 1.37.2". */
  readonly moves: readonly string[];
  readonly last: Sight | null;
}

interface PodView {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: { readonly nodeName?: string };
  readonly status?: { readonly containerStatuses?: readonly { readonly image: string; readonly state?: { readonly running?: object } }[] };
}

export const connectTo = (access: Access): KubeClient => connect(access, { issue: issueClient });

const plain = (version: string): string => version.replace(/^v/, "");

function running(pods: readonly PodView[], is: (labels: Readonly<Record<string, string>>) => boolean): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { metadata, spec, status } of pods) {
    const container = status?.containerStatuses?.find((one) => one.state?.running !== undefined);
    const tag = /:v?(\d+\.\d+\.\d+)[^:/]*$/.exec(container?.image ?? "")?.[1];
    if (is(metadata.labels ?? {}) && spec?.nodeName && tag) found[spec.nodeName] = tag;
  }
  return found;
}

/** null = the API did not answer whole; that is the writer's matter, not this one's. */
async function look(client: KubeClient, members: Readonly<Record<string, KubeClient>>): Promise<Sight | null> {
  const call = { timeoutMs: 2_000 };
  const [nodes, pods, ...versions] = await Promise.all([
    client.list("v1", "Node", call),
    client.list("v1", "Pod", { ...call, namespace: "kube-system" }),
    ...Object.entries(members).map(async ([name, member]) => [name, await member.raw("/version", call)] as const),
  ]);
  if (!nodes.ok || !pods.ok) return null;
  const apiServers: Record<string, string> = {};
  for (const [name, answer] of versions) {
    if (answer.ok) apiServers[name] = plain((JSON.parse(answer.value) as { gitVersion: string }).gitVersion);
  }
  const controlPlanes = nodes.value
    .filter((node) => node.metadata.labels?.["node-role.kubernetes.io/control-plane"] !== undefined)
    .map((node) => node.metadata.name);
  const views = pods.value as unknown as readonly PodView[];
  return {
    apiServers,
    controlPlanes,
    kubelets: Object.fromEntries(nodes.value.map((node: KubeObject) => [node.metadata.name, kubelet(node)])),
    proxies: running(views, (labels) => labels["k8s-app"] === "kube-proxy"),
    controllerManagers: running(views, (labels) => labels.component === "kube-controller-manager"),
    schedulers: running(views, (labels) => labels.component === "kube-scheduler"),
  };
}
const kubelet = (node: KubeObject): string => plain((node.status as { nodeInfo: { kubeletVersion: string } }).nodeInfo.kubeletVersion);

/** `addresses`: control planes, name to address. */
export function watchSkew(access: Access, addresses: Readonly<Record<string, string>>, everyMs = 1_000): { stop(): Promise<SkewReport> } {
  const client = connectTo(access);
  const members = Object.fromEntries(
    Object.entries(addresses).map(([name, address]) => [name, connectTo({ ...access, endpoint: `https://${address}:6443` })]),
  );
  const problems = new Map<string, string>();
  const moves: string[] = [];
  let [looks, mixed, longestBlind, going] = [0, 0, 0, true];
  let last: Sight | null = null;
  let seenAt = Date.now();
  const note = (sight: Sight): void => {
    const at = new Date().toISOString().slice(11, 19);
    for (const problem of skewProblems(sight)) if (!problems.has(problem)) problems.set(problem, `${at} ${problem}`);
    for (const kind of ["apiServers", "kubelets", "proxies", "controllerManagers", "schedulers"] as const) {
      for (const [node, version] of Object.entries(sight[kind])) {
        const before = known[kind][node];
        if (before !== undefined && before !== version) moves.push(`${at} ${kind} ${node} ${before} → ${version}`);
        known[kind][node] = version;
      }
    }
  };
  const known: Record<Exclude<keyof Sight, "controlPlanes">, Record<string, string>> = {
    apiServers: {},
    kubelets: {},
    proxies: {},
    controllerManagers: {},
    schedulers: {},
  };
  const loop = (async () => {
    while (going) {
      const begun = Date.now();
      const sight = await look(client, members);
      if (sight !== null) {
        looks += 1;
        if (isMixed(sight)) mixed += 1;
        longestBlind = Math.max(longestBlind, Date.now() - seenAt);
        seenAt = Date.now();
        note(sight);
        last = sight;
      }
      await new Promise((wake) => setTimeout(wake, Math.max(0, everyMs - (Date.now() - begun))));
    }
  })();
  return {
    async stop() {
      going = false;
      await loop;
      longestBlind = Math.max(longestBlind, Date.now() - seenAt);
      await Promise.all([client, ...Object.values(members)].map((one) => one.close()));
      return { looks, mixed, longestBlindSec: longestBlind / 1000, problems: [...problems.values()], moves, last };
    },
  };
}
