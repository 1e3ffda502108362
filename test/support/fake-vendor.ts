// A cloud in memory behind the port of provider/managed: objects with ids, one argument that changes in place, one that
// does not, and the refusal that every real cloud has: what is in use cannot be deleted.
import { error } from "../../provider/framework/diagnostic.js";
import { equalValues } from "../../provider/framework/equal.js";
import { hasUnknown, type ObjectValue, unknown } from "../../provider/framework/value.js";
import type { Answer, ApplyAsk, Vendor } from "../../provider/managed/vendor.js";

export interface FakeVendor extends Vendor {
  /** By id. */
  readonly objects: Map<string, ObjectValue>;
  /** "create a", "delete a" in the order in which they began. */
  readonly calls: string[];
  /** Calls that fail, "create a"; "half create a" leaves an object all the same. */
  readonly failing: Set<string>;
}

/** Arguments of every type: `name`, `value` (in place), `fixed` (replaces), `needs` (ids of others; replaces). */
export function fakeVendor(): FakeVendor {
  const objects = new Map<string, ObjectValue>();
  const calls: string[] = [];
  const failing = new Set<string>();
  let made = 0;
  const refused = (what: string, state: ObjectValue | null): Answer => ({ state, private: {}, diagnostics: [error("Refused", what)] });
  const good = (state: ObjectValue | null): Answer => ({ state, private: { seen: made }, diagnostics: [] });
  const users = (id: string): readonly string[] =>
    [...objects].filter(([, { needs }]) => Array.isArray(needs) && needs.includes(id)).map(([, { name }]) => String(name));

  async function apply({ prior, planned }: ApplyAsk): Promise<Answer> {
    const verb = planned === null ? "delete" : prior === null ? "create" : "update";
    const what = `${verb} ${String((planned ?? prior)?.name)}`;
    calls.push(what);
    await new Promise((done) => setImmediate(done));
    if (failing.has(what)) return refused(what, prior);
    if (planned === null) {
      const id = String(prior?.id);
      const inUse = users(id);
      if (inUse.length > 0) return refused(`${what}: in use by ${inUse.join(", ")}`, prior);
      objects.delete(id);
      return good(null);
    }
    if (hasUnknown({ ...planned, id: null })) return refused(`${what}: something is not known`, prior);
    const missing = (planned.needs as readonly string[]).filter((id) => !objects.has(id));
    if (missing.length > 0) return refused(`${what}: ${missing.join(", ")} is not there`, prior);
    const state = { ...planned, id: prior?.id ?? `id-${++made}` };
    objects.set(String(state.id), state);
    return failing.has(`half ${what}`) ? refused(what, state) : good(state);
  }

  return {
    objects,
    calls,
    failing,
    schemaVersion: () => 0,
    config: (_type, args) => ({
      name: args.name ?? null,
      value: args.value ?? null,
      fixed: args.fixed ?? null,
      needs: args.needs ?? [],
      id: null,
    }),
    upgrade: (_type, attributes) => attributes,
    equal: (_type, a, b) => equalValues(a, b),
    async plan({ prior, config }) {
      if (config === null) return { planned: null, replace: false, private: {}, diagnostics: [] };
      const differs = (name: string): boolean => !equalValues(config[name] ?? null, prior?.[name] ?? null);
      const replace = prior !== null && (differs("fixed") || differs("needs"));
      return {
        planned: { ...config, id: prior === null || replace ? unknown : (prior.id ?? null) },
        replace,
        private: {},
        diagnostics: [],
      };
    },
    apply,
    async read({ state, private: held }) {
      return { state: objects.get(String(state.id)) ?? null, private: held, diagnostics: [] };
    },
  };
}
