// What is kept of each object that a managed resource has made: the inner state, a part of the outer resource's private
// data. JSON, so that it survives Terraform.
import type { ObjectValue } from "../framework/value.js";

/** One object as its vendor's provider left it. `private` is that provider's own and goes back to it as it came. */
export interface Instance {
  readonly type: string;
  readonly schema_version: number;
  readonly attributes: ObjectValue;
  readonly private: unknown;
  /** Names of resources that it was made after: whoever takes it away later may know nothing else of them. */
  readonly dependencies: readonly string[];
  /** Its create failed half-way: the next plan replaces it. */
  readonly tainted?: true;
}

/** All that is known under a name of the blueprint. */
export interface Held {
  /** Null: only what a replacement has left behind. */
  readonly current: Instance | null;
  /** Replaced by `current`, and still there since their destroy failed. */
  readonly deposed: readonly Instance[];
}

export type Inventory = Readonly<Record<string, Held>>;

export const nothing: Inventory = {};

/** The objects of a walk: changed one at a time, read whole at its end. `changed` is told after every change. */
export class Ledger {
  private readonly held = new Map<string, Held>();

  constructor(
    inventory: Inventory,
    private readonly changed: (inventory: Inventory) => void = () => undefined,
  ) {
    for (const [name, held] of Object.entries(inventory)) this.held.set(name, held);
  }

  current(name: string): Instance | null {
    return this.held.get(name)?.current ?? null;
  }

  /** Ids of all objects of a type, those that were replaced as well. */
  ids(type: string): readonly string[] {
    const all = [...this.held.values()].flatMap(({ current, deposed }) => [...(current ? [current] : []), ...deposed]);
    return all.flatMap((one) => (one.type === type && typeof one.attributes.id === "string" ? [one.attributes.id] : []));
  }

  names(): readonly string[] {
    return [...this.held.keys()].sort();
  }

  deposed(name: string): readonly Instance[] {
    return this.held.get(name)?.deposed ?? [];
  }

  /** Null: it is gone. */
  set(name: string, current: Instance | null): void {
    this.put(name, { current, deposed: this.deposed(name) });
  }

  /** Only seen again, not changed: nobody is told. */
  seen(name: string, current: Instance | null): void {
    this.put(name, { current, deposed: this.deposed(name) }, false);
  }

  /** The successor is about to be made under the same name. */
  depose(name: string): void {
    const { current, deposed } = this.held.get(name) ?? { current: null, deposed: [] };
    this.put(name, { current: null, deposed: current ? [...deposed, current] : deposed });
  }

  /** `kept`: what is left of it after a failed destroy; null: it is gone. */
  settle(name: string, gone: Instance, kept: Instance | null): void {
    const deposed = this.deposed(name).flatMap((one) => (one !== gone ? [one] : kept ? [kept] : []));
    this.put(name, { current: this.current(name), deposed });
  }

  inventory(): Inventory {
    return Object.fromEntries(this.names().flatMap((name) => [[name, this.held.get(name) as Held]]));
  }

  private put(name: string, held: Held, tell = true): void {
    if (held.current === null && held.deposed.length === 0) this.held.delete(name);
    else this.held.set(name, held);
    if (tell) this.changed(this.inventory());
  }
}
