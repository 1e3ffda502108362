// hashicorp/null as far as a preview needs it, with a log: in which order terraform really makes and takes away.
import type { Provider, Resource } from "../../provider/framework/resource.js";
import type { ObjectValue } from "../../provider/framework/value.js";

export interface NullProvider {
  readonly provider: Provider;
  /** "create machine demo-cp-a", "delete node demo-cp-a": verb, kind and name of the block. */
  readonly events: string[];
}

export function nullProvider(): NullProvider {
  const events: string[] = [];
  let next = 0;
  const log = (verb: string, state: ObjectValue): void => {
    const triggers = (state.triggers ?? {}) as Readonly<Record<string, string>>;
    const spec = triggers.spec === undefined ? undefined : (JSON.parse(triggers.spec) as { name: string });
    events.push(`${verb} ${triggers.kind} ${triggers.name ?? spec?.name ?? triggers.cluster}`);
  };
  const resource: Resource = {
    name: "null_resource",
    schema: {
      version: 0,
      description: "Nothing.",
      attributes: {
        triggers: { type: { map: "string" }, optional: true, change: "replace", description: "A change is a replacement." },
        id: { type: "string", computed: true, description: "Id." },
      },
    },
    async create({ planned }) {
      next += 1;
      const state = { ...planned, id: String(next) };
      log("create", state);
      return { state };
    },
    read: async ({ state }) => ({ state }),
    async delete({ prior }) {
      log("delete", prior);
      return { state: null };
    },
  };
  return {
    events,
    provider: {
      version: "3.2.4",
      schema: { version: 0, description: "Nothing.", attributes: {} },
      resources: [resource],
      dataSources: [],
      ephemeralResources: [],
    },
  };
}
