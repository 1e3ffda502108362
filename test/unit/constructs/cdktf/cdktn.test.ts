// The same sources against cdktn: the build only renames the import.
import { expect, it, vi } from "vitest";

vi.mock("cdktf", () => import("cdktn"));

const { large, synth } = await import("../../../support/synth.js");
const { graphOf } = await import("../../../support/stack-graph.js");

it("gives the same addresses and edges under cdktn", async () => {
  const { TerraformStack } = await import("cdktf");
  const cdktn = await import("cdktn");
  expect(TerraformStack).toBe(cdktn.TerraformStack);
  const graph = graphOf(large("local"));
  expect([...graph.nodes.keys()].sort()).toMatchSnapshot();
  expect([...graph.direct([...graph.nodes.keys()].find((address) => /_barrier_/.test(address)) ?? "")]).toHaveLength(graph.nodes.size - 1);
});

it("has outputs and provider there too", () => {
  const json = synth("local");
  expect(Object.keys(json.output ?? {})).toContain("honest_access");
  expect(json.terraform?.required_providers?.honest?.source).toBe("honest-paas/honest");
});
