import { expect, it } from "vitest";
import { chooseCluster, clustersIn } from "../../../../../provider/cli/kubeconfig/access.js";

const access = (endpoint: string) => ({ endpoint, ca_bundle: "ca", client_ca_cert: "c", client_ca_key: "k" });
const resource = (type: string, ...attributes: object[]) => ({
  mode: "managed",
  type,
  name: "x",
  instances: attributes.map((a) => ({ attributes: a as Record<string, unknown> })),
});

it("takes the barrier's access, and a membership's where the barrier is not made yet", () => {
  const found = clustersIn({
    resources: [
      resource("honest_node", { cluster: "a", access: access("https://node") }, { cluster: "b", access: access("https://b") }),
      resource("honest_barrier", { cluster: "a", access: access("https://barrier") }),
      resource("null_resource", { cluster: "c", access: access("https://c") }),
    ],
  });
  expect(found.map((c) => [c.cluster, c.endpoint])).toEqual([
    ["a", "https://barrier"],
    ["b", "https://b"],
  ]);
});

it("passes over what is not whole", () => {
  expect(
    clustersIn({
      resources: [resource("honest_barrier", { cluster: "a", access: null }, { cluster: "b", access: { endpoint: "x" } }, {})],
    }),
  ).toEqual([]);
});

const clusters = clustersIn({
  resources: [resource("honest_barrier", { cluster: "a", access: access("x") }, { cluster: "b", access: access("y") })],
});

it("chooses by name", () => {
  expect(chooseCluster(clusters, "b", "stack").cluster).toBe("b");
  expect(chooseCluster(clusters.slice(0, 1), undefined, "stack").cluster).toBe("a");
});

it.each([
  [[], undefined, /has no cluster yet\. Run terraform apply/],
  [clusters, undefined, /has 2 clusters: a, b\. Choose one: --cluster a/],
  [clusters, "c", /has no cluster "c"\. It has: a, b/],
] as const)("fails when it cannot choose (%#)", (given, wanted, words) => {
  expect(() => chooseCluster(given, wanted, "stack")).toThrow(words);
});
