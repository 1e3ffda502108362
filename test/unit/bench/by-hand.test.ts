import { describe, expect, it } from "vitest";
import { program, renamed, type StackJson } from "../../../bench/by-hand.js";

const stack: StackJson = {
  resource: {
    honest_node: {
      c_node_1: {
        cluster: "prod",
        vm_id: "${honest_local_machine.c_a_2.id}",
        depends_on: ["honest_local_machine.c_a_2", "honest_local_machine.c_a"],
        provider: "honest",
      },
    },
    honest_local_machine: {
      c_a_2: { name: "prod-a-`$${HOME}`", disk_ids: [1, null, true], lifecycle: { create_before_destroy: true } },
      c_a: { name: "prod-a", labels: { "a/b": "x" } },
    },
  },
  output: { complete: { value: "${honest_node.c_node_1.complete}", description: "Done.", sensitive: true } },
};

describe("the program by hand", () => {
  const text = program(stack, "prod", "text");

  it("makes whoever is referred to first, and refers to it by its own address", () => {
    expect(text).toMatch(/const r0 = new Resource\(stack, "r0", "honest_local_machine"[\s\S]*const r2 = .*"honest_node"/);
    expect(text).toContain("[`vm_id`]: `\\${honest_local_machine.r0.id}`");
    expect(text).toContain("{ dependsOn: [r0, r1] }");
  });

  it("tells addresses apart of which one begins like the other", () => {
    expect(renamed(stack).honest_node).toEqual({
      r2: expect.objectContaining({
        vm_id: "${honest_local_machine.r0.id}",
        depends_on: ["honest_local_machine.r0", "honest_local_machine.r1"],
      }),
    });
  });

  it("has the cluster's name as a parameter and every other text as it is", () => {
    expect(text).toContain("[`name`]: `${name}-a-\\`$\\${HOME}\\``");
    expect(text).toContain("[`disk_ids`]: [1, null, true]");
  });

  it("takes lifecycle as CDKTF's constructor does, and outputs", () => {
    expect(text).toContain('lifecycle: {"createBeforeDestroy":true}');
    expect(text).toContain(
      'new TerraformOutput(stack, "complete", { value: `\\${honest_node.r2.complete}`, description: "Done.", sensitive: true })',
    );
  });

  it("refers by fqn where that is asked for", () => {
    expect(program(stack, "prod", "fqn")).toContain("[`vm_id`]: `\\${${r0.fqn}.id}`");
  });

  it("says where resources refer to each other in a circle", () => {
    const circle = { resource: { a_b: { x: { to: "${a_b.y.id}" }, y: { to: "${a_b.x.id}" } } }, output: {} };
    expect(() => program(circle, "prod", "text")).toThrow(/circle at a_b\.x/);
  });
});
