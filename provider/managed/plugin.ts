// A vendor's plugin behind the port: plans and reads as they come, changes through the executor, which journals them and looks
// for what was lost.
import type { LookupOf } from "../clouds/cloud.js";
import { equalOfType } from "../framework/equal.js";
import type { Log } from "../framework/resource.js";
import type { ObjectValue } from "../framework/value.js";
import { stateJson } from "../protocol/state-text.js";
import { completeConfig } from "../shim/config.js";
import { hasErrors } from "../shim/diagnostics.js";
import { createExecutor } from "../shim/executor.js";
import type { Lookups, ObjectPlan, ObjectState } from "../shim/instance-types.js";
import type { Journal } from "../shim/journal.js";
import { lostDiagnostic, planDestroy, planObject, readObject } from "../shim/object.js";
import type { Pace } from "../shim/run.js";
import { loadObject } from "../shim/stored.js";
import { type Vendor as Plugin, VendorProblem } from "../shim/vendor.js";
import type { VendorPool } from "../shim/vendor-pool.js";
import { guardedLookup } from "./guarded-lookup.js";
import type { Answer, ApplyAsk, PlanAsk, Planned, ReadAsk, Vendor } from "./vendor.js";

export interface PluginOptions {
  readonly vendors: VendorPool;
  /** Opened at the first change; throws `VendorProblem` when another run holds it. */
  readonly journal: () => Promise<Journal>;
  /** See `Vendor.settled`. */
  readonly settled: (name: string) => void;
  readonly lookups: LookupOf;
  readonly log: Log;
  /** Aborted: nothing new is begun, what is under way ends. */
  readonly signal: AbortSignal;
  readonly pace?: Partial<Pace>;
}

/** As the inventory keeps it: base64; anything else is none. */
const bytesOf = (held: unknown): Uint8Array => (typeof held === "string" ? Buffer.from(held, "base64") : new Uint8Array());
const textOf = (held: Uint8Array): string => Buffer.from(held).toString("base64");

export function pluginVendor(options: PluginOptions): Vendor {
  const { vendors } = options;
  const dataRead = new Map<string, Promise<Answer>>();

  /** Plain data, as it comes back from the inventory: an object that was just made is equal to itself a run later. */
  const plain = async (type: string, value: ObjectValue): Promise<ObjectValue> => {
    const schema = await (await vendors.get()).schema(type);
    return JSON.parse(stateJson(schema.type, value)) as ObjectValue;
  };
  const answerOf = async (type: string, state: ObjectState | null, diagnostics: Answer["diagnostics"]): Promise<Answer> => ({
    state: state && (await plain(type, state.value)),
    private: state ? textOf(state.private) : {},
    diagnostics,
  });
  /** What is there stays as it is known when nobody can be asked. */
  const orLost = async (ask: () => Promise<Answer>, kept: Pick<Answer, "state" | "private">): Promise<Answer> => {
    try {
      return await ask();
    } catch (cause) {
      return { ...kept, diagnostics: [lostDiagnostic(cause)] };
    }
  };

  async function plan({ type, prior, config, private: held }: PlanAsk): Promise<Planned> {
    if (config === null) return { planned: null, replace: false, private: held, diagnostics: [] };
    try {
      const vendor = await vendors.get();
      const wrong = await vendor.validate(type, config);
      if (hasErrors(wrong)) return { planned: prior, replace: false, private: held, diagnostics: wrong };
      const before = prior && { value: prior, private: bytesOf(held) };
      const made = await planObject(vendor, type, config, before, { private: bytesOf(held) });
      const diagnostics = [...wrong, ...made.diagnostics];
      if (made.plan === null) return { planned: prior, replace: false, private: held, diagnostics };
      const { planned, plannedPrivate, action } = made.plan;
      return { planned, replace: action === "replace", private: textOf(plannedPrivate), diagnostics };
    } catch (cause) {
      return { planned: prior, replace: false, private: held, diagnostics: [lostDiagnostic(cause)] };
    }
  }

  /** The journal as one change sees it: what the state knows by now is no open matter any more. */
  async function watched(name: string, known: readonly string[]) {
    const journal = await options.journal();
    const open = new Map([...journal.open].filter(([, { id }]) => id === null || !known.includes(id)));
    let begun = open.has(name);
    const own: Journal = {
      ...journal,
      open,
      begin(intent) {
        begun ||= intent.action === "create";
        return journal.begin(intent);
      },
    };
    return { journal: own, begun: () => begun };
  }

  async function carryOut(ask: ApplyAsk): Promise<Answer> {
    const { type, name, known, prior, config, planned, private: held } = ask;
    const { journal, begun } = await watched(name, known);
    const found = planned === null ? null : options.lookups(type, planned);
    const lookups: Lookups = found ? { [type]: guardedLookup(found.lookup, { ...found, address: name, type, known, begun }) } : {};
    const executor = createExecutor({ ...options, journal, lookups });
    const drain = (): void => void executor.drain();
    options.signal.addEventListener("abort", drain, { once: true });
    try {
      const before = prior && { value: prior, private: bytesOf(held) };
      const action = prior === null ? "create" : "update";
      const change: ObjectPlan =
        planned === null && before
          ? planDestroy(type, before)
          : { type, action, prior: before, config, planned, plannedPrivate: bytesOf(held), changed: [], replacedBy: [] };
      const applied = await executor.apply(name, change);
      return await answerOf(type, applied.state, applied.diagnostics);
    } finally {
      options.signal.removeEventListener("abort", drain);
    }
  }

  async function read({ type, state, private: held }: ReadAsk): Promise<Answer> {
    const seen = await readObject(await vendors.get(), type, { value: state, private: bytesOf(held) });
    return answerOf(type, seen.state, seen.diagnostics);
  }

  async function readData(type: string, args: ObjectValue): Promise<Answer> {
    const vendor = await vendors.get();
    const { config, diagnostics } = completeConfig((await vendor.dataSchema(type)).block, args);
    if (hasErrors(diagnostics)) return { state: null, private: {}, diagnostics };
    const answer = await vendor.readData(type, config);
    return { state: hasErrors(answer.diagnostics) ? null : answer.state, private: {}, diagnostics: answer.diagnostics };
  }

  return {
    schemaVersion: async (type) => (await (await vendors.get()).schema(type)).version,
    config: async (type, args) => configOf(await vendors.get(), type, args),
    async upgrade(type, attributes, version) {
      const vendor = await vendors.get();
      const stored = { type, schema_version: version, attributes: JSON.stringify(attributes), private: "" };
      const { state, diagnostics } = await loadObject(vendor, stored);
      if (state) return plain(type, state.value);
      const problem = diagnostics.find((d) => d.severity === "error");
      throw new VendorProblem(problem?.summary ?? "A stored object cannot be read", problem?.detail ?? `${vendor.name}: ${type}`);
    },
    equal: async (type, a, b) => equalOfType((await (await vendors.get()).schema(type)).type, a, b),
    plan,
    apply: (ask) => orLost(() => carryOut(ask), { state: ask.prior, private: ask.private }),
    read: (ask) => orLost(() => read(ask), { state: ask.state, private: ask.private }),
    settled: (name) => options.settled(name),
    data(type, args) {
      const key = JSON.stringify([type, args]);
      const asked = dataRead.get(key) ?? orLost(() => readData(type, args), { state: null, private: {} });
      dataRead.set(key, asked);
      return asked;
    },
  };
}

async function configOf(vendor: Plugin, type: string, args: ObjectValue): Promise<ObjectValue> {
  const { config, diagnostics } = completeConfig((await vendor.schema(type)).block, args);
  const problem = diagnostics.find((d) => d.severity === "error");
  if (!problem) return config;
  const where = (problem.path ?? []).map((part) => (typeof part === "object" ? part.key : part)).join(".");
  throw new VendorProblem(
    problem.summary,
    `${type}, ${where}: ${problem.detail} The mapping of this cloud and ${vendor.name} do not fit; use a version of the provider that the kit was tested with.`,
  );
}
