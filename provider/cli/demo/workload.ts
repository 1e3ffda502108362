// Proof that the cluster works: two replicas behind a Service, asked by its DNS name from a pod on the other node until
// the pod over there has answered.
import type { KubeClient } from "../../kube/client.js";
import type { KubeObject } from "../../kube/object.js";
import { type Outcome, wordFailure } from "../../kube/outcome.js";
import { UserError } from "../command.js";
import { nodeTroubles, poll } from "./cluster.js";
import { wordDeployment, wordPod } from "./trouble.js";

const name = "honest-demo";
const namespace = "default";
const labels = { app: name };

export function manifests(image: string): readonly KubeObject[] {
  return [
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, namespace, labels },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            terminationGracePeriodSeconds: 1,
            // wished, not demanded: with one worker left both replicas live on it
            topologySpreadConstraints: [
              {
                maxSkew: 1,
                topologyKey: "kubernetes.io/hostname",
                whenUnsatisfiable: "ScheduleAnyway",
                labelSelector: { matchLabels: labels },
              },
            ],
            containers: [
              {
                name: "web",
                image,
                imagePullPolicy: "IfNotPresent",
                args: ["netexec", "--http-port=8080"],
                ports: [{ containerPort: 8080 }],
                readinessProbe: { httpGet: { path: "/healthz", port: 8080 }, periodSeconds: 1 },
              },
            ],
          },
        },
      },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, namespace, labels },
      spec: { selector: labels, ports: [{ port: 80, targetPort: 8080 }] },
    },
  ];
}

export interface Pod {
  readonly name: string;
  readonly node: string;
  readonly ready: boolean;
}

interface PodParts {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

const podOf = (object: KubeObject): Pod => {
  const { spec, status } = object as KubeObject & PodParts;
  const ready = (status?.conditions ?? []).some((c) => c.type === "Ready" && c.status === "True");
  return { name: object.metadata.name, node: spec?.nodeName ?? "", ready };
};

/** A pair on two nodes; with one worker, two pods of that node. */
export function choosePair(pods: readonly Pod[], workers: number): readonly [Pod, Pod] | undefined {
  const ready = pods.filter((pod) => pod.ready);
  const [from] = ready;
  const to = ready.find((pod) => (workers > 1 ? pod.node !== from?.node : pod !== from));
  return from && to ? [from, to] : undefined;
}

function must<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new UserError(wordFailure(outcome.failure));
  return outcome.value;
}

async function readyPods(client: KubeClient, signal: AbortSignal): Promise<readonly Pod[] | string> {
  const listed = await client.list("v1", "Pod", { namespace, labelSelector: `app=${name}`, signal });
  if (!listed.ok) return wordFailure(listed.failure);
  const living = listed.value.filter((pod) => pod.metadata.deletionTimestamp === undefined).map(podOf);
  const ready = living.filter((pod) => pod.ready);
  return ready.length >= 2 && ready.length === living.length ? ready : `${ready.length} of 2 replicas are ready`;
}

/** Why the replicas do not serve: the Deployment, each pod with its last event, the nodes. */
async function replicaTroubles(client: KubeClient, signal: AbortSignal): Promise<readonly string[]> {
  const [deployment, pods, events] = await Promise.all([
    client.get({ apiVersion: "apps/v1", kind: "Deployment", namespace, name }, { signal }),
    client.list("v1", "Pod", { namespace, labelSelector: `app=${name}`, signal }),
    client.list("v1", "Event", { namespace, fieldSelector: "involvedObject.kind=Pod", signal }),
  ]);
  if (!pods.ok) return [wordFailure(pods.failure)];
  const failing = deployment.ok && deployment.value ? wordDeployment(deployment.value) : undefined;
  return [
    ...(failing ? [failing] : []),
    ...(pods.value.length === 0 ? [`there is no pod of the deployment ${name}`] : []),
    ...pods.value.flatMap((pod) => wordPod(pod, events.ok ? events.value : []) ?? []),
    ...(events.ok ? [] : [`no events: ${wordFailure(events.failure)}`]),
    ...(await nodeTroubles(client, signal)),
  ];
}

export interface Proof {
  readonly image: string;
  readonly workers: number;
  /** How long the replicas may take to be ready. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** A sentence that says what was proven. */
export async function proveWorkload(client: KubeClient, { image, workers, limitMs, signal }: Proof): Promise<string> {
  if (workers === 0) return "left out: there are no workers";
  for (const manifest of manifests(image)) must(await client.apply(manifest, { signal }));
  const why = () => replicaTroubles(client, signal);
  // replicas that a scale-in pushed together are spread again by making one of them anew
  const pair = await poll({ what: "Two replicas on two nodes", limitMs, signal, why }, async () => {
    const pods = await readyPods(client, signal);
    if (typeof pods === "string") return pods;
    const found = choosePair(pods, workers);
    if (found) return found;
    await client.delete({ apiVersion: "v1", kind: "Pod", namespace, name: pods[0]?.name ?? "" }, { signal });
    return `both replicas are on ${pods[0]?.node}`;
  });
  const [from, to] = pair;
  const host = `${name}.${namespace}.svc.cluster.local`;
  const query = new URLSearchParams({ host, port: "80", request: "hostname", protocol: "http", tries: "1" });
  await poll({ what: `${host} answers`, limitMs: Math.min(limitMs, 60_000), signal, why: () => dnsTroubles(client, signal) }, async () => {
    const asked = await client.raw(`/api/v1/namespaces/${namespace}/pods/${from.name}:8080/proxy/dial?${query}`, { signal });
    if (!asked.ok) return wordFailure(asked.failure);
    return asked.value.includes(`"${to.name}"`) ? { answered: true } : asked.value.trim();
  });
  const where = from.node === to.node ? "both on" : `from ${from.node} to`;
  return `${host} answers, ${where} ${to.node}`;
}

/** The name is CoreDNS's to answer, and the way there the network's: what is wrong with their pods. */
async function dnsTroubles(client: KubeClient, signal: AbortSignal): Promise<readonly string[]> {
  const [pods, events] = await Promise.all([
    client.list("v1", "Pod", { namespace: "kube-system", signal }),
    client.list("v1", "Event", { namespace: "kube-system", fieldSelector: "involvedObject.kind=Pod", signal }),
  ]);
  if (!pods.ok) return [wordFailure(pods.failure)];
  return [...pods.value.flatMap((pod) => wordPod(pod, events.ok ? events.value : []) ?? []), ...(await nodeTroubles(client, signal))];
}
