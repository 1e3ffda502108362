// The cluster as the demo looks at it: through its API, with the access that is in the state.
import type { KubeClient } from "../../kube/client.js";
import type { KubeObject } from "../../kube/object.js";
import { wordFailure } from "../../kube/outcome.js";
import { UserError } from "../command.js";
import { chooseCluster, clustersIn } from "../kubeconfig/access.js";
import { clientOf } from "../kubeconfig/client.js";
import { pullState } from "../terraform/state.js";
import type { Settings } from "./settings.js";
import { pressuresOf, wordNode } from "./trouble.js";

export async function openCluster(stack: string, name: string, env: Readonly<Record<string, string | undefined>>): Promise<KubeClient> {
  const access = chooseCluster(clustersIn(await pullState(stack, env)), name, stack);
  return clientOf(access);
}

interface NodeParts {
  readonly spec?: { readonly unschedulable?: boolean };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly nodeInfo?: { readonly kubeletVersion?: string };
  };
}

export interface NodeState {
  readonly name: string;
  readonly ready: boolean;
  readonly controlPlane: boolean;
  readonly version: string;
}

export function nodeState(node: KubeObject): NodeState {
  const { spec, status } = node as KubeObject & NodeParts;
  return {
    name: node.metadata.name,
    ready: spec?.unschedulable !== true && (status?.conditions ?? []).some((c) => c.type === "Ready" && c.status === "True"),
    controlPlane: node.metadata.labels?.["node-role.kubernetes.io/control-plane"] !== undefined,
    version: (status?.nodeInfo?.kubeletVersion ?? "").replace(/^v/, ""),
  };
}

export interface Wait {
  readonly what: string;
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** Asked once, when the time is over: lines that say why. */
  readonly why?: () => Promise<readonly string[]>;
}

/** Polls; the error says what was seen last, and why. */
export async function poll<T>({ what, limitMs, signal, why }: Wait, look: () => Promise<T | string>): Promise<T> {
  let last = "";
  for (const end = Date.now() + limitMs; Date.now() < end; ) {
    signal.throwIfAborted();
    const seen = await look();
    if (typeof seen !== "string") return seen;
    last = seen;
    await new Promise((wake) => setTimeout(wake, 500));
  }
  const reasons = (await why?.()) ?? [];
  throw new UserError([`${what}: not after ${limitMs / 1000} s. Last seen: ${last}`, ...reasons.map((line) => `  ${line}`)].join("\n"));
}

/** What is wrong with the nodes, a line each; an API that is silent is said so. */
export async function nodeTroubles(client: KubeClient, signal: AbortSignal): Promise<readonly string[]> {
  const listed = await client.list("v1", "Node", { signal });
  return listed.ok ? listed.value.flatMap((node) => wordNode(node) ?? []) : [wordFailure(listed.failure)];
}

/** All nodes, once they are Ready. `note` hears of those that are Ready and yet take no pods. */
export async function nodesReady(
  client: KubeClient,
  wanted: Settings,
  { limitMs, signal, note }: { readonly limitMs: number; readonly signal: AbortSignal; readonly note: (line: string) => void },
): Promise<readonly NodeState[]> {
  const count = wanted.controlPlanes + wanted.workers;
  const why = () => nodeTroubles(client, signal);
  return poll({ what: "All nodes Ready", limitMs, signal, why }, async () => {
    const listed = await client.list("v1", "Node", { signal });
    if (!listed.ok) return wordFailure(listed.failure);
    const nodes = listed.value.map(nodeState);
    const good = nodes.filter((node) => node.ready);
    if (good.length === count && nodes.length === count) {
      for (const node of listed.value) if (pressuresOf(node).length > 0) note(`warning: ${wordNode(node)}`);
      return nodes;
    }
    const others = nodes.filter((node) => !node.ready).map((node) => node.name);
    return `${good.length} of ${count} nodes are Ready${others.length ? `; not: ${others.join(", ")}` : ""}`;
  });
}
