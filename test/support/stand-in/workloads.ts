// Pods of a stand-in cluster: deployments that keep their number, evictions that honour budgets.
import { type Reply, refusal, type Store, type StoredObject, type Target } from "./store.js";

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
}
const podTarget = (name: string): Target => ({ collection: "api/v1/pods", apiVersion: "v1", kind: "Pod", namespace: "default", name });
const matches = (object: StoredObject, selector: Selector | undefined): boolean =>
  Object.entries(selector?.matchLabels ?? {}).every(([k, v]) => object.metadata.labels?.[k] === v);

export class Workloads {
  private readonly deployments = new Map<string, number>();
  private count = 0;
  /** Milliseconds from a pod's start to Ready. */
  readyAfterMs = 0;

  constructor(private readonly store: Store) {}

  /** Keeps `replicas` pods labelled app=name on schedulable nodes. */
  deploy(name: string, replicas: number): void {
    this.deployments.set(name, replicas);
    this.tick(Date.now());
  }
  pod(name: string, nodeName: string, metadata: Record<string, unknown> = {}): void {
    this.store.put(podTarget(name), { metadata, spec: { nodeName }, status: { phase: "Running", startedAt: 0 } });
  }
  budget(name: string, app: string, minAvailable: number): void {
    const target: Target = {
      collection: "apis/policy/v1/poddisruptionbudgets",
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      namespace: "default",
      name,
    };
    this.store.put(target, { metadata: {}, spec: { minAvailable, selector: { matchLabels: { app } } } });
  }
  podsOn(nodeName: string): string[] {
    return this.all()
      .filter((p) => (p.spec as { nodeName?: string }).nodeName === nodeName)
      .map((p) => p.metadata.name);
  }

  tick(now: number): void {
    for (const deployment of this.store.list("apis/apps/v1/deployments")) {
      const { replicas = 1 } = deployment.spec as { replicas?: number };
      deployment.status = { availableReplicas: this.homes().length > 0 ? replicas : 0 };
    }
    for (const [name, replicas] of this.deployments) {
      const pods = this.all().filter((p) => p.metadata.labels?.app === name);
      const homes = this.homes();
      for (let i = pods.length; i < replicas; i++) {
        const home = homes[i % Math.max(1, homes.length)];
        if (!home) return;
        const metadata = { labels: { app: name }, ownerReferences: [{ kind: "ReplicaSet", name, controller: true }] };
        this.store.put(podTarget(`${name}-${++this.count}`), {
          metadata,
          spec: { nodeName: home.metadata.name },
          status: { phase: "Running", startedAt: now },
        });
      }
    }
  }

  evict(target: Target, body: unknown, now: number): Reply {
    const pod = this.store.get({ ...target });
    if (!pod) return refusal(404, "NotFound", `pods "${target.name}" not found`);
    const { uid } = (body as { deleteOptions?: { preconditions?: { uid?: string } } }).deleteOptions?.preconditions ?? {};
    if (uid !== undefined && uid !== pod.metadata.uid) return refusal(409, "Conflict", "the uid is another one");
    for (const budget of this.store.list("apis/policy/v1/poddisruptionbudgets", target.namespace)) {
      const { minAvailable = 0, selector } = budget.spec as { minAvailable?: number; selector?: Selector };
      if (!matches(pod, selector)) continue;
      const ready = this.all().filter(
        (p) => matches(p, selector) && now - (p.status as { startedAt: number }).startedAt >= this.readyAfterMs,
      );
      if (ready.length - 1 < minAvailable) {
        return refusal(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", {
          "retry-after": "10",
        });
      }
    }
    this.store.remove(target);
    this.tick(now);
    return { status: 201, body: { kind: "Status", status: "Success" } };
  }

  private homes(): StoredObject[] {
    return this.store.list("api/v1/nodes").filter((n) => !(n.spec as { unschedulable?: boolean } | undefined)?.unschedulable);
  }
  private all(): StoredObject[] {
    return this.store.list("api/v1/pods");
  }
}
