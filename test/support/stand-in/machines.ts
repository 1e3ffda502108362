// Machines of a stand-in cluster and what runs on them: kubelets, agents, etcd. They boot when told, report while they
// live, and join as real ones do: control planes when all of the first members are up, workers by their grant.
import { workerNodeName } from "../../../constructs/blueprint/machine-spec.js";
import type { Store, StoredObject, Target } from "./store.js";

export interface MachineOptions {
  /** Control plane: the node's name; worker: the first part of it. */
  readonly name: string;
  readonly role: "control-plane" | "worker";
  readonly release: string;
  readonly version?: string;
  /** Never registers. */
  readonly broken?: boolean;
  /** The cluster CA that its document carries. */
  readonly authority?: string;
  /** Control plane: which restore its document is of. */
  readonly number?: number;
  /** Control plane: its document names a snapshot. */
  readonly restores?: boolean;
  /** The cloud's id of it. @default one that is made here */
  readonly id?: string;
}
export interface Machine extends MachineOptions {
  readonly id: string;
  readonly nodeName: string;
  readonly bootedAt: number;
  joined: boolean;
  /** Its Node says that it is being taken out. */
  leaving: boolean;
  reportedAt: number;
  told: string;
  /** The kubelet does not become Ready. */
  sick: boolean;
  /** Out of service by request of that time: API server and etcd have stopped, the agent still reports. */
  retired: string | null;
  /** Its agent hears no requests. */
  deaf: boolean;
}
interface Request {
  readonly do: "retire" | "leave" | "snapshot";
  readonly node?: string;
  readonly machine_id: string;
  readonly member_id: string | null;
  readonly at: string;
}
export interface Timing {
  /** From the machine's start to the kubelet's first word. */
  readonly bootMs: number;
  /** How long a dead machine's Node stays Ready. */
  readonly lingerMs: number;
}

const nodeTarget = (name: string): Target => ({ collection: "api/v1/nodes", apiVersion: "v1", kind: "Node", name });
const requestsTarget: Target = {
  collection: "api/v1/configmaps",
  apiVersion: "v1",
  kind: "ConfigMap",
  namespace: "kube-system",
  name: "honest-paas-requests",
};
const trustTarget: Target = { ...requestsTarget, name: "honest-paas-trust" };
const snapshots = "honest-paas.dev/snapshots";
const decode = (value: unknown): string => Buffer.from(String(value ?? ""), "base64").toString();

export class Machines {
  readonly living = new Map<string, Machine>();
  /** etcd's members by name: the disk outlives the machine. */
  readonly voters = new Set<string>();
  /** Every event in order, for tests: "boot cp-a", "register …", "stop …". */
  readonly events: string[] = [];
  /** Nodes whose agents do not come to the end of a rotation's state. */
  readonly behind = new Set<string>();
  /** Why control planes can take no snapshot; null: they can. */
  snapshotProblem: string | null = null;
  /** Which life the cluster is in, and what a restore goes back to. */
  number = 0;
  snapshot: ReadonlyMap<string, StoredObject> = new Map();
  private readonly died = new Map<string, number>();
  private count = 0;
  /** Control planes by the youngest boot document. */
  private members: readonly string[] = [];

  constructor(
    private readonly store: Store,
    /** Names of the first control planes: the API comes up when all of them run. */
    private founders: readonly string[],
    private readonly timing: Timing,
  ) {}

  /** What the boot documents of the first control planes say. */
  found(names: readonly string[]): void {
    this.members = names;
    if (this.voters.size === 0) this.founders = names;
  }

  start(options: MachineOptions): Machine {
    const id = options.id ?? `i-${String(++this.count).padStart(12, "0")}`;
    const nodeName = options.role === "worker" ? workerNodeName(options.name, id) : options.name;
    const machine: Machine = {
      ...options,
      id,
      nodeName,
      bootedAt: Date.now(),
      joined: false,
      leaving: false,
      reportedAt: 0,
      told: "",
      sick: false,
      retired: null,
      deaf: false,
    };
    this.living.set(id, machine);
    this.events.push(`start ${nodeName}`);
    return machine;
  }
  stop(id: string): void {
    const machine = this.living.get(id);
    if (!machine) return;
    this.living.delete(id);
    this.died.set(machine.nodeName, Date.now());
    this.events.push(`stop ${machine.nodeName}`);
  }
  on(nodeName: string): Machine | undefined {
    return [...this.living.values()].find((m) => m.nodeName === nodeName);
  }

  /** All control planes are of a higher number and have a snapshot: they start on it. Until then nobody of them answers. */
  private goBack(now: number): void {
    const all = [...this.living.values()].filter((m) => m.role === "control-plane");
    const number = Math.max(0, ...all.map((m) => m.number ?? 0));
    if (number <= this.number || !this.members.every((name) => all.some((m) => m.name === name && this.isOf(m, number, now)))) return;
    this.number = number;
    this.voters.clear();
    for (const name of this.members) this.voters.add(name);
    this.store.back(this.snapshot);
    this.events.push(`restore ${number}`);
  }
  private isOf(machine: Machine, number: number, now: number): boolean {
    return machine.number === number && machine.restores === true && this.booted(machine, now);
  }

  /** Born once, the API answers while a majority of voters lives. */
  apiUp(now: number): boolean {
    this.goBack(now);
    const up = (name: string) =>
      [...this.living.values()].some(
        (m) =>
          m.role === "control-plane" && m.name === name && (m.number ?? 0) === this.number && m.retired === null && this.booted(m, now),
      );
    if (this.voters.size === 0) {
      if (this.founders.length === 0 || !this.founders.every(up)) return false;
      for (const name of this.founders) this.voters.add(name);
    }
    return [...this.voters].filter(up).length > this.voters.size / 2;
  }

  /** Brings the store to what kubelets and agents would have written by now. */
  tick(now: number): void {
    if (!this.apiUp(now)) return;
    for (const machine of this.living.values()) {
      if (!this.booted(machine, now) || machine.broken) continue;
      if (machine.role === "control-plane" && (machine.number ?? 0) !== this.number) continue;
      if (!machine.joined && !this.mayJoin(machine, now)) continue;
      // An agent whose Node is gone restarts its kubelet, except when it was taken out on purpose.
      const node = this.store.get(nodeTarget(machine.nodeName));
      if (node) machine.leaving = node.metadata.annotations?.["honest-paas.dev/draining"] !== undefined;
      else if (machine.joined && machine.leaving) continue;
      this.report(machine, now);
    }
    this.answer(now);
    for (const node of this.store.list("api/v1/nodes")) this.silence(node, now);
  }

  private booted(machine: Machine, now: number): boolean {
    return now - machine.bootedAt >= this.timing.bootMs;
  }

  private mayJoin(machine: Machine, now: number): boolean {
    if (machine.role === "control-plane") {
      // A member that is not a founder asks in: one routine of the agents, always granted here.
      this.voters.add(machine.name);
      return true;
    }
    const grant = this.store.list("api/v1/secrets", "kube-system").find(({ metadata, type }) => {
      const { annotations } = metadata;
      const forIt = annotations?.["honest-paas.dev/node"] === machine.nodeName && annotations["honest-paas.dev/machine-id"] === machine.id;
      return type === "bootstrap.kubernetes.io/token" && forIt;
    });
    if (!grant || Date.parse(decode((grant.data as Record<string, string>).expiration)) < now) return false;
    this.store.remove({
      collection: "api/v1/secrets",
      apiVersion: "v1",
      kind: "Secret",
      namespace: "kube-system",
      name: grant.metadata.name,
    });
    return true;
  }

  private report(machine: Machine, now: number): void {
    const target = nodeTarget(machine.nodeName);
    const old = this.store.get(target);
    const world = [...this.voters].map((name) => `${name} ${this.on(name)?.id} ${this.on(name)?.retired}`).join();
    // As often as real agents write, or a race with every one of our writes would be lost.
    const trust = this.trust(machine);
    const said = `${world} ${machine.sick} ${trust}`;
    if (old && machine.joined && machine.told === said && now - machine.reportedAt < 1_000) return;
    machine.told = said;
    machine.reportedAt = now;
    if (!machine.joined || !old) this.events.push(`register ${machine.nodeName}`);
    machine.joined = true;
    const at = new Date(now).toISOString();
    const ready = machine.sick
      ? { status: "False", reason: "KubeletNotReady", message: "container runtime is down" }
      : { status: "True", reason: "KubeletReady" };
    const status = {
      machine_id: machine.id,
      release: machine.release,
      booted_at: new Date(machine.bootedAt).toISOString(),
      stage: machine.retired === null ? "ready" : "retired",
      agent: "stand-in",
      at,
    };
    const controlPlane = machine.role === "control-plane";
    const etcd = {
      members: [...this.voters].map((name) => ({ name, id: name, learner: false, answers: this.votes(name) })),
      number: this.number,
      at,
    };
    this.store.put(target, {
      ...old,
      metadata: {
        ...old?.metadata,
        labels: { ...(controlPlane ? { "node-role.kubernetes.io/control-plane": "" } : {}), ...old?.metadata.labels },
        annotations: {
          ...old?.metadata.annotations,
          "honest-paas.dev/status": JSON.stringify(status),
          ...(trust === null ? {} : { "honest-paas.dev/trust": trust }),
          ...(controlPlane ? { "honest-paas.dev/etcd": JSON.stringify(etcd) } : {}),
          ...(controlPlane && old?.metadata.annotations?.[snapshots] === undefined ? { [snapshots]: "{}" } : {}),
        },
      },
      spec: old?.spec ?? {},
      status: {
        nodeInfo: { kubeletVersion: `v${machine.version ?? "1.36.3"}` },
        conditions: [{ type: "Ready", lastHeartbeatTime: at, ...ready }],
      },
    });
  }

  /** What the agent says of a rotation; null while it knows of none. */
  private trust({ nodeName, authority }: Machine): string | null {
    const { data } = (this.store.get(trustTarget) ?? {}) as { data?: { set: string } };
    if (!data) return null;
    const { number, state, authorities } = JSON.parse(data.set) as {
      number: number;
      state: string;
      authorities: { ca: { trust: string } };
    };
    const waits = this.behind.has(nodeName) ? "etcd to be started anew" : null;
    return JSON.stringify({ number, state, waits, document: authority !== undefined && authorities.ca.trust.startsWith(authority) });
  }

  /** What an agent that is asked for a snapshot says, once for each request. */
  private takeSnapshot(request: Request): void {
    const node = this.store.get(nodeTarget(request.node ?? ""));
    const taker = this.on(request.node ?? "");
    if (!node || !taker?.joined || taker.deaf || node.metadata.annotations?.[snapshots]?.includes(request.at)) return;
    const asked = { at: request.at, name: this.snapshotProblem === null ? "20261130T120000Z" : null, problem: this.snapshotProblem };
    this.events.push(`snapshot ${taker.nodeName}`);
    const annotations = { ...node.metadata.annotations, [snapshots]: JSON.stringify({ asked }) };
    this.store.put(nodeTarget(taker.nodeName), { ...node, metadata: { ...node.metadata, annotations } });
  }

  /** Its etcd answers. */
  votes(name: string): boolean {
    const machine = this.on(name);
    return machine !== undefined && machine.retired === null && (machine.number ?? 0) === this.number;
  }

  /** What agents do about the provider's requests: each for its own machine, the others for a dead one that leaves. */
  private answer(now: number): void {
    const { data = {} } = (this.store.get(requestsTarget) ?? {}) as { data?: Readonly<Record<string, string>> };
    const requests = new Map(Object.entries(data).map(([name, text]) => [name, JSON.parse(text) as Request]));
    const before = [...this.voters].map((name) => `${name} ${this.votes(name)}`).join();
    for (const request of requests.values()) if (request.do === "snapshot") this.takeSnapshot(request);
    for (const machine of this.living.values()) {
      if (!machine.joined || machine.role !== "control-plane" || machine.deaf) continue;
      const request = requests.get(machine.nodeName);
      const mine = request?.machine_id === machine.id ? request : undefined;
      if (machine.retired !== null && machine.retired !== mine?.at) {
        machine.retired = null;
        this.events.push(`resume ${machine.nodeName}`);
      }
      if (!mine || machine.retired !== null || (mine.do === "leave" && this.voters.size === 1)) continue;
      if (mine.do === "leave" && this.voters.delete(machine.name)) this.events.push(`leave ${machine.name}`);
      machine.retired = mine.at;
      this.events.push(`retire ${machine.nodeName}`);
      const node = this.store.get(nodeTarget(machine.nodeName));
      const annotations = { ...node?.metadata.annotations, "honest-paas.dev/retired": JSON.stringify({ at: mine.at, problems: [] }) };
      if (node) this.store.put(nodeTarget(machine.nodeName), { ...node, metadata: { ...node.metadata, annotations } });
    }
    for (const [name, request] of requests) {
      const rest = [...this.voters].filter((other) => other !== name);
      const may = rest.filter((other) => this.votes(other)).length > rest.length / 2;
      if (request.do !== "leave" || request.member_id !== name || !this.voters.has(name) || this.votes(name) || !may) continue;
      this.voters.delete(name);
      this.events.push(`remove ${name}`);
    }
    if (before === [...this.voters].map((name) => `${name} ${this.votes(name)}`).join()) return;
    for (const machine of this.living.values()) if (machine.joined && machine.role === "control-plane") this.report(machine, now);
  }

  private silence(node: StoredObject, now: number): void {
    const name = node.metadata.name;
    const died = this.died.get(name);
    if (this.on(name)?.joined || died === undefined || now - died < this.timing.lingerMs) return;
    const status = node.status as { conditions: { type: string; status: string }[] };
    const ready = status.conditions.find((c) => c.type === "Ready");
    if (ready && ready.status !== "Unknown") {
      // The last report grows old at once: tests do not wait a minute for it.
      const old = new Date(now - 120_000).toISOString();
      const notes = { ...node.metadata.annotations };
      for (const key of ["honest-paas.dev/status", "honest-paas.dev/etcd"])
        if (notes[key] !== undefined) notes[key] = JSON.stringify({ ...JSON.parse(notes[key]), at: old });
      this.store.put(nodeTarget(name), {
        ...node,
        metadata: { ...node.metadata, annotations: notes },
        status: {
          ...status,
          conditions: [{ ...ready, status: "Unknown", reason: "NodeStatusUnknown", message: "Kubelet stopped posting node status." }],
        },
      });
    }
  }
}
