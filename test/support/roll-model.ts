// A cluster, its terraform state and terraform itself as plain data: what pace and gate decide is carried out step by step,
// in any order, under faults, kills and few slots. It knows no time: who waits is asked again whenever something moved.
import type { Facts, NodeFacts, VoterState } from "../../provider/rollout/facts.js";
import { decideGate, type GateInput, type GateVerdict } from "../../provider/rollout/gate.js";
import { decidePace } from "../../provider/rollout/pace.js";

interface Machine {
  id: string;
  release: string;
  gen: string;
  /** etcd answers. */
  votes: boolean;
  kubelet: boolean;
  /** Taken out of service by us before its machine goes; its agent still reports. */
  retired: boolean;
}
interface Recorded {
  release: string;
  vmId: string;
  gen: string;
  tainted: boolean;
  /** Control planes as its membership was told last. */
  members: readonly string[];
}
type Gate = (input: GateInput) => GateVerdict;
/** Next number below n; the source of all that is random. */
export type Chance = (n: number) => number;

export interface ApplyOptions {
  readonly refresh: boolean;
  readonly slots: number;
  readonly inOneApply: boolean;
  /** Names whose machine a person wants replaced. */
  readonly replace: readonly string[];
  /** Names that a person gives up for this one run. */
  readonly lost?: readonly string[];
  /** Steps until terraform is killed. */
  readonly killAfter: number;
  /** A fault at this step, in the middle of the run. */
  readonly faultAt: number;
}

type Step = "gate" | "retire" | "leave" | "destroy" | "create" | "join" | "gone";
/** A machine that is made for the first time: nothing stands in its way. */
const fresh = {
  step: "create",
  plannedVmId: null,
  gen: "",
  markless: false,
  lost: false,
  leaves: false,
  machineGone: false,
  passedAt: -1,
} as const;
/** More steps than any apply has: what goes on longer hangs. */
const mostSteps = 1_000;
interface Task {
  readonly name: string;
  step: Step;
  readonly wanted: string;
  readonly plannedVmId: string | null;
  readonly gen: string;
  readonly markless: boolean;
  readonly lost: boolean;
  /** The cloud no longer knew its machine when the plan was made. */
  readonly machineGone: boolean;
  /** Out of the configuration: its member goes with it. */
  readonly leaves: boolean;
  /** Faults seen when the gate passed. */
  passedAt: number;
}

export class RollModel {
  readonly machines = new Map<string, Machine | null>();
  readonly state = new Map<string, Recorded>();
  readonly violations: string[] = [];
  readonly refusals: string[] = [];
  lease: { holder: string; drained: boolean } | null = null;
  wanted = "r1";
  broken = new Set<string>();
  held: Facts | null = null;
  network = true;
  /** Whom we took down and have not seen back. */
  readonly #down = new Set<string>();
  #ids = 0;
  #faults = 0;
  #gate: Gate;

  /** Control planes by configuration. */
  names: readonly string[];
  /** etcd's members. */
  readonly members: Set<string>;
  /** Asked to leave for good while they were dead: another one takes them out when it may. */
  readonly #asked = new Set<string>();

  constructor(names: readonly string[], gate: Gate = decideGate) {
    this.#gate = gate;
    this.names = names;
    this.members = new Set(names);
    for (const name of names) {
      const machine = this.#machine("r1", true);
      this.machines.set(name, machine);
      this.state.set(name, { release: "r1", vmId: machine.id, gen: machine.gen, tainted: false, members: names });
    }
  }

  #machine(release: string, works: boolean): Machine {
    this.#ids += 1;
    return { id: `i-${this.#ids}`, release, gen: `g-${this.#ids}`, votes: works, kubelet: works, retired: false };
  }
  votes = (name: string): boolean => {
    const machine = this.machines.get(name);
    return machine?.votes === true && !machine.retired && this.members.has(name);
  };
  get living(): number {
    return [...this.members].filter(this.votes).length;
  }
  get majority(): number {
    return Math.floor(this.members.size / 2) + 1;
  }
  /** Everybody who is wanted, recorded or a member. */
  get #everybody(): readonly string[] {
    return [...new Set([...this.names, ...this.state.keys(), ...this.members])].sort();
  }

  /** An edit of the number of control planes. */
  resize(names: readonly string[]): void {
    this.names = names;
  }

  facts(): Facts {
    const reachable = this.network && this.living >= this.majority;
    const nodes: Record<string, NodeFacts> = {};
    const etcd: Record<string, VoterState> = {};
    for (const name of this.#everybody) {
      const machine = this.machines.get(name);
      if (this.members.has(name)) etcd[name] = this.votes(name) ? "answers" : "dead";
      if (!machine && !this.state.has(name)) continue;
      const base = { pool: "cp", version: "1.36.3", unschedulable: false };
      const gone = {
        ready: false,
        release: this.state.get(name)?.release ?? null,
        machineId: null,
        agentFresh: false,
        gen: this.state.get(name)?.gen ?? null,
      };
      nodes[name] = machine
        ? {
            ...base,
            ready: machine.kubelet && this.votes(name),
            release: machine.release,
            machineId: machine.id,
            agentFresh: machine.kubelet,
            gen: machine.gen,
          }
        : { ...base, ...gone };
    }
    const lease = this.lease && { ...this.lease, ageSec: 10 };
    return {
      reachable,
      born: true,
      complete: true,
      tornDown: false,
      windowOpen: true,
      lease,
      etcd,
      nodes,
      ...(reachable ? {} : { unreachable: "silent" }),
    };
  }

  /** Faults and mends from outside. */
  fault(kind: "kill" | "kubelet" | "vanish" | "heal", name: string): void {
    const machine = this.machines.get(name);
    this.#faults += 1;
    if (kind === "heal") {
      // also: nobody came for a machine that was taken out of service, and it serves again by itself
      this.#resume(name);
      if (machine && !this.broken.has(machine.release)) Object.assign(machine, { votes: true, kubelet: true });
    } else if (kind === "vanish") this.machines.set(name, null);
    else if (machine && kind === "kubelet") machine.kubelet = false;
    else if (machine) Object.assign(machine, { votes: false, kubelet: false });
  }

  apply(options: ApplyOptions, chance: Chance): void {
    const tasks = this.#plan(options);
    const running: Task[] = [];
    for (let n = 0; tasks.length + running.length > 0; n += 1) {
      if (n > mostSteps) {
        this.violations.push(`the apply hangs: ${running.map((task) => `${task.name} at ${task.step}`).join(", ")}`);
        return;
      }
      if (n === options.killAfter) return;
      this.#takeOut();
      if (n === options.faultAt) this.fault("kill", this.names[chance(this.names.length)] ?? "");
      while (running.length < options.slots && tasks.length > 0) running.push(...tasks.splice(chance(tasks.length), 1));
      // any of those that can move; when none can, their time runs out
      const order = [...running].sort(() => chance(3) - 1);
      const moved = order.find((task) => this.#move(task));
      if (!moved) {
        for (const task of running) this.refusals.push(`${task.name} at ${task.step}`);
        running.length = 0;
      } else if (moved.step === "gone" || (moved.step === "join" && this.#joined(moved))) running.splice(running.indexOf(moved), 1);
    }
    this.#told();
  }

  /** The run has come to its end: what changes in place has changed. */
  #told(): void {
    for (const [name, recorded] of this.state) if (this.names.includes(name)) recorded.members = this.names;
  }

  #plan({ refresh, inOneApply, replace, lost = [] }: ApplyOptions): Task[] {
    if (refresh) {
      const facts = this.facts();
      this.held = facts.reachable ? facts : { ...(this.held ?? facts), reachable: false };
    }
    const roster = Object.fromEntries(this.names.map((name) => [name, this.wanted]));
    const leaving = [...this.state].filter(([name]) => !this.names.includes(name));
    const out = leaving.map(([name, { gen }]): Task => {
      const task = { name, step: "gate" as const, wanted: "", plannedVmId: null, gen, markless: false, lost: lost.includes(name) };
      return { ...task, leaves: true, machineGone: false, passedAt: -1 };
    });
    const stay = this.names.flatMap((name): Task[] => {
      const recorded = this.state.get(name);
      const current = recorded?.release ?? null;
      const input = { name, role: "control-plane", pool: "cp", current, wanted: this.wanted, unknownInput: false } as const;
      const { action } = decidePace({ ...input, facts: this.held, members: this.names, roster, inOneApply, lost: lost.includes(name) });
      if (!recorded) return [{ ...fresh, name, wanted: this.wanted }];
      const gone = this.machines.get(name)?.id !== recorded.vmId && refresh;
      const takes = action === "take";
      // a destroy that was killed half-way shows as "going down": an update in place brings the node back into service
      const halfWay = refresh && this.held?.reachable === true && this.lease?.holder === name && !gone;
      if (!takes && !gone && !halfWay && !replace.includes(name) && recorded.tainted !== true) return [];
      const wanted = takes ? this.wanted : (current ?? this.wanted);
      const stays = !takes && !gone && !replace.includes(name);
      const task = {
        ...{ name, wanted, plannedVmId: stays ? recorded.vmId : null, gen: recorded.gen, leaves: false, passedAt: -1 },
        ...{ markless: recorded.tainted, lost: lost.includes(name) },
      };
      const tainted = recorded.tainted;
      // core plans a tainted membership as if it had no past, so the mark is lost with it
      return [{ ...task, machineGone: gone && !tainted, step: halfWay && stays && !tainted ? "join" : "gate" }];
    });
    return [...stay, ...out];
  }

  /** As the agents do: one dead member that was asked to leave, when a majority of those that stay answers. */
  #takeOut(): void {
    for (const name of this.#asked) {
      if (!this.members.has(name)) this.#asked.delete(name);
      else if (!this.votes(name) && this.#staysWithout(name)) {
        this.members.delete(name);
        this.#asked.delete(name);
        return;
      }
    }
  }

  #staysWithout(name: string): boolean {
    const rest = [...this.members].filter((other) => other !== name);
    return 2 * rest.filter(this.votes).length > rest.length;
  }

  /** One step of one machine; false = it has to wait. */
  #move(task: Task): boolean {
    const { name } = task;
    const recorded = this.state.get(name);
    switch (task.step) {
      case "gate": {
        const verdict = this.#gate({
          name,
          how: task.leaves ? "leave" : "replace",
          gen: task.gen,
          vmId: recorded?.vmId ?? "",
          plannedVmId: task.plannedVmId,
          members: task.leaves ? [] : (recorded?.members ?? []),
          planned: task.markless ? null : this.names,
          facts: this.facts(),
          tornDown: false,
          everComplete: !task.markless,
          markless: task.markless,
          machineGone: task.machineGone,
          lost: task.lost,
        });
        if (verdict.verdict === "wait" || verdict.verdict === "refuse") return false;
        if (verdict.verdict === "pass" && verdict.drain) {
          if (this.lease && this.lease.holder !== name) return false;
          this.lease = { holder: name, drained: true };
        }
        // the only one by configuration, tainted and to be replaced while nobody answers: no plan can tell it from a first
        // control plane whose create failed, so the person is believed. As is one who replaces the only member, and another
        // joins meanwhile
        const believed = (task.markless && !this.facts().reachable) || this.members.size === 1;
        task.passedAt = believed ? -1 : this.#faults;
        const away = task.plannedVmId === null;
        task.step = task.leaves ? "leave" : away && verdict.verdict === "pass" && verdict.drain ? "retire" : away ? "destroy" : "join";
        return true;
      }
      case "retire": {
        const machine = this.machines.get(name);
        this.#takesDown(task);
        if (machine) machine.retired = true;
        task.step = "destroy";
        return true;
      }
      case "leave":
        return this.#leave(task);
      case "destroy":
        this.#destroy(task);
        task.step = task.leaves ? "gone" : "create";
        return true;
      case "gone":
        return true;
      case "create": {
        const machine = this.#machine(task.wanted, !this.broken.has(task.wanted));
        this.machines.set(name, machine);
        this.state.set(name, { release: task.wanted, vmId: machine.id, gen: machine.gen, tainted: true, members: this.names });
        task.step = "join";
        return true;
      }
      case "join":
        this.#resume(name);
        this.#joinEtcd(name);
        // still waiting for a machine that does not come
        return this.#joined(task);
      default:
        return task.step satisfies never;
    }
  }

  /** etcd takes a new member while a majority votes, and one at a time; its machine has to run. */
  #joinEtcd(name: string): void {
    const machine = this.machines.get(name);
    if (this.members.has(name) || machine?.votes !== true || this.living < this.majority) return;
    this.members.add(name);
  }

  /** Living: by its own agent, the others have to stand without it. Dead: by another agent, which may take a while. */
  #leave(task: Task): boolean {
    const { name } = task;
    if (this.votes(name)) {
      if (!this.#staysWithout(name)) return false;
      const left = this.living - 1;
      this.members.delete(name);
      if (left < this.majority) this.violations.push(`${name} left etcd; ${left} of ${this.members.size} are left`);
    } else if (this.members.has(name)) {
      this.#asked.add(name);
      this.#takeOut();
      // one that a person gave up goes, and its member later
      if (this.members.has(name) && !task.lost) return false;
    }
    task.step = "destroy";
    return true;
  }

  #destroy(task: Task): void {
    if (!task.leaves) this.#takesDown(task);
    if (task.leaves) {
      this.machines.delete(task.name);
      this.state.delete(task.name);
      this.#down.delete(task.name);
      if (this.lease?.holder === task.name) this.lease = null;
    } else this.machines.set(task.name, null);
  }

  /** The law, asked before a living voter goes by our hand. A fault between the gate and that is nobody's mistake. */
  #takesDown({ name, passedAt, lost }: Task): void {
    if (!this.votes(name) || this.members.size === 1 || passedAt !== this.#faults) return;
    const left = this.living - 1;
    if (left < this.majority) this.violations.push(`${name} was a living voter; ${left} of ${this.members.size} are left`);
    const away = [...this.#down].filter((other) => other !== name && !this.votes(other));
    if (away.length > 0 && !lost) this.violations.push(`${name} was taken down while ${away.join(", ")} had not come back`);
    this.#down.add(name);
  }

  /** The request is withdrawn, or its time is over. */
  #resume(name: string): void {
    const machine = this.machines.get(name);
    if (machine) machine.retired = false;
  }

  #joined({ name }: Task): boolean {
    const machine = this.machines.get(name);
    const recorded = this.state.get(name);
    if (!machine || !this.votes(name) || !machine.kubelet || !recorded || machine.id !== recorded.vmId) return false;
    this.#down.delete(name);
    recorded.tainted = false;
    recorded.gen = machine.gen;
    if (this.lease?.holder === name) this.lease = null;
    return true;
  }
}
