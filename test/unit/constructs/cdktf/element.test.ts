import { TerraformStack, Testing } from "cdktf";
import { describe, expect, it } from "vitest";
import { Element, ProviderElement } from "../../../../constructs/cdktf/element.js";
import { nullProviderConfig } from "../../../support/null-config.js";

const stack = () => new TerraformStack(Testing.app(), "s");
const json = (of: TerraformStack) => JSON.parse(Testing.synth(of, true)) as { resource?: Record<string, Record<string, object>> };
const element = (of: TerraformStack, over: object = {}) =>
  new Element(of, "x", { type: "null_resource", args: () => ({}), dependsOn: () => [], ...over });

describe("Element", () => {
  it("asks for its arguments at synth, not before", () => {
    const of = stack();
    new ProviderElement(of, "null", nullProviderConfig);
    let text = "early";
    element(of, { args: () => ({ triggers: { text } }) });
    text = "late";
    expect(Object.values(json(of).resource?.null_resource ?? {})).toEqual([{ triggers: { text: "late" } }]);
  });

  it("keeps the case of keys that are the user's", () => {
    const of = stack();
    new ProviderElement(of, "null", nullProviderConfig);
    element(of, { args: () => ({ triggers: { "example.com/someKey": "1" } }) });
    expect(Object.values(json(of).resource?.null_resource ?? {})).toEqual([{ triggers: { "example.com/someKey": "1" } }]);
  });

  it("fails when its provider is not there", () => {
    const of = stack();
    element(of);
    expect(() => Testing.synth(of, true)).toThrow(/null/);
  });

  it("says lifecycle only where it has one", () => {
    const of = stack();
    new ProviderElement(of, "null", nullProviderConfig);
    element(of, { lifecycle: { createBeforeDestroy: false, preventDestroy: true, ignoreChanges: [] } });
    expect(Object.values(json(of).resource?.null_resource ?? {})).toEqual([{ lifecycle: { prevent_destroy: true } }]);
  });
});

it("refuses a change of a provider's alias, which CDKTF would ignore", () => {
  const provider = new ProviderElement(stack(), "null", { ...nullProviderConfig, alias: "far" });
  expect(provider.alias).toBe("far");
  expect(() => {
    provider.alias = "near";
  }).toThrow(/alias/);
});
