// A provider made of functions for the tests of the protocol and the framework: "toy_thing" keeps its objects in memory.
import type { Provider, Resource } from "../../provider/framework/resource.js";
import type { ObjectValue, Value } from "../../provider/framework/value.js";

export interface Toy {
  readonly provider: Provider;
  readonly objects: Map<string, ObjectValue>;
}

export function toyProvider(overrides: Partial<Resource> = {}, others: Partial<Provider> = {}): Toy {
  const objects = new Map<string, ObjectValue>();
  let next = 0;
  const thing: Resource = {
    name: "toy_thing",
    schema: {
      version: 1,
      description: "A thing.",
      attributes: {
        name: { type: "string", required: true, change: "replace", description: "Name." },
        size: { type: "number", default: 1, description: "Size." },
        note: { type: "string", optional: true, description: "Note." },
        tags: { type: { map: "string" }, optional: true, description: "Tags." },
        any: { type: "dynamic", optional: true, description: "Anything." },
        pass: { type: "string", optional: true, writeOnly: true, description: "Password." },
        secret: { type: "string", optional: true, sensitive: true, description: "Secret." },
        rules: {
          nested: {
            mode: "list",
            attributes: {
              port: { type: "number", required: true, description: "Port." },
              proto: { type: "string", default: "tcp", description: "Protocol." },
              rule_id: { type: "string", computed: true, description: "Id." },
            },
          },
          optional: true,
          description: "Rules.",
        },
        id: { type: "string", computed: true, description: "Id." },
        serial: { type: "number", computed: true, description: "Raised by each update." },
      },
    },
    async plan({ prior, proposed, private: held }) {
      if (proposed === null) return { planned: null };
      // the id of a thing stays for its life
      return { planned: prior && proposed !== prior ? { ...proposed, id: prior.id as Value } : proposed, private: held };
    },
    async create({ planned }) {
      next += 1;
      const id = `t-${next}`;
      const state = settle({ ...planned, id, serial: 1 });
      objects.set(id, state);
      return { state, private: { made: id } };
    },
    async read({ state }) {
      return { state: objects.get(String(state.id)) ?? null };
    },
    async update({ prior, planned }) {
      const state = settle({ ...planned, serial: Number(prior?.serial ?? 0) + 1 });
      objects.set(String(state.id), state);
      return { state };
    },
    async delete({ prior }) {
      objects.delete(String(prior.id));
      return { state: null };
    },
    async importState(id) {
      return { state: objects.get(id) ?? null };
    },
    ...overrides,
  };
  return {
    objects,
    provider: {
      version: "0.0.1",
      schema: { version: 0, description: "Toy.", attributes: {} },
      resources: [thing],
      dataSources: [],
      ephemeralResources: [],
      ...others,
    },
  };
}

function settle(state: ObjectValue): ObjectValue {
  const rules = state.rules;
  if (!Array.isArray(rules)) return state;
  return { ...state, rules: rules.map((rule, i) => ({ ...(rule as ObjectValue), rule_id: `r-${i}` })) };
}
