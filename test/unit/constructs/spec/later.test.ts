import { describe, expect, it } from "vitest";
import { later, laterFeature } from "../../../../constructs/spec/later.js";
import { parse } from "../../../../constructs/spec/parse.js";

it("knows a field of any group", () => {
  expect(laterFeature(["node_groups", "web", "gpu"])).toBe("GPUs");
  expect(laterFeature(["node_groups", "web", "zones"])).toBeUndefined();
  expect(laterFeature(["constructor"])).toBeUndefined();
});

describe("no entry stays when the schema has the field", () => {
  it.each(Object.keys(later))("%s", (field) => {
    const path = field.split(".").map((part) => (part === "*" ? "web" : part));
    const input: Record<string, unknown> = {
      name: "demo",
      version: "1.36.3",
      iaas: path[0] === "iaas" ? {} : { local: {} },
      ...(path[0] === "node_groups" ? { node_groups: { web: { scaling_config: { desired_size: 1 } } } } : {}),
    };
    let at = input;
    for (const part of path.slice(0, -1)) {
      at[part] ??= {};
      at = at[part] as Record<string, unknown>;
    }
    at[String(path.at(-1))] = "x";
    expect(parse(input).problems?.map((p) => [p.code, p.path.join(".")])).toContainEqual(["field.later", path.join(".")]);
  });
});
