// Kubernetes' version skew policy (kubernetes.io/releases/version-skew-policy) over what one look at a cluster has found.
import { parseVersion, type Version } from "../../constructs/spec/version.js";

/** Versions by node name, "1.36.3". An API server that does not answer, and a program that does not run, are left out. */
export interface Sight {
  readonly apiServers: Readonly<Record<string, string>>;
  /** Of these the kubelet speaks with its own API server only, as kubeadm sets it up for the sake of this policy. */
  readonly controlPlanes: readonly string[];
  readonly kubelets: Readonly<Record<string, string>>;
  readonly proxies: Readonly<Record<string, string>>;
  /** These two speak with the API server of their own machine. */
  readonly controllerManagers: Readonly<Record<string, string>>;
  readonly schedulers: Readonly<Record<string, string>>;
}

const supportedSkew = 3;

const parsed = (text: string): Version => {
  const version = parseVersion(text);
  if (version === null) throw new TypeError(`not a version: ${text}`);
  return version;
};
const minor = (text: string): number => parsed(text).minor;

/** Each a sentence; none when the policy holds. Patches do not count. */
export function skewProblems(sight: Sight): readonly string[] {
  const servers = Object.values(sight.apiServers).map(minor);
  if (servers.length === 0) return [];
  const [oldest, newest] = [Math.min(...servers), Math.max(...servers)];
  const problems = newest - oldest > 1 ? [`API servers are ${newest - oldest} minors apart: ${JSON.stringify(sight.apiServers)}`] : [];
  const judge = (what: string, running: Readonly<Record<string, string>>): void => {
    for (const [node, text] of Object.entries(running)) {
      if (what === "kubelet" && sight.controlPlanes.includes(node)) {
        const own = sight.apiServers[node];
        if (own !== undefined && minor(text) > minor(own)) problems.push(`kubelet ${text} on ${node} is newer than its API server ${own}`);
      } else if (minor(text) > oldest) problems.push(`${what} ${text} on ${node} is newer than an API server (minor ${oldest})`);
      if (minor(text) < newest - supportedSkew) problems.push(`${what} ${text} on ${node} is too old for an API server (minor ${newest})`);
    }
  };
  judge("kubelet", sight.kubelets);
  judge("kube-proxy", sight.proxies);
  for (const [node, text] of Object.entries(sight.proxies)) {
    const kubelet = sight.kubelets[node];
    if (kubelet !== undefined && Math.abs(minor(text) - minor(kubelet)) > supportedSkew)
      problems.push(`kube-proxy ${text} and kubelet ${kubelet} on ${node} are too far apart`);
  }
  for (const [what, running] of [
    ["kube-controller-manager", sight.controllerManagers],
    ["kube-scheduler", sight.schedulers],
  ] as const) {
    for (const [node, text] of Object.entries(running)) {
      const server = sight.apiServers[node];
      if (server === undefined) continue;
      const behind = minor(server) - minor(text);
      if (behind < 0 || behind > 1) problems.push(`${what} ${text} on ${node} beside API server ${server}`);
    }
  }
  return problems;
}

/** Whether versions of two minors run at once: a watcher that never met that has watched nothing. */
export const isMixed = ({ apiServers, kubelets, proxies }: Sight): boolean =>
  new Set([apiServers, kubelets, proxies].flatMap((running) => Object.values(running).map(minor))).size > 1;
