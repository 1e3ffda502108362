import { describe, expect, it } from "vitest";
import type { Attribute } from "../../../../provider/framework/schema.js";
import { unknown } from "../../../../provider/framework/value.js";
import { writeOnlyProblems } from "../../../../provider/framework/write-only.js";

const secret: Attribute = { type: "string", optional: true, writeOnly: true, description: "" };
const nested = (mode: "single" | "list" | "map"): Attribute => ({
  nested: { mode, attributes: { secret } },
  optional: true,
  description: "",
});
const attributes = { secret, one: nested("single"), many: nested("list"), named: nested("map") };

describe("write-only attributes where core would store them", () => {
  it("are refused where they are set, at every level", () => {
    const config = { secret: unknown, one: { secret: "s" }, many: [{ secret: null }, { secret: "s" }], named: { k: { secret: "s" } } };
    expect(writeOnlyProblems(attributes, config).map((p) => p.path)).toEqual([
      ["secret"],
      ["one", "secret"],
      ["many", 1, "secret"],
      ["named", { key: "k" }, "secret"],
    ]);
  });

  it("are nothing to say about when they are left out", () => {
    expect(writeOnlyProblems(attributes, { one: { secret: null }, many: unknown })).toEqual([]);
  });
});
