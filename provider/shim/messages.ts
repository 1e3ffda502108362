// The messages of a vendor's plugin as its client reads them. Protocols 5 and 6 have the same messages and numbers; six calls
// are named differently, and blocks stand in both.
import { diagnostic, empty, providerService, type Rpc, attribute as schemaAttribute } from "../protocol/messages.js";
import type { Field, FieldType, Message } from "../protocol/wire.js";

const one = (number: number, type: FieldType): Field => ({ number, type });
const many = (number: number, type: FieldType): Field => ({ number, type, repeated: true });
const message = (fields: Record<string, Field>): Message => ({ fields });

// blocks nest, so the table refers to itself
const blockFields: Record<string, Field> = { attributes: many(2, schemaAttribute) };
const block = message(blockFields);
blockFields.blocks = many(
  3,
  message({ typeName: one(1, "string"), block: one(2, block), nesting: one(3, "int"), minItems: one(4, "int"), maxItems: one(5, "int") }),
);
export const vendorSchema = message({ version: one(1, "int"), block: one(2, block) });

/** Schemas stay bytes until their type is asked for: a big vendor has hundreds. */
const schemas = (number: number): Field => ({ number, type: "bytes", map: true });
const getSchema: Rpc = {
  request: empty,
  response: message({
    provider: one(1, "bytes"),
    resourceSchemas: schemas(2),
    dataSourceSchemas: schemas(3),
    diagnostics: many(4, diagnostic),
  }),
};

const shared = (name: string): Rpc => {
  const rpc = providerService[name];
  if (!rpc) throw new Error(`messages.ts of the protocol has no ${name}`);
  return rpc;
};

export interface VendorRpc extends Rpc {
  readonly names: { readonly 5: string; readonly 6: string };
}

const both = (name: string): VendorRpc => ({ ...shared(name), names: { 5: name, 6: name } });
const renamed = (five: string, six: string, rpc = shared(six)): VendorRpc => ({ ...rpc, names: { 5: five, 6: six } });

export const rpcs = {
  schema: renamed("GetSchema", "GetProviderSchema", getSchema),
  validateProvider: renamed("PrepareProviderConfig", "ValidateProviderConfig"),
  configure: renamed("Configure", "ConfigureProvider"),
  stop: renamed("Stop", "StopProvider"),
  validate: renamed("ValidateResourceTypeConfig", "ValidateResourceConfig"),
  validateData: renamed("ValidateDataSourceConfig", "ValidateDataResourceConfig"),
  upgrade: both("UpgradeResourceState"),
  read: both("ReadResource"),
  plan: both("PlanResourceChange"),
  apply: both("ApplyResourceChange"),
  importState: both("ImportResourceState"),
  readData: both("ReadDataSource"),
} as const satisfies Readonly<Record<string, VendorRpc>>;

export const servicePrefix = { 5: "/tfplugin5.Provider/", 6: "/tfplugin6.Provider/" } as const;
