// A cluster of a program whose control plane a test grows, shrinks, stops and breaks, and what says that it is still the same
// one: uid of kube-system, a sentinel object, the birth number of etcd.
import { connect, type KubeClient } from "../../provider/kube/client.js";
import { issueClient } from "../../provider/pki/issue.js";
import { eventually, type Finished, type KubeNode, type NodeSummary, run, summaryOf } from "./demo-project.js";
import { type ProgramProject, programProject } from "./program-project.js";

export interface EtcdMember {
  readonly name: string;
  readonly learner: boolean;
}
export interface ControlPlaneCluster {
  readonly project: ProgramProject;
  /** Name of machine and node: "a" -> "e2e-growth-cp-a". */
  machine(letter: string): string;
  client(): Promise<KubeClient>;
  /** Makes the sentinel and remembers who the cluster is. */
  mark(): Promise<void>;
  identity(): Promise<string>;
  /** Throws when the cluster is not the one that was marked. */
  same(): Promise<void>;
  members(): Promise<readonly EtcdMember[]>;
  nodes(): Promise<readonly NodeSummary[]>;
  /** All of these are voters and API servers that answer, all nodes are Ready and the plan is empty. */
  whole(letters: readonly string[], workers: number): Promise<void>;
  plan(): Promise<Finished>;
  annotation(node: string, name: string): Promise<unknown>;
  events(node: string): Promise<readonly { readonly reason: string; readonly message: string; readonly type: string }[]>;
  destroy(): Promise<void>;
}

const pki = "/etc/kubernetes/pki/etcd";

/** etcdctl on that machine, with its own certificates. */
export const etcdctl = (machine: string, ...args: readonly string[]): Promise<Finished> =>
  run("docker", [
    ...["exec", machine, "etcdctl", `--cacert=${pki}/ca.crt`, `--cert=${pki}/healthcheck-client.crt`],
    ...[`--key=${pki}/healthcheck-client.key`, "--command-timeout=5s", ...args],
  ]);

/** A command on the machine; throws when it fails. */
export async function on(machine: string, ...command: readonly string[]): Promise<string> {
  const done = await run("docker", ["exec", machine, ...command]);
  if (done.code !== 0) throw new Error(`${machine}: ${command.join(" ")} ended with ${done.code}: ${done.stdout}${done.stderr}`);
  return done.stdout;
}

/** kubectl on that machine, asking the API server of this machine and no other. */
export const serversOwn = (machine: string): readonly string[] => [
  ...["kubectl", "--kubeconfig=/etc/kubernetes/super-admin.conf", `--server=https://${machine}:6443`, "--tls-server-name=localhost"],
];

/** What a machine's agent or boot stage says; for a test that fails. */
export const journal = async (machine: string, unit: string, lines = 40): Promise<string> =>
  (await run("docker", ["exec", machine, "journalctl", "-u", unit, "-n", String(lines), "-o", "short-precise", "--no-pager"])).stdout;

/** Names of the engine's volumes that are etcd disks of that machine. */
export async function etcdDisks(cluster: string, letter: string): Promise<readonly string[]> {
  const listed = await run("docker", ["volume", "ls", "-q", "--filter", `label=honest-paas.dev/cluster=${cluster}`]);
  // beside each disk stands its claim, a volume whose name ends the same way
  return listed.stdout.split("\n").filter((volume) => volume === `${cluster}.disk.${cluster}-cp-${letter}-etcd`);
}

export function controlPlaneCluster(name: string, version = "1.36.3"): ControlPlaneCluster {
  const project = programProject(name, version);
  let client: KubeClient | undefined;
  let marked = "";
  const machine = (letter: string): string => `${name}-cp-${letter}`;
  const must = async (finished: Promise<Finished>): Promise<string> => {
    const done = await finished;
    if (done.code !== 0) throw new Error(`${done.stdout}\n${done.stderr}`);
    return done.stdout;
  };
  const kubectl = (...args: readonly string[]): Promise<string> => must(project.kubectl(args));
  const cluster: ControlPlaneCluster = {
    project,
    machine,
    async client() {
      if (!client) {
        const output = await must(project.terraform(["output", "-json", "honest_access"]));
        client = connect(JSON.parse(output), { issue: issueClient });
      }
      return client;
    },
    async mark() {
      await kubectl("create", "configmap", "sentinel", "--from-literal=value=kept");
      marked = await eventually("an agent says the birth number", 60, async () => {
        const now = await cluster.identity();
        return (JSON.parse(now) as { numbers: readonly number[] }).numbers.length === 1 ? now : undefined;
      });
    },
    async identity() {
      const uid = await kubectl("get", "namespace", "kube-system", "-o", "jsonpath={.metadata.uid}");
      const sentinel = await kubectl("get", "configmap", "sentinel", "-o", "jsonpath={.data.value}");
      const notes = await kubectl(
        "get",
        "nodes",
        "-o",
        "jsonpath={range .items[*]}{.metadata.annotations.honest-paas\\.dev/etcd}{'\\n'}{end}",
      );
      const numbers = notes
        .split("\n")
        .filter(Boolean)
        .map((line) => (JSON.parse(line) as { number: number }).number);
      return JSON.stringify({ uid, sentinel, numbers: [...new Set(numbers)] });
    },
    async same() {
      const now = await cluster.identity();
      if (now !== marked) throw new Error(`another cluster: ${now}, it was ${marked}`);
    },
    async members() {
      const listed = await run("docker", ["ps", "--format", "{{.Names}}", "--filter", `name=^${name}-cp-`]);
      let last = "no control plane runs";
      for (const one of listed.stdout.split("\n").filter(Boolean).sort()) {
        const got = await etcdctl(one, "member", "list", "-w", "json");
        if (got.code === 0) {
          const parsed = JSON.parse(got.stdout) as { members: { name?: string; isLearner?: boolean }[] };
          return parsed.members.map((m) => ({ name: m.name ?? "", learner: m.isLearner === true }));
        }
        last = got.stderr;
      }
      throw new Error(last);
    },
    async nodes() {
      const items = (JSON.parse(await kubectl("get", "nodes", "-o", "json")) as { items: readonly KubeNode[] }).items;
      return items.map(summaryOf);
    },
    async whole(letters, workers) {
      const names = letters.map(machine);
      // an API server that ended again and again while its etcd was away is left alone for up to five minutes by kubelet
      await eventually(`${names.join(", ")} vote and serve, and ${workers} workers are Ready`, 330, async () => {
        const members = await cluster.members();
        const voters = members.filter((m) => !m.learner).map((m) => m.name);
        if (members.length !== voters.length || voters.sort().join() !== names.join()) throw new Error(JSON.stringify(members));
        const health = await etcdctl(names[0] ?? "", "endpoint", "health", "--cluster");
        if (health.code !== 0) throw new Error(health.stderr);
        for (const one of names) await on(one, ...serversOwn(one), "get", "--raw", "/readyz");
        const nodes = await cluster.nodes();
        const waiting = nodes.filter((node) => !node.ready || node.unschedulable);
        if (waiting.length > 0 || nodes.length !== names.length + workers) throw new Error(JSON.stringify(nodes));
        return true;
      });
      const plan = await cluster.plan();
      if (plan.code !== 0) throw new Error(`the plan is not empty (${plan.code}):\n${plan.stdout}${plan.stderr}`);
      await cluster.same();
    },
    plan: () => project.terraform(["plan", "-detailed-exitcode", "-no-color", "-input=false"]),
    async annotation(node, key) {
      const found = JSON.parse(await kubectl("get", "node", node, "-o", "json")) as { metadata: { annotations?: Record<string, string> } };
      const text = found.metadata.annotations?.[key];
      return text === undefined ? null : (JSON.parse(text) as unknown);
    },
    async events(node) {
      const listed = await kubectl("get", "events", "-o", "json", "--field-selector", `involvedObject.name=${node}`);
      return (JSON.parse(listed) as { items: { reason: string; message: string; type: string }[] }).items;
    },
    async destroy() {
      await client?.close();
      await project.destroy();
    },
  };
  return cluster;
}
