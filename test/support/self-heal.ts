// Scenarios of self-heal, each on a living cluster: break one thing on one machine, wait for what its agent does and says.
import { type ControlPlaneCluster, on } from "./control-plane-cluster.js";
import { eventually, run } from "./demo-project.js";

export interface HealthReport {
  readonly problems: readonly string[];
  readonly healed: readonly { readonly at: string; readonly what: string }[];
  readonly self_heal: boolean;
  readonly maintenance: string | null;
}

export const healthOf = async (cluster: ControlPlaneCluster, node: string): Promise<HealthReport | null> =>
  (await cluster.annotation(node, "honest-paas.dev/health")) as HealthReport | null;

const mainPid = async (node: string, unit: string): Promise<string> =>
  (await on(node, "systemctl", "show", "-p", "MainPID", "--value", unit)).trim();

export const breakages = {
  "kubelet stopped": { unit: "kubelet", words: /kubelet was stopped/, breakIt: stopped("kubelet") },
  "kubelet hangs": { unit: "kubelet", words: /kubelet did not answer/, breakIt: frozen("kubelet") },
  "containerd stopped": { unit: "containerd", words: /containerd was stopped/, breakIt: stopped("containerd") },
  "containerd hangs": { unit: "containerd", words: /containerd did not answer/, breakIt: frozen("containerd") },
  "etcd stopped": { unit: "honest-etcd", words: /etcd was stopped/, breakIt: stopped("honest-etcd") },
  "etcd hangs": { unit: "honest-etcd", words: /etcd did not answer/, breakIt: frozen("honest-etcd") },
} as const;

function stopped(unit: string) {
  return (node: string) => on(node, "systemctl", "stop", unit);
}
function frozen(unit: string) {
  return async (node: string) => on(node, "kill", "-STOP", await mainPid(node, unit));
}

/** Whether the unit runs and its process is not stopped. */
export async function runs(node: string, unit: string): Promise<boolean> {
  const state = await run("docker", ["exec", node, "systemctl", "is-active", unit]);
  if (state.stdout.trim() !== "active") return false;
  const process = await on(node, "sh", "-c", `cut -d' ' -f3 /proc/${await mainPid(node, unit)}/stat`);
  return process.trim() !== "T";
}

/** Breaks it and waits until it is mended, reported and told as events. Milliseconds until it ran again. */
export async function mended(cluster: ControlPlaneCluster, node: string, what: keyof typeof breakages): Promise<number> {
  const { unit, words, breakIt } = breakages[what];
  const before = (await cluster.events(node)).filter((event) => words.test(event.message)).length;
  await breakIt(node);
  const begun = Date.now();
  await eventually(`${what} on ${node}: it runs again`, 240, async () => ((await runs(node, unit)) ? true : undefined));
  const took = Date.now() - begun;
  await eventually(`${what} on ${node}: said on the Node and as events`, 60, async () => {
    const events = await cluster.events(node);
    const report = await healthOf(cluster, node);
    const told = events.filter((event) => event.reason === "Healing" && words.test(event.message)).length > before;
    const over = events.some((event) => event.reason === "Healed");
    if (told && over && report?.problems.length === 0 && report.healed.some((entry) => words.test(entry.what))) return true;
    throw new Error(JSON.stringify({ report, events: events.map((event) => `${event.reason}: ${event.message}`) }));
  });
  return took;
}

/** Fills etcd with the history of one object until it takes no more. */
export async function fillEtcd(cluster: ControlPlaneCluster): Promise<number> {
  const client = await cluster.client();
  for (let n = 0; n < 400; n += 1) {
    const data = { n: String(n), ballast: "x".repeat(900_000) };
    const wrote = await client.apply(
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "ballast", namespace: "default" }, data },
      { timeoutMs: 10_000 },
    );
    if (!wrote.ok && /space exceeded/.test(wrote.failure.message)) return n;
  }
  throw new Error("etcd took everything");
}
