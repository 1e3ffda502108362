import { describe, expect, it } from "vitest";
import { ref } from "../../../../constructs/iaas/resource.js";
import { unknown } from "../../../../provider/framework/value.js";
import { attributeAt, resolveArgs } from "../../../../provider/managed/resolve.js";

describe("references", () => {
  const values = { net: { id: "n1", network: [{ fixed_ip: "10.0.0.1" }] } };
  const lookUp = (name: string) => (name === "later" ? unknown : name === "net" ? values.net : undefined);

  it("become values at every depth; what is not known stays unknown", () => {
    const args = { a: ref("net", "id"), b: [ref("later", "id"), { c: ref("net", "network[0].fixed_ip") }], d: 1 };
    expect(resolveArgs(args, lookUp)).toEqual({ a: "n1", b: [unknown, { c: "10.0.0.1" }], d: 1 });
  });

  it("to nothing are a fault of the mapping", () => {
    expect(() => resolveArgs({ a: ref("nowhere", "id") }, lookUp)).toThrow("nowhere");
  });

  it.each([
    [{ "a.b": 1 }, "a.b", 1],
    [{ a: { b: 2 } }, "a.b", 2],
    [{ a: unknown }, "a.b", unknown],
    [{ a: null }, "a.b", null],
    [{}, "a", null],
  ])("%j at %s is %j", (value, path, wanted) => {
    expect(attributeAt(value, path)).toEqual(wanted);
  });
});
