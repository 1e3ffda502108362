// The stages that wait say why when they give up: nodes and workload against an API made of lists.
import { expect, it } from "vitest";
import { nodesReady } from "../../../../../provider/cli/demo/cluster.js";
import { proveWorkload } from "../../../../../provider/cli/demo/workload.js";
import type { KubeClient } from "../../../../../provider/kube/client.js";
import type { KubeObject } from "../../../../../provider/kube/object.js";
import { failed, ok } from "../../../../../provider/kube/outcome.js";

const { signal } = new AbortController();
const unfit = "0/1 nodes are available: 1 node(s) had untolerated taint(s)";
const pressed: KubeObject = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "w-0" },
  status: {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "DiskPressure", status: "True", message: "kubelet has disk pressure" },
    ],
    nodeInfo: { kubeletVersion: "v1.36.3" },
  },
};
const pending: KubeObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "honest-demo-x" },
  status: { phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", message: unfit }] },
};

function api(lists: Readonly<Record<string, readonly KubeObject[]>>, silent: readonly string[] = []): KubeClient {
  const refuse = () => failed({ kind: "unreachable", message: "connection refused" });
  const client: Partial<KubeClient> = {
    list: async (_version, kind) => (silent.includes(kind) ? refuse() : ok(lists[kind] ?? [])),
    get: async () => ok(undefined),
    apply: async (object) => ok(object),
  };
  return client as KubeClient;
}
const proof = { image: "agnhost:1", workers: 1, limitMs: 1, signal };

it("the workload: phase and reason of each replica, and the node that is full", async () => {
  const told = await proveWorkload(api({ Pod: [pending], Node: [pressed] }), proof).catch((cause: Error) => cause.message);
  expect(told).toContain("Two replicas on two nodes: not after 0.001 s. Last seen: 0 of 2 replicas are ready");
  expect(told).toContain(`\n  pod honest-demo-x: Pending on no node; not scheduled: ${unfit}`);
  expect(told).toContain("\n  node w-0: DiskPressure (kubelet has disk pressure)");
});

it("the workload: no pod at all, and an API that falls silent meanwhile", async () => {
  await expect(proveWorkload(api({}), proof)).rejects.toThrow(/there is no pod of the deployment honest-demo/);
  await expect(proveWorkload(api({ Pod: [pending] }, ["Event", "Node"]), proof)).rejects.toThrow(
    /no events: the Kubernetes API does not answer: connection refused/,
  );
});

it("the nodes: those that are not Ready with the kubelet's reason; those that are, with their pressure", async () => {
  const wanted = { controlPlanes: 1, workers: 1, version: "1.36.3" };
  const lost = {
    ...pressed,
    metadata: { name: "cp-a" },
    status: { conditions: [{ type: "Ready", status: "Unknown", reason: "NodeStatusUnknown" }] },
  };
  const said: string[] = [];
  const options = { limitMs: 1, signal, note: (line: string) => said.push(line) };
  const told = await nodesReady(api({ Node: [lost, pressed] }), wanted, options).catch((cause: Error) => cause.message);
  expect(told).toContain("1 of 2 nodes are Ready; not: cp-a");
  expect(told).toContain("node cp-a: not Ready, NodeStatusUnknown:");
  expect(told).toContain("node w-0: DiskPressure (kubelet has disk pressure)");
  await nodesReady(api({ Node: [pressed] }), { ...wanted, workers: 0 }, { ...options, limitMs: 1000 });
  expect(said).toEqual(["warning: node w-0: DiskPressure (kubelet has disk pressure)"]);
});
