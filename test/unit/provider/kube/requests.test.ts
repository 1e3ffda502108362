import { beforeEach, expect, it } from "vitest";
import type { KubeClient } from "../../../../provider/kube/client.js";
import {
  askAgents,
  askForSnapshot,
  type NodeRequest,
  retiredAnswer,
  withdrawRequest,
  withdrawSnapshotRequest,
} from "../../../../provider/kube/requests.js";
import { connectedCluster } from "../../../support/connected-cluster.js";
import { kubeNode } from "../../../support/kube-node.js";
import type { StandIn } from "../../../support/stand-in-cluster.js";

let cluster: StandIn;
let client: KubeClient;
beforeEach(async () => {
  const made = await connectedCluster();
  ({ cluster, client } = made);
  return made.close;
});

const request = (over: Partial<NodeRequest> = {}): NodeRequest => ({ do: "retire", machineId: "i-1", memberId: "a1", at: "t1", ...over });
const data = () => cluster.object("api/v1/configmaps", "honest-paas-requests", "kube-system")?.data;

it("stands beside those about other nodes, and goes alone", async () => {
  expect(
    (await Promise.all([askAgents(client, "a", request()), askAgents(client, "b", request({ do: "leave" }))])).map((o) => o.ok),
  ).toEqual([true, true]);
  expect(data()).toEqual({
    a: '{"do":"retire","machine_id":"i-1","member_id":"a1","at":"t1"}',
    b: '{"do":"leave","machine_id":"i-1","member_id":"a1","at":"t1"}',
  });
  await askAgents(client, "a", request({ at: "t2" }));
  expect(await withdrawRequest(client, "b")).toMatchObject({ ok: true });
  expect(data()).toEqual({ a: '{"do":"retire","machine_id":"i-1","member_id":"a1","at":"t2"}' });
});

it("one for a snapshot stands beside them under no node's name", async () => {
  await askAgents(client, "a", request());
  await askForSnapshot(client, "a", "t2");
  expect(data()).toMatchObject({ _snapshot: '{"do":"snapshot","node":"a","at":"t2"}' });
  await withdrawSnapshotRequest(client);
  expect(Object.keys(data() as object)).toEqual(["a"]);
});

it("is withdrawn also when nobody ever asked", async () => {
  expect(await withdrawRequest(client, "a")).toEqual({ ok: true, value: undefined });
});

it("tells an API that does not answer from one that has none", async () => {
  cluster.reachable = false;
  expect(await withdrawRequest(client, "a")).toMatchObject({ ok: false, failure: { kind: "unreachable" } });
});

it.each([
  [undefined, null],
  ["no json", null],
  ["null", null],
  ['{"at":7}', null],
  ['{"at":"t1"}', { at: "t1", problems: [] }],
  ['{"at":"t1","problems":["umount: busy",7]}', { at: "t1", problems: ["umount: busy"] }],
])("reads the answer %j as %j", (text, answer) => {
  expect(retiredAnswer(kubeNode("a", text === undefined ? {} : { annotations: { "honest-paas.dev/retired": text } }))).toEqual(answer);
});
