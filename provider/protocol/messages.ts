// The messages of plugin protocol 6 that we speak, as tables of field numbers. Newer fields of core are skipped, so one
// table serves every version from 6.0 on.
import type { Field, FieldType, Message } from "./wire.js";

const one = (number: number, type: FieldType): Field => ({ number, type });
const many = (number: number, type: FieldType): Field => ({ number, type, repeated: true });
const map = (number: number, type: FieldType): Field => ({ number, type, map: true });
/** One of several: that it is there says something, also when it is zero or empty. */
const choice = (number: number, type: FieldType): Field => ({ number, type, always: true });
const message = (fields: Record<string, Field>): Message => ({ fields });

export const empty = message({});

export const dynamicValue = message({ msgpack: one(1, "bytes"), json: one(2, "bytes") });
const rawState = message({ json: one(1, "bytes"), flatmap: map(2, "string") });

const attributePathStep = message({
  attributeName: choice(1, "string"),
  elementKeyString: choice(2, "string"),
  elementKeyInt: choice(3, "int"),
});
export const attributePath = message({ steps: many(1, attributePathStep) });
export const diagnostic = message({
  severity: one(1, "int"),
  summary: one(2, "string"),
  detail: one(3, "string"),
  attribute: one(4, attributePath),
});

// attributes nest, so the table refers to itself
const objectFields: Record<string, Field> = {};
const nestedObject = message(objectFields);
export const attribute = message({
  name: one(1, "string"),
  type: one(2, "bytes"),
  description: one(3, "string"),
  required: one(4, "bool"),
  optional: one(5, "bool"),
  computed: one(6, "bool"),
  sensitive: one(7, "bool"),
  descriptionKind: one(8, "int"),
  deprecated: one(9, "bool"),
  nestedType: one(10, nestedObject),
  writeOnly: one(11, "bool"),
});
objectFields.attributes = many(1, attribute);
objectFields.nesting = one(3, "int");

const block = message({
  version: one(1, "int"),
  attributes: many(2, attribute),
  description: one(4, "string"),
  descriptionKind: one(5, "int"),
});
export const schema = message({ version: one(1, "int"), block: one(2, block) });

const serverCapabilities = message({
  planDestroy: one(1, "bool"),
  getProviderSchemaOptional: one(2, "bool"),
  moveResourceState: one(3, "bool"),
});
const clientCapabilities = message({ deferralAllowed: one(1, "bool"), writeOnlyAttributesAllowed: one(2, "bool") });

const timestamp = message({ seconds: one(1, "int"), nanos: one(2, "int") });

const typeName = message({ typeName: one(1, "string") });

export interface Rpc {
  readonly request: Message;
  readonly response: Message;
}

/** Every RPC of tfplugin6.Provider that we answer, by its name. */
export const providerService: Readonly<Record<string, Rpc>> = {
  GetMetadata: {
    request: empty,
    response: message({
      serverCapabilities: one(1, serverCapabilities),
      diagnostics: many(2, diagnostic),
      dataSources: many(3, typeName),
      resources: many(4, typeName),
      functions: many(5, message({ name: one(1, "string") })),
      ephemeralResources: many(6, typeName),
    }),
  },
  GetProviderSchema: {
    request: empty,
    response: message({
      provider: one(1, schema),
      resourceSchemas: map(2, schema),
      dataSourceSchemas: map(3, schema),
      diagnostics: many(4, diagnostic),
      providerMeta: one(5, schema),
      serverCapabilities: one(6, serverCapabilities),
      ephemeralResourceSchemas: map(8, schema),
    }),
  },
  ValidateProviderConfig: {
    request: message({ config: one(1, dynamicValue) }),
    response: message({ diagnostics: many(2, diagnostic) }),
  },
  ConfigureProvider: {
    request: message({ terraformVersion: one(1, "string"), config: one(2, dynamicValue), clientCapabilities: one(3, clientCapabilities) }),
    response: message({ diagnostics: many(1, diagnostic) }),
  },
  StopProvider: { request: empty, response: message({ error: one(1, "string") }) },
  ValidateResourceConfig: {
    request: message({ typeName: one(1, "string"), config: one(2, dynamicValue), clientCapabilities: one(3, clientCapabilities) }),
    response: message({ diagnostics: many(1, diagnostic) }),
  },
  ValidateDataResourceConfig: {
    request: message({ typeName: one(1, "string"), config: one(2, dynamicValue) }),
    response: message({ diagnostics: many(1, diagnostic) }),
  },
  UpgradeResourceState: {
    request: message({ typeName: one(1, "string"), version: one(2, "int"), rawState: one(3, rawState) }),
    response: message({ upgradedState: one(1, dynamicValue), diagnostics: many(2, diagnostic) }),
  },
  ReadResource: {
    request: message({
      typeName: one(1, "string"),
      currentState: one(2, dynamicValue),
      private: one(3, "bytes"),
      clientCapabilities: one(5, clientCapabilities),
    }),
    response: message({ newState: one(1, dynamicValue), diagnostics: many(2, diagnostic), private: one(3, "bytes") }),
  },
  PlanResourceChange: {
    request: message({
      typeName: one(1, "string"),
      priorState: one(2, dynamicValue),
      proposedNewState: one(3, dynamicValue),
      config: one(4, dynamicValue),
      priorPrivate: one(5, "bytes"),
      clientCapabilities: one(7, clientCapabilities),
    }),
    response: message({
      plannedState: one(1, dynamicValue),
      requiresReplace: many(2, attributePath),
      plannedPrivate: one(3, "bytes"),
      diagnostics: many(4, diagnostic),
    }),
  },
  ApplyResourceChange: {
    request: message({
      typeName: one(1, "string"),
      priorState: one(2, dynamicValue),
      plannedState: one(3, dynamicValue),
      config: one(4, dynamicValue),
      plannedPrivate: one(5, "bytes"),
    }),
    response: message({ newState: one(1, dynamicValue), private: one(2, "bytes"), diagnostics: many(3, diagnostic) }),
  },
  ImportResourceState: {
    request: message({ typeName: one(1, "string"), id: one(2, "string"), clientCapabilities: one(3, clientCapabilities) }),
    response: message({
      importedResources: many(1, message({ typeName: one(1, "string"), state: one(2, dynamicValue), private: one(3, "bytes") })),
      diagnostics: many(2, diagnostic),
    }),
  },
  ReadDataSource: {
    request: message({ typeName: one(1, "string"), config: one(2, dynamicValue), clientCapabilities: one(4, clientCapabilities) }),
    response: message({ state: one(1, dynamicValue), diagnostics: many(2, diagnostic) }),
  },
  ValidateEphemeralResourceConfig: {
    request: message({ typeName: one(1, "string"), config: one(2, dynamicValue) }),
    response: message({ diagnostics: many(1, diagnostic) }),
  },
  OpenEphemeralResource: {
    request: message({ typeName: one(1, "string"), config: one(2, dynamicValue) }),
    response: message({
      diagnostics: many(1, diagnostic),
      renewAt: one(2, timestamp),
      result: one(3, dynamicValue),
      private: one(4, "bytes"),
    }),
  },
  RenewEphemeralResource: {
    request: message({ typeName: one(1, "string"), private: one(2, "bytes") }),
    response: message({ diagnostics: many(1, diagnostic), renewAt: one(2, timestamp), private: one(3, "bytes") }),
  },
  CloseEphemeralResource: {
    request: message({ typeName: one(1, "string"), private: one(2, "bytes") }),
    response: message({ diagnostics: many(1, diagnostic) }),
  },
  GetFunctions: { request: empty, response: message({ diagnostics: many(2, diagnostic) }) },
};
