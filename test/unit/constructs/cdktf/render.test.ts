import { describe, expect, it } from "vitest";
import { literal, renderArgs } from "../../../../constructs/cdktf/render.js";
import { ref } from "../../../../constructs/iaas/resource.js";

describe("renderArgs", () => {
  it("makes expressions of references, at any depth, and of nothing else", () => {
    const rendered = renderArgs(
      {
        a: ref("pki", "uid"),
        list: [ref("pki", "born"), 1],
        deep: { b: ref("pki", "token_seed") },
        none: null,
        yes: true,
        text: "pki.uid",
      },
      (name) => `honest_${name}.x`,
    );
    expect(rendered).toEqual({
      a: "$" + "{honest_pki.x.uid}",
      list: ["$" + "{honest_pki.x.born}", 1],
      deep: { b: "$" + "{honest_pki.x.token_seed}" },
      none: null,
      yes: true,
      text: "pki.uid",
    });
  });
});

describe("literal", () => {
  it.each([
    ["plain $ and % stay", "plain $ and % stay"],
    ["$" + "{HOSTNAME}", "$$" + "{HOSTNAME}"],
    ["%{ if x }", "%%{ if x }"],
    ["$$" + "{x}", "$$$" + "{x}"],
    ["100%", "100%"],
  ])("%s", (text, wanted) => {
    expect(literal(text)).toBe(wanted);
  });
});
