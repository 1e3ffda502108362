import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, releaseOf } from "../../../../constructs/blueprint/machine-spec.js";
import { blueprintOf } from "../../../support/blueprint.js";

const worker = () => {
  const [member] = blueprintOf({ node_groups: { web: { scaling_config: { desired_size: 1 } } } }).groups[0]?.workers ?? [];
  if (!member) throw new Error("no worker");
  return member;
};

describe("releaseOf", () => {
  it("is pinned: an update of the kit rolls no machine", () => {
    expect(worker().release).toBe("rbe9d48eb0e43");
  });

  it("does not see in which order a spec was written", () => {
    const { spec } = worker();
    const turned = Object.fromEntries(Object.entries(spec).reverse()) as typeof spec;
    expect(releaseOf(turned)).toBe(releaseOf(spec));
  });
});

it("writes any value the same way whatever the order of its keys", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const turned = Object.fromEntries(Object.entries(value).reverse());
      return canonicalJson(turned) === canonicalJson(value);
    }),
  );
});
