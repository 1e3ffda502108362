import { expect, it } from "vitest";
import { choosePair, manifests } from "../../../../../provider/cli/demo/workload.js";

const pod = (name: string, node: string, ready = true) => ({ name, node, ready });

it.each([
  ["two nodes", [pod("a", "n1"), pod("b", "n2")], 2, "a,b"],
  ["both on one of two nodes", [pod("a", "n1"), pod("b", "n1")], 2, undefined],
  ["both on the only worker", [pod("a", "n1"), pod("b", "n1")], 1, "a,b"],
  ["one not ready", [pod("a", "n1"), pod("b", "n2", false)], 2, undefined],
  ["none", [], 2, undefined],
])("chooses a pair: %s", (_case, pods, workers, names) => {
  expect(
    choosePair(pods, workers)
      ?.map((p) => p.name)
      .join(),
  ).toBe(names);
});

it("asks for two replicas behind a Service and never for an image from outside", () => {
  const [deployment, service] = manifests("agnhost:1");
  expect(deployment).toMatchObject({ kind: "Deployment", metadata: { name: "honest-demo", namespace: "default" }, spec: { replicas: 2 } });
  expect(JSON.stringify(deployment)).toContain('"imagePullPolicy":"IfNotPresent"');
  expect(service).toMatchObject({ kind: "Service", spec: { selector: { app: "honest-demo" } } });
});
