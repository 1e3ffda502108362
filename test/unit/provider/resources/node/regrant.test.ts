// A worker whose kubelet's certificate ended while it was off, against a stand-in of the API.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ObjectValue } from "../../../../../provider/framework/value.js";
import { writeMarker } from "../../../../../provider/kube/marker.js";
import { clusterClient } from "../../../../../provider/resources/cluster/session.js";
import { join } from "../../../../../provider/resources/node/join.js";
import { readNode } from "../../../../../provider/resources/node/read.js";
import { nodeInput } from "../../../../../provider/resources/node/schema.js";
import { testContext } from "../../../../support/context.js";
import { kubeNode } from "../../../../support/kube-node.js";
import { type StandIn, standInCluster } from "../../../../support/stand-in-cluster.js";

let cluster: StandIn;
let state: ObjectValue;

beforeEach(async () => {
  cluster = await standInCluster();
  state = {
    cluster: "demo",
    name: "demo-w-a-0",
    role: "worker",
    pool: "w",
    vm_id: "i-1",
    release: "r1",
    token_seed: "00",
    membership: "member",
    gen: "abcd",
    access: { ...cluster.access },
  };
  const client = clusterClient(testContext(), cluster.access);
  await writeMarker(client, { complete: true, tornDown: false, uid: "u", cni: "kube-router" }, {});
  await client.close();
});
afterEach(() => cluster.close());

const place = (ready: boolean, endsInSec: number, machineId = "i-1"): void => {
  const { nodeName } = nodeInput(state);
  const items = { "kubelet-client": { not_after: new Date(Date.now() + endsInSec * 1000).toISOString() } };
  const look = {
    ready,
    machineId,
    agentAt: Date.now() - 600_000,
    annotations: { "honest-paas.dev/certificates": JSON.stringify({ items }) },
  };
  cluster.store.put({ collection: "api/v1/nodes", apiVersion: "v1", kind: "Node", name: nodeName }, kubeNode(nodeName, look));
};
const grants = () => cluster.store.list("api/v1/secrets", "kube-system").map(({ metadata }) => metadata.annotations);

describe("a membership", () => {
  it.each([
    ["locked out", false, -60, "i-1"],
    ["member", true, -60, "i-1"],
    ["member", false, 60, "i-1"],
    // its successor's machine is another matter: the plan replaces it
    ["member", false, -60, "i-2"],
  ])("is %s (Ready %s, certificate ends in %d s, machine %s)", async (membership, ready, endsInSec, machineId) => {
    place(ready, endsInSec, machineId);
    const context = testContext();
    const read = await readNode({ state, private: {} }, context);
    expect(read.state?.membership).toBe(membership);
    await clusterClient(context, cluster.access).close();
  });
});

describe("joining", () => {
  it.each([
    ["gives a new grant to the one that is locked out", false, -60, 1],
    ["gives none to a node that can ask by itself", false, 60, 0],
  ])("%s", async (_, ready, endsInSec, count) => {
    place(ready, endsInSec);
    const client = clusterClient(testContext(), cluster.access);
    const options = { deadline: Date.now() + 700, signal: new AbortController().signal, log: () => undefined, everyMs: 100 };
    const joined = await join(client, nodeInput(state), "abcd", options);
    expect(joined.ok).toBe(false);
    expect(grants()).toHaveLength(count);
    if (count)
      expect(grants()[0]).toMatchObject({ "honest-paas.dev/node": nodeInput(state).nodeName, "honest-paas.dev/machine-id": "i-1" });
    await client.close();
  });
});
