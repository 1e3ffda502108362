// One handler per RPC of the provider service: look up, decode, call, encode. A throw inside a resource is a bug of the
// provider: one diagnostic, its cause in the log.
import { type Diagnostic, error } from "../framework/diagnostic.js";
import { fillDefaults } from "../framework/plan.js";
import type { Context, DataSource, EphemeralResource, Lease, Resource, StateResponse, ValidateRequest } from "../framework/resource.js";
import type { Schema } from "../framework/schema.js";
import { schemaType } from "../framework/types.js";
import type { ObjectValue } from "../framework/value.js";
import { writeOnlyProblems } from "../framework/write-only.js";
import { applyChange } from "./apply-change.js";
import { diagnosticMessages } from "./diagnostic-message.js";
import { decodeObject, encodeDynamic } from "./dynamic.js";
import { planChange } from "./plan-change.js";
import { schemaMessage } from "./schema-message.js";
import { bug, contextOf, readPrivate, type Session, writePrivate } from "./session.js";
import { decodeStateJson, plainStateJson } from "./state-json.js";
import type { Decoded } from "./wire.js";

export type Handler = (request: Decoded) => Promise<Decoded>;

const capabilities = { planDestroy: true, getProviderSchemaOptional: true };

interface Validated {
  readonly schema: Schema;
  validate?(request: ValidateRequest, context: Context): Promise<readonly Diagnostic[]>;
}

const configOf = (schema: Schema, request: Decoded): ObjectValue => decodeObject(schemaType(schema), request.config) ?? {};
const validated = (...problems: readonly (readonly Diagnostic[] | undefined)[]): Decoded => ({
  diagnostics: problems.flatMap(diagnosticMessages),
});
const leaseAnswer = (lease: Lease): Decoded => ({
  private: writePrivate(lease.private),
  ...(lease.renewAt ? { renewAt: { seconds: Math.floor(lease.renewAt.getTime() / 1000) } } : {}),
  diagnostics: diagnosticMessages(lease.diagnostics),
});

export function createServices(session: Session): Readonly<Record<string, Handler>> {
  const { provider } = session;
  const resources = new Map(provider.resources.map((r) => [r.name, r]));
  const dataSources = new Map(provider.dataSources.map((d) => [d.name, d]));
  const ephemerals = new Map(provider.ephemeralResources.map((e) => [e.name, e]));
  const find = <T extends { name: string }>(map: Map<string, T>, request: Decoded): T => {
    const found = map.get(request.typeName as string);
    if (!found) throw new Error(`the provider has no ${request.typeName}`);
    return found;
  };
  const schemas = (items: readonly (Resource | DataSource | EphemeralResource)[]): Decoded =>
    Object.fromEntries(items.map((item) => [item.name, schemaMessage(item.schema)]));
  const names = (items: readonly { name: string }[]): Decoded[] => items.map((item) => ({ typeName: item.name }));

  // every handler answers in its own message: the number of the diagnostics field differs, the name does not
  const guarded =
    (what: string, work: Handler): Handler =>
    async (request) => {
      try {
        return await work(request);
      } catch (cause) {
        return { diagnostics: diagnosticMessages([bug(session, `${what}${request.typeName ? ` of ${request.typeName}` : ""}`, cause)]) };
      }
    };

  const validate = async (item: Validated, request: Decoded): Promise<Decoded> =>
    validated(await item.validate?.({ config: configOf(item.schema, request) }, contextOf(session)));

  const stateAnswer = (schema: Schema, field: string, answer: StateResponse): Decoded => ({
    [field]: encodeDynamic(schemaType(schema), answer.state),
    private: writePrivate(answer.private),
    diagnostics: diagnosticMessages(answer.diagnostics),
  });

  const handlers: Record<string, Handler> = {
    GetMetadata: async () => ({
      serverCapabilities: capabilities,
      resources: names(provider.resources),
      dataSources: names(provider.dataSources),
      ephemeralResources: names(provider.ephemeralResources),
    }),
    GetProviderSchema: async () => ({
      provider: schemaMessage(provider.schema),
      resourceSchemas: schemas(provider.resources),
      dataSourceSchemas: schemas(provider.dataSources),
      ephemeralResourceSchemas: schemas(provider.ephemeralResources),
      serverCapabilities: capabilities,
    }),
    ValidateProviderConfig: async () => ({}),
    ConfigureProvider: async (request) => {
      const config = decodeObject(schemaType(provider.schema), request.config) ?? {};
      session.config = fillDefaults(provider.schema.attributes, config);
      return { diagnostics: diagnosticMessages(await provider.configure?.(session.config)) };
    },
    StopProvider: async () => {
      session.stop.abort(new Error("Terraform asked the provider to stop"));
      return {};
    },
    ValidateResourceConfig: async (request) => {
      const resource = find(resources, request);
      const allowed = (request.clientCapabilities as { writeOnlyAttributesAllowed?: boolean } | undefined)?.writeOnlyAttributesAllowed;
      const config = configOf(resource.schema, request);
      const refused = allowed ? [] : writeOnlyProblems(resource.schema.attributes, config);
      return validated(refused, await resource.validate?.({ config }, contextOf(session)));
    },
    ValidateDataResourceConfig: (request) => validate(find(dataSources, request), request),
    ValidateEphemeralResourceConfig: (request) => validate(find(ephemerals, request), request),
    UpgradeResourceState: async (request) => {
      const resource = find(resources, request);
      const type = schemaType(resource.schema);
      const json = (request.rawState as { json?: Uint8Array } | undefined)?.json ?? Buffer.from("null");
      const version = (request.version as number | undefined) ?? 0;
      if (version === resource.schema.version || !resource.upgrade) {
        if (version > resource.schema.version) {
          return {
            diagnostics: diagnosticMessages([
              error(
                "State of a newer provider",
                `${resource.name} is stored in schema version ${version}; this provider (${provider.version}) knows version ${resource.schema.version}. Use the provider version that wrote it, or a newer one.`,
              ),
            ]),
          };
        }
        return { upgradedState: encodeDynamic(type, decodeStateJson(type, json)) };
      }
      return { upgradedState: encodeDynamic(type, resource.upgrade(plainStateJson(json), version)) };
    },
    ReadResource: async (request) => {
      const resource = find(resources, request);
      const state = decodeObject(schemaType(resource.schema), request.currentState);
      if (state === null) return {};
      const held = readPrivate(request.private);
      const answer = await resource.read({ state, private: held }, contextOf(session));
      return stateAnswer(resource.schema, "newState", { private: held, ...answer });
    },
    PlanResourceChange: (request) => planChange(session, find(resources, request), request),
    ApplyResourceChange: (request) => applyChange(session, find(resources, request), request),
    ImportResourceState: async (request) => {
      const resource = find(resources, request);
      if (!resource.importState) {
        const why = resource.importRefused ?? "nothing of it can be found by an id.";
        return { diagnostics: diagnosticMessages([error(`${resource.name} cannot be imported`, why)]) };
      }
      const answer = await resource.importState(request.id as string, contextOf(session));
      if (answer.state === null) {
        const nothing = error(`${resource.name} is not there`, `Nothing was found that has the id "${request.id}".`);
        return { diagnostics: diagnosticMessages(answer.diagnostics?.length ? answer.diagnostics : [nothing]) };
      }
      const imported = {
        typeName: resource.name,
        state: encodeDynamic(schemaType(resource.schema), answer.state),
        private: writePrivate(answer.private),
      };
      return { importedResources: [imported], diagnostics: diagnosticMessages(answer.diagnostics) };
    },
    ReadDataSource: async (request) => {
      const source = find(dataSources, request);
      const config = fillDefaults(source.schema.attributes, configOf(source.schema, request));
      const answer = await source.read({ config }, contextOf(session));
      return { state: encodeDynamic(schemaType(source.schema), answer.state), diagnostics: diagnosticMessages(answer.diagnostics) };
    },
    OpenEphemeralResource: async (request) => {
      const ephemeral = find(ephemerals, request);
      const config = fillDefaults(ephemeral.schema.attributes, configOf(ephemeral.schema, request));
      const answer = await ephemeral.open({ config }, contextOf(session));
      return { result: encodeDynamic(schemaType(ephemeral.schema), answer.result), ...leaseAnswer(answer) };
    },
    RenewEphemeralResource: async (request) => {
      const held = readPrivate(request.private);
      const lease = await find(ephemerals, request).renew?.({ private: held }, contextOf(session));
      return leaseAnswer({ private: held, ...lease });
    },
    CloseEphemeralResource: async (request) => {
      const problems = await find(ephemerals, request).close?.({ private: readPrivate(request.private) }, contextOf(session));
      return { diagnostics: diagnosticMessages(problems) };
    },
    GetFunctions: async () => ({}),
  };
  return Object.fromEntries(Object.entries(handlers).map(([name, handler]) => [name, guarded(name, handler)]));
}
