// A drain that cannot end, because a PodDisruptionBudget allows no eviction. Pure.
import { drainBlocked } from "../../kube/event.js";
import { drainingAnnotation, isUnschedulable } from "../../kube/node-status.js";
import type { KubeObject } from "../../kube/object.js";
import type { Evidence, Finding } from "./evidence.js";

interface Budget {
  readonly spec?: {
    readonly minAvailable?: number | string;
    readonly maxUnavailable?: number | string;
    readonly selector?: Selector;
  };
  readonly status?: { readonly disruptionsAllowed?: number; readonly currentHealthy?: number; readonly desiredHealthy?: number };
}
interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] }[];
}

const freshMs = 60 * 60_000;

export function ofBudgets(evidence: Evidence): readonly Finding[] {
  if (evidence.refused !== null) return [];
  return [...held(evidence), ...told(evidence)];
}

function held({ nodes, pods, budgets }: Evidence): readonly Finding[] {
  const blocking = (budgets as readonly (KubeObject & Budget)[]).filter((b) => b.status?.disruptionsAllowed === 0);
  return nodes.filter(isUnschedulable).flatMap((node) => {
    const name = node.metadata.name;
    const kept = pods
      .filter((pod) => (pod.spec as { nodeName?: string } | undefined)?.nodeName === name && !stays(pod))
      .flatMap((pod) => {
        const budget = blocking.find((b) => b.metadata.namespace === pod.metadata.namespace && matches(b.spec?.selector, pod));
        return budget ? [{ pod, budget }] : [];
      });
    if (kept.length === 0) return [];
    const draining = node.metadata.annotations?.[drainingAnnotation] !== undefined;
    return [
      {
        cause: "pdb" as const,
        sureness: draining ? ("certain" as const) : ("likely" as const),
        text: `${name} ${draining ? "is being emptied" : "is cordoned"}, and a PodDisruptionBudget keeps pods on it.`,
        evidence: kept.slice(0, 5).map(({ pod, budget }) => `${pod.metadata.namespace}/${pod.metadata.name} is kept by ${worded(budget)}`),
        fix: [advice],
      },
    ];
  });
}

const advice =
  "Give the application one replica more, or let the budget's owner allow one (maxUnavailable: 1). The drain goes on by itself; after its time limit the node is back in service, and the next apply tries again.";

const worded = ({ metadata, spec, status }: KubeObject & Budget): string => {
  const rule = spec?.maxUnavailable === undefined ? `minAvailable ${spec?.minAvailable ?? "?"}` : `maxUnavailable ${spec.maxUnavailable}`;
  return `PodDisruptionBudget ${metadata.name} (${rule}; ${status?.currentHealthy ?? "?"} healthy, ${status?.desiredHealthy ?? "?"} needed, 0 may go)`;
};

/** Given up meanwhile: the node is in service again, and only the event knows. */
function told({ events, now, nodes }: Evidence): readonly Finding[] {
  const found = (
    events as readonly (KubeObject & { reason?: string; message?: string; lastTimestamp?: string; involvedObject?: { name?: string } })[]
  ).filter(
    (e) =>
      e.reason === drainBlocked &&
      now - (Date.parse(e.lastTimestamp ?? "") || 0) < freshMs &&
      nodes.some((n) => n.metadata.name === e.involvedObject?.name),
  );
  return found.slice(0, 3).map((e) => ({
    cause: "pdb",
    sureness: "likely",
    text: `The drain of ${e.involvedObject?.name} was held up within the last hour.`,
    evidence: [(e.message ?? "").slice(0, 300)],
    fix: [advice],
  }));
}

function stays({ metadata, status }: KubeObject): boolean {
  const phase = (status as { phase?: string } | undefined)?.phase;
  return (metadata.ownerReferences ?? []).some((owner) => owner.kind === "DaemonSet") || phase === "Succeeded" || phase === "Failed";
}

/** As Kubernetes reads a selector; an empty one chooses all pods of the namespace. */
export function matches(selector: Selector | undefined, { metadata }: KubeObject): boolean {
  if (!selector) return false;
  const labels = metadata.labels ?? {};
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
    (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
      const value = labels[key];
      switch (operator) {
        case "In":
          return value !== undefined && values.includes(value);
        case "NotIn":
          return value === undefined || !values.includes(value);
        case "Exists":
          return value !== undefined;
        case "DoesNotExist":
          return value === undefined;
        default:
          return false;
      }
    })
  );
}
