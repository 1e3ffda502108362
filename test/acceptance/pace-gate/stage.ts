// A living cluster of three control planes and a worker that stands in, for one case after another: each ends with an empty
// plan, so that the next begins where it ended.
import { join } from "node:path";
import { expect } from "vitest";
import { restoreState } from "../../../provider/cli/keeper/state-file.js";
import { watchState } from "../../../provider/cli/keeper/watch.js";
import type { Provider, Resource } from "../../../provider/framework/resource.js";
import type { RunResult, StateResource } from "../../support/terraform.js";
import { changes, flat } from "../boot/fixture.js";
import { type Fixture, type FixtureOptions, fixture, type Json, mostDown, type Wanted } from "../membership/fixture.js";

export const letters = ["a", "b", "c"] as const;
export const names = letters.map((letter) => `demo-cp-${letter}`);
type Kind = "honest_local_machine" | "honest_node" | "honest_boot";

export interface Planned {
  /** 0 nothing to do, 2 something to do. */
  readonly exitCode: number;
  readonly text: string;
  /** Action by address, without what stays. */
  readonly changes: Readonly<Record<string, string>>;
}

/** What a person asks for; the rest is as the case before left it. */
export interface Ask {
  readonly controlPlanes?: 1 | 3;
  readonly workers?: number;
  readonly roll?: "one_per_apply" | "in_one_apply";
  readonly group?: Wanted["group"];
  readonly edit?: (json: Json) => void;
}

export class Stage {
  /** Called when terraform updates honest_boot of this name. */
  onBootUpdate: (name: string) => void = () => undefined;
  private edits = 0;

  private constructor(
    readonly f: Fixture,
    private readonly seconds: number,
  ) {}

  /** `seconds`: how long a gate waits, and a machine that does not come is waited for. */
  static async open(engine: Pick<FixtureOptions, "engine" | "program">, seconds: number): Promise<Stage> {
    const holder: { stage?: Stage } = {};
    const around = (provider: Provider): Provider => ({
      ...provider,
      resources: provider.resources.map((one): Resource => {
        const update = one.update;
        if (one.name !== "honest_boot" || !update) return one;
        return {
          ...one,
          update: (request, context) => {
            holder.stage?.onBootUpdate(String((request.planned.spec as { name?: string } | null)?.name));
            return update(request, context);
          },
        };
      }),
    });
    const f = await fixture({ ...engine, around });
    const stage = new Stage(f, seconds);
    holder.stage = stage;
    await f.w.init();
    return stage;
  }

  close = (): Promise<void> => this.f.close();

  async born(): Promise<this> {
    this.want();
    await this.f.w.apply();
    await this.f.w.expectEmptyPlan();
    this.clear();
    return this;
  }

  // --- what is asked for

  want({ controlPlanes = 3, workers = 1, roll = "one_per_apply", group = {}, edit }: Ask = {}): void {
    const limit = `${this.seconds}s`;
    const flags = this.edits === 0 ? {} : { componentFlags: { "kubelet.max-pods": String(100 + this.edits) } };
    this.f.want({
      controlPlanes,
      workers,
      group,
      timeouts: { create: limit, update: limit, delete: limit },
      props: { controlPlane: { replicas: controlPlanes, ...flags }, upgradePolicy: { roll } } as never,
      ...(edit ? { edit } : {}),
    });
  }
  /** A new release of all control planes. */
  edit(ask: Ask = {}): void {
    this.edits += 1;
    this.want(ask);
  }
  /** Back to the release before the last edit. */
  revert(ask: Ask = {}): void {
    this.edits -= 1;
    this.want(ask);
  }

  // --- what terraform says

  async plan(args: readonly string[] = []): Promise<Planned> {
    const { exitCode, text, json } = await this.f.w.plan(args);
    return { exitCode, text: flat(text), changes: changes(json) };
  }
  apply = async (args: readonly string[] = []): Promise<string> => words(await this.f.w.apply(args));
  refused = async (args: readonly string[] = []): Promise<string> => words(await this.f.w.apply(args, { expectFail: true }));
  empty = (): Promise<void> => this.f.w.expectEmptyPlan();
  /** Applies until there is nothing to apply, which is an empty plan; how many applies did something. */
  async toTheEnd(most = 5): Promise<number> {
    for (let n = 0; n <= most; n += 1) if (isNothing(await this.apply())) return n;
    throw new Error(`the plan is not empty after ${most} applies`);
  }
  /** The same where the time of a short gate may end an apply before all have had their turn. */
  async bitByBit(most = 5): Promise<void> {
    for (let n = 0; n <= most; n += 1) {
      const ran = await this.f.w.attempt(["apply", "-no-color", "-auto-approve", "-input=false"]);
      if (ran.code !== 0) expect(words(ran)).toMatch(/was not (taken down|emptied)/);
      else if (isNothing(words(ran))) return;
    }
    throw new Error(`the plan is not empty after ${most} applies`);
  }
  async resources(kind: Kind): Promise<readonly StateResource[]> {
    return (await this.f.w.resources()).filter((one) => one.type === kind && /_cp_/.test(one.name));
  }
  addresses = async (kind: Kind): Promise<readonly string[]> => (await this.resources(kind)).map((one) => one.address);
  async address(kind: Kind, letter: string): Promise<string> {
    const found = (await this.addresses(kind)).find((one) => one.includes(`_cp_${letter}_`));
    if (found === undefined) throw new Error(`no ${kind} of ${letter} in the state`);
    return found;
  }
  async replaceAll(): Promise<readonly string[]> {
    return (await this.addresses("honest_local_machine")).map((address) => `-replace=${address}`);
  }
  /** Of each control plane: what waits, null when nothing does. */
  pending = async (): Promise<readonly unknown[]> => (await this.resources("honest_boot")).map((one) => one.values.pending ?? null);
  releases = async (): Promise<readonly unknown[]> => (await this.resources("honest_boot")).map((one) => one.values.release);

  // --- the cluster

  get machines() {
    return this.f.cloud.cluster.machines;
  }
  machine(letter: string) {
    const found = this.machines.on(`demo-cp-${letter}`);
    if (!found) throw new Error(`no machine of ${letter} lives`);
    return found;
  }
  ids = (): readonly string[] => letters.map((letter) => this.machines.on(`demo-cp-${letter}`)?.id ?? "none");
  events = (what: string): readonly string[] =>
    this.machines.events.filter((one) => one.startsWith(`${what} `)).map((one) => one.slice(what.length + 1));
  /** Control planes whose machines went, in their order. */
  stops = (): readonly string[] => this.events("stop").filter((name) => name.includes("-cp-"));
  mostDown = (): number => mostDown(this.f);
  clear(): void {
    this.machines.events.length = 0;
  }
  /** The machine is gone as by a hand in the cloud's console; waits until the cluster has noticed. */
  async vanish(...gone: readonly string[]): Promise<void> {
    for (const letter of gone) this.f.cloud.cluster.stop(this.machine(letter).id);
    await new Promise((wake) => setTimeout(wake, 500));
    this.clear();
  }
  /** Kills terraform as soon as the cluster tells of the event. */
  async killed(event: string, signal: NodeJS.Signals = "SIGKILL", args: readonly string[] = []): Promise<RunResult> {
    return this.cut(args, signal, (kill) => {
      const watch = setInterval(() => {
        if (!this.machines.events.includes(event)) return;
        clearInterval(watch);
        kill();
      }, 2);
      return () => clearInterval(watch);
    });
  }
  /** Kills terraform while it updates the boot data of a machine. */
  async killedInBootUpdate(letter: string): Promise<RunResult> {
    return this.cut([], "SIGKILL", (kill) => {
      this.onBootUpdate = (name) => name === `demo-cp-${letter}` && kill();
      return () => {
        this.onBootUpdate = () => undefined;
      };
    });
  }
  async cut(args: readonly string[], signal: NodeJS.Signals, arm: (kill: () => void) => () => void): Promise<RunResult> {
    let disarm: () => void = () => undefined;
    // as the tool does: a local state is written in place, and the kill may leave it empty
    const state = join(this.f.w.dir, "terraform.tfstate");
    const kept = watchState(state, (problem) => {
      throw new Error(problem);
    });
    try {
      return await this.f.w.run(["apply", "-no-color", "-auto-approve", "-input=false", ...args], {
        expectFail: true,
        started: (pid) => {
          disarm = arm(() => process.kill(pid, signal));
        },
      });
    } finally {
      disarm();
      kept.stop();
      restoreState(state);
    }
  }
  /** At most one control plane was down, and all of them vote. */
  expectWhole(): void {
    expect(this.mostDown()).toBeLessThanOrEqual(1);
    expect([...this.machines.voters].sort()).toEqual(names);
    expect(names.every((name) => this.machines.votes(name))).toBe(true);
  }
}

const isNothing = (said: string): boolean => /Apply complete! Resources: 0 added, 0 changed, 0 destroyed/.test(said);

export const words = ({ stdout, stderr }: RunResult): string => flat(stdout + stderr);

/** Something that all machines share changes in place, as tags do. */
export const tagged =
  (value: string) =>
  (json: Json): void => {
    for (const type of ["honest_local_network", "honest_local_balancer", "honest_local_disk"])
      for (const resource of Object.values(json.resource?.[type] ?? {})) resource.tags = { owner: value };
  };
