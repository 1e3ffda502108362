// One handler per RPC of the provider service: look up, decode, call, encode. A throw inside a resource is a bug of the
// provider: one diagnostic, its cause in the log.
import { type Diagnostic, error } from "../framework/diagnostic.js";
import { fillDefaults, proposePlan, replacedBy } from "../framework/plan.js";
import type { Context, DataSource, EphemeralResource, Private, Provider, Resource, StateResponse } from "../framework/resource.js";
import type { Schema } from "../framework/schema.js";
import { schemaType } from "../framework/types.js";
import { hasUnknown, type ObjectValue } from "../framework/value.js";
import { diagnosticMessages, pathMessage } from "./diagnostic-message.js";
import { decodeObject, encodeDynamic } from "./dynamic.js";
import { schemaMessage } from "./schema-message.js";
import { decodeStateJson, plainStateJson } from "./state-json.js";
import type { Decoded } from "./wire.js";

export type Handler = (request: Decoded) => Promise<Decoded>;
export type Log = Context["log"];

const capabilities = { planDestroy: true, getProviderSchemaOptional: true };

const readPrivate = (bytes: unknown): Private => {
  const data = bytes as Uint8Array | undefined;
  return data && data.length > 0 ? (JSON.parse(Buffer.from(data).toString("utf8")) as Private) : {};
};
const writePrivate = (data: Private | undefined): Buffer =>
  data && Object.keys(data).length > 0 ? Buffer.from(JSON.stringify(data)) : Buffer.alloc(0);

export interface Session {
  readonly provider: Provider;
  readonly log: Log;
  readonly stop: AbortController;
  config: ObjectValue;
  readonly shared: Map<string, unknown>;
}

export function createSession(provider: Provider, log: Log): Session {
  return { provider, log, stop: new AbortController(), config: fillDefaults(provider.schema.attributes, {}), shared: new Map() };
}

function contextOf(session: Session): Context {
  return {
    signal: session.stop.signal,
    log: session.log,
    config: session.config,
    once<T>(key: string, make: () => T): T {
      if (!session.shared.has(key)) session.shared.set(key, make());
      return session.shared.get(key) as T;
    },
  };
}

function bug(session: Session, what: string, cause: unknown): Diagnostic {
  const stack = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  session.log("error", `${what}: ${stack}`);
  return error(
    "The provider has a bug",
    `${what} failed with: ${cause instanceof Error ? cause.message : cause}. This is a fault of the provider, not of your configuration; the stack is in the log (TF_LOG=error). Please report it.`,
  );
}

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
      const config = decodeObject(schemaType(resource.schema), request.config) ?? {};
      return { diagnostics: diagnosticMessages(await resource.validate?.({ config }, contextOf(session))) };
    },
    ValidateDataResourceConfig: async (request) => {
      const source = find(dataSources, request);
      const config = decodeObject(schemaType(source.schema), request.config) ?? {};
      return { diagnostics: diagnosticMessages(await source.validate?.({ config }, contextOf(session))) };
    },
    ValidateEphemeralResourceConfig: async (request) => {
      const ephemeral = find(ephemerals, request);
      const config = decodeObject(schemaType(ephemeral.schema), request.config) ?? {};
      return { diagnostics: diagnosticMessages(await ephemeral.validate?.({ config }, contextOf(session))) };
    },
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
      if (answer.state === null) return { diagnostics: diagnosticMessages(answer.diagnostics) };
      const imported = {
        typeName: resource.name,
        state: encodeDynamic(schemaType(resource.schema), answer.state),
        private: writePrivate(answer.private),
      };
      return { importedResources: [imported], diagnostics: diagnosticMessages(answer.diagnostics) };
    },
    ReadDataSource: async (request) => {
      const source = find(dataSources, request);
      const config = decodeObject(schemaType(source.schema), request.config) ?? {};
      const answer = await source.read({ config: fillDefaults(source.schema.attributes, config) }, contextOf(session));
      return { state: encodeDynamic(schemaType(source.schema), answer.state), diagnostics: diagnosticMessages(answer.diagnostics) };
    },
    OpenEphemeralResource: async (request) => {
      const ephemeral = find(ephemerals, request);
      const config = decodeObject(schemaType(ephemeral.schema), request.config) ?? {};
      const answer = await ephemeral.open({ config: fillDefaults(ephemeral.schema.attributes, config) }, contextOf(session));
      return { result: encodeDynamic(schemaType(ephemeral.schema), answer.result), diagnostics: diagnosticMessages(answer.diagnostics) };
    },
    RenewEphemeralResource: async () => ({}),
    CloseEphemeralResource: async () => ({}),
    GetFunctions: async () => ({}),
  };
  return Object.fromEntries(Object.entries(handlers).map(([name, handler]) => [name, guarded(name, handler)]));
}

async function planChange(session: Session, resource: Resource, request: Decoded): Promise<Decoded> {
  const type = schemaType(resource.schema);
  const prior = decodeObject(type, request.priorState);
  const config = decodeObject(type, request.config);
  const held = readPrivate(request.priorPrivate);
  const destroy = decodeObject(type, request.proposedNewState) === null;
  const proposed = destroy || config === null ? null : proposePlan(resource.schema, config, prior);
  const plan = resource.plan
    ? await resource.plan({ prior, config: destroy ? null : config, proposed, private: held }, contextOf(session))
    : { planned: proposed };
  const planned = plan.planned;
  const replace = planned === null ? [] : new Set([...replacedBy(resource.schema, prior, planned), ...(prior ? (plan.replace ?? []) : [])]);
  return {
    plannedState: encodeDynamic(type, planned),
    requiresReplace: [...replace].map((name) => pathMessage([name])),
    plannedPrivate: writePrivate(plan.private ?? held),
    diagnostics: diagnosticMessages(plan.diagnostics),
  };
}

async function applyChange(session: Session, resource: Resource, request: Decoded): Promise<Decoded> {
  const type = schemaType(resource.schema);
  const prior = decodeObject(type, request.priorState);
  const planned = decodeObject(type, request.plannedState);
  const held = readPrivate(request.plannedPrivate);
  const context = contextOf(session);
  // what is given back when the resource itself fails: the prior state, so that nothing is forgotten
  const fallback = (diagnostics: readonly Diagnostic[]): Decoded => ({
    newState: encodeDynamic(type, prior),
    private: writePrivate(held),
    diagnostics: diagnosticMessages(diagnostics),
  });
  try {
    if (planned === null) {
      if (prior === null) return {};
      const answer = await resource.delete({ prior, private: held }, context);
      return {
        newState: encodeDynamic(type, answer.state),
        private: writePrivate(answer.private ?? held),
        diagnostics: diagnosticMessages(answer.diagnostics),
      };
    }
    const config = decodeObject(type, request.config) ?? planned;
    const work = prior === null ? resource.create : resource.update;
    if (!work) return fallback([bug(session, `Update of ${resource.name}`, new Error("the resource cannot be changed in place"))]);
    const answer = await work.call(resource, { prior, planned, config, private: held }, context);
    const failed = answer.diagnostics?.some((d) => d.severity === "error") ?? false;
    if (answer.state !== null && !failed && hasUnknown(answer.state)) {
      return fallback([bug(session, `Apply of ${resource.name}`, new Error("an attribute is still unknown after apply"))]);
    }
    return {
      newState: encodeDynamic(type, answer.state),
      private: writePrivate(answer.private ?? held),
      diagnostics: diagnosticMessages(answer.diagnostics),
    };
  } catch (cause) {
    return fallback([bug(session, `Apply of ${resource.name}`, cause)]);
  }
}
