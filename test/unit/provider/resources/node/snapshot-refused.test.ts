// An upgrade whose snapshot does not come: what the destroy of the first control plane leaves, against a stand-in of the API.
import { afterEach, beforeEach, expect, it } from "vitest";
import { writeMarker } from "../../../../../provider/kube/marker.js";
import { clusterClient } from "../../../../../provider/resources/cluster/session.js";
import { deleteNode } from "../../../../../provider/resources/node/delete.js";
import { testContext } from "../../../../support/context.js";
import { kubeNode } from "../../../../support/kube-node.js";
import { type StandIn, standInCluster } from "../../../../support/stand-in-cluster.js";

let cluster: StandIn;

beforeEach(async () => {
  cluster = await standInCluster();
  const client = clusterClient(testContext(), cluster.access);
  await writeMarker(client, { complete: true, tornDown: false, uid: "u", cni: "none" }, {});
  await client.close();
});
afterEach(() => cluster.close());

const place = (report: Readonly<Record<string, string>>): void => {
  const etcd = { at: Date.now(), members: [{ name: "a", answers: true }] };
  const node = kubeNode("a", { machineId: "i-a", agentAt: Date.now(), etcd, annotations: report });
  cluster.store.put({ collection: "api/v1/nodes", apiVersion: "v1", kind: "Node", name: "a" }, node);
};
const destroy = (context = testContext()) =>
  deleteNode(
    {
      prior: {
        ...{ cluster: "demo", name: "a", role: "control-plane", pool: "cp", vm_id: "i-a", release: "r1", members: ["a"] },
        ...{ token_seed: "00", membership: "member", gen: "g", access: { ...cluster.access } },
      },
      private: { how: "replace", gen: "g", complete: true, version: "1.37.2", members: ["a"] },
    },
    context,
  );
const lease = () => cluster.object("apis/coordination.k8s.io/v1/leases", "honest-paas-roll", "kube-system")?.spec;

it("puts the node back in service, and says so", async () => {
  place({});
  const { state, diagnostics = [] } = await destroy();
  expect(state?.vm_id).toBe("i-a");
  expect(diagnostics.map((d) => d.summary)).toEqual(["No snapshot could be taken before the upgrade of cluster demo"]);
  expect(diagnostics[0]?.detail).toContain("The node is back in service and its machine was not touched.");
  expect(lease()).toEqual({});
});

it("says that it could not, when the API is away by then", async () => {
  place({ "honest-paas.dev/snapshots": JSON.stringify({ schedule_seconds: 60 }) });
  const ctrlC = new AbortController();
  const log = (_: unknown, message: string): void => {
    if (!message.includes("takes a snapshot of etcd")) return;
    cluster.reachable = false;
    ctrlC.abort();
  };
  const { state, diagnostics = [] } = await destroy(testContext({ signal: ctrlC.signal, log }));
  expect(state?.vm_id).toBe("i-a");
  expect(diagnostics[0]?.detail).not.toContain("is back in service");
  expect(diagnostics[0]?.detail).toMatch(/could not be put back in service: .*kubectl uncordon a does it, and the next apply too/);
});
