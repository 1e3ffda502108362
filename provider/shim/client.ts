// One client for protocols 5 and 6: encodes, calls, decodes. What it does beyond that is what core does as well: it proposes
// the new state of a plan, mends what SDKv2 leaves out, and refuses stored state of a newer schema.
import { error } from "../framework/diagnostic.js";
import type { ObjectValue } from "../framework/value.js";
import { decodeObject, encodeDynamic } from "../protocol/dynamic.js";
import { type Decoded, decode, encode } from "../protocol/wire.js";
import { completeConfig } from "./config.js";
import { decodeSchema } from "./decode-schema.js";
import { diagnosticsOf, hasErrors, pathOf } from "./diagnostics.js";
import { rpcs, servicePrefix, type VendorRpc } from "./messages.js";
import { normalizeBlocks } from "./normalize.js";
import type { ProcessIdentity } from "./process-identity.js";
import { proposedNew } from "./proposed.js";
import type { VendorSchema } from "./schema.js";
import { type Vendor, VendorProblem, type VendorState } from "./vendor.js";

/** The way to a plugin. Rejects with `VendorLost` when there is no answer. */
export interface Transport {
  readonly protocol: 5 | 6;
  call(path: string, request: Uint8Array): Promise<Uint8Array>;
  /** See `Vendor`. */
  readonly process: ProcessIdentity | null;
  alive(): boolean;
  close(): Promise<void>;
}

export interface ClientOptions {
  /** See `Vendor.name`. */
  readonly name: string;
  /** What some vendors put into their user agent. */
  readonly terraformVersion: string;
}

interface Schemas {
  readonly provider: Uint8Array;
  readonly resourceSchemas: Readonly<Record<string, Uint8Array>>;
  readonly dataSourceSchemas: Readonly<Record<string, Uint8Array>>;
}

// without it a provider refuses every write-only value
const clientCapabilities = { writeOnlyAttributesAllowed: true };
const none = new Uint8Array();
const bytes = (value: unknown): Uint8Array => Uint8Array.from((value as Uint8Array | undefined) ?? none);

export function createClient(transport: Transport, { name, terraformVersion }: ClientOptions): Vendor {
  const { protocol } = transport;
  const decoded = new Map<string, VendorSchema>();
  let loaded: Promise<Schemas> | undefined;

  const call = async (rpc: VendorRpc, request: Decoded): Promise<Decoded> => {
    const answer = await transport.call(`${servicePrefix[protocol]}${rpc.names[protocol]}`, encode(rpc.request, request));
    return decode(rpc.response, answer);
  };

  const schemas = (): Promise<Schemas> => {
    loaded ??= (async () => {
      const answer = await call(rpcs.schema, {});
      const problem = diagnosticsOf(answer.diagnostics).find((d) => d.severity === "error");
      if (problem) throw new VendorProblem(`${name} cannot tell its schema`, `${problem.summary}: ${problem.detail}`);
      return { provider: none, ...answer } as unknown as Schemas;
    })();
    return loaded;
  };

  const schemaOf = (kind: "resource" | "data source", type: string, all: Readonly<Record<string, Uint8Array>>): VendorSchema => {
    const key = `${kind} ${type}`;
    const known = decoded.get(key);
    if (known) return known;
    const raw = Object.hasOwn(all, type) ? all[type] : undefined;
    if (!raw) {
      const detail = `${name} has no ${kind} of this name. A newer or an older version of the provider may have it.`;
      throw new VendorProblem(`No ${kind} ${type}`, detail);
    }
    const schema = decodeSchema(raw);
    decoded.set(key, schema);
    return schema;
  };
  const resourceSchema = async (type: string): Promise<VendorSchema> => schemaOf("resource", type, (await schemas()).resourceSchemas);
  const dataSchema = async (type: string): Promise<VendorSchema> => schemaOf("data source", type, (await schemas()).dataSourceSchemas);
  const providerSchema = async (): Promise<VendorSchema> => decodeSchema((await schemas()).provider);

  const stateOf = (schema: VendorSchema, state: unknown, answer: Decoded): VendorState => ({
    state: decodeObject(schema.type, state),
    private: bytes(answer.private),
    diagnostics: diagnosticsOf(answer.diagnostics),
  });

  return {
    name,
    protocol,
    process: transport.process,
    alive: () => transport.alive(),
    schema: resourceSchema,
    dataSchema,
    providerSchema,

    async configure(config) {
      const schema = await providerSchema();
      const complete = completeConfig(schema.block, config);
      if (hasErrors(complete.diagnostics)) return complete.diagnostics;
      const value = encodeDynamic(schema.type, complete.config);
      const checked = diagnosticsOf((await call(rpcs.validateProvider, { config: value })).diagnostics);
      if (hasErrors(checked)) return checked;
      const answer = await call(rpcs.configure, { terraformVersion, config: value, clientCapabilities });
      return [...checked, ...diagnosticsOf(answer.diagnostics)];
    },

    async validate(typeName, config) {
      const schema = await resourceSchema(typeName);
      const answer = await call(rpcs.validate, { typeName, config: encodeDynamic(schema.type, config), clientCapabilities });
      return diagnosticsOf(answer.diagnostics);
    },

    async plan(typeName, { config, prior, private: priorPrivate }) {
      const schema = await resourceSchema(typeName);
      const proposed = config === null ? null : proposedNew(schema.block, prior, config);
      const answer = await call(rpcs.plan, {
        typeName,
        priorState: encodeDynamic(schema.type, prior),
        proposedNewState: encodeDynamic(schema.type, proposed),
        config: encodeDynamic(schema.type, config),
        priorPrivate,
        clientCapabilities,
      });
      return {
        planned: decodeObject(schema.type, answer.plannedState),
        requiresReplace: ((answer.requiresReplace ?? []) as unknown[]).map(pathOf),
        private: bytes(answer.plannedPrivate),
        diagnostics: diagnosticsOf(answer.diagnostics),
      };
    },

    async apply(typeName, { config, prior, planned, private: plannedPrivate }) {
      const schema = await resourceSchema(typeName);
      const answer = await call(rpcs.apply, {
        typeName,
        priorState: encodeDynamic(schema.type, prior),
        plannedState: encodeDynamic(schema.type, planned),
        config: encodeDynamic(schema.type, config),
        plannedPrivate,
      });
      return stateOf(schema, answer.newState, answer);
    },

    async read(typeName, { state, private: held }) {
      const schema = await resourceSchema(typeName);
      const answer = await call(rpcs.read, {
        typeName,
        currentState: encodeDynamic(schema.type, state),
        private: held,
        clientCapabilities,
      });
      const seen = stateOf(schema, answer.newState, answer);
      return seen.state === null ? seen : { ...seen, state: normalizeBlocks(schema.block, seen.state) };
    },

    async upgrade(typeName, { version, json }) {
      const schema = await resourceSchema(typeName);
      if (version > schema.version) {
        const detail = `${typeName} is stored in schema version ${version}; ${name} knows version ${schema.version}. Use the version of the provider that wrote it, or a newer one.`;
        return { state: null, diagnostics: [error("State of a newer provider", detail)] };
      }
      const answer = await call(rpcs.upgrade, { typeName, version, rawState: { json: Buffer.from(json) } });
      return { state: decodeObject(schema.type, answer.upgradedState), diagnostics: diagnosticsOf(answer.diagnostics) };
    },

    async importState(typeName, id) {
      const schema = await resourceSchema(typeName);
      const answer = await call(rpcs.importState, { typeName, id, clientCapabilities });
      // a resource may import others beside itself; what was asked for carries its type
      const own = ((answer.importedResources ?? []) as Decoded[]).find((imported) => imported.typeName === typeName);
      return stateOf(schema, own?.state, { private: own?.private, diagnostics: answer.diagnostics });
    },

    async readData(typeName, given: ObjectValue) {
      const schema = await dataSchema(typeName);
      const complete = completeConfig(schema.block, given);
      if (hasErrors(complete.diagnostics)) return { state: null, private: none, diagnostics: complete.diagnostics };
      const config = encodeDynamic(schema.type, complete.config);
      const checked = diagnosticsOf((await call(rpcs.validateData, { typeName, config })).diagnostics);
      if (hasErrors(checked)) return { state: null, private: none, diagnostics: checked };
      const answer = await call(rpcs.readData, { typeName, config, clientCapabilities });
      const read = stateOf(schema, answer.state, answer);
      return { ...read, diagnostics: [...checked, ...read.diagnostics] };
    },

    async stop() {
      await call(rpcs.stop, {});
    },
    close: () => transport.close(),
  };
}
