// A machine that rejoins in the middle of a rotation, against a stand-in of the API.
import { afterEach, beforeEach, expect, it } from "vitest";
import { connect, type KubeClient } from "../../../../../provider/kube/client.js";
import { catchUp } from "../../../../../provider/resources/node/catch-up.js";
import { kubeNode } from "../../../../support/kube-node.js";
import { issueTestClient } from "../../../../support/stand-in/certificates.js";
import { type StandIn, standInCluster } from "../../../../support/stand-in-cluster.js";

const name = "demo-cp-c";
let cluster: StandIn;
let client: KubeClient;

beforeEach(async () => {
  cluster = await standInCluster();
  client = connect(cluster.access, { issue: issueTestClient });
});
afterEach(async () => {
  await client.close();
  await cluster.close();
});

const says = (trust: object | null): void => {
  const annotations = trust === null ? {} : { "honest-paas.dev/trust": JSON.stringify(trust) };
  cluster.store.put({ collection: "api/v1/nodes", apiVersion: "v1", kind: "Node", name }, kubeNode(name, { annotations }));
};
const rotation = { number: 1, state: "promote", document: true };
const waiting = (log: string[], ms = 10_000) => ({
  deadline: Date.now() + ms,
  signal: new AbortController().signal,
  everyMs: 20,
  progress: (text: string) => void log.push(text),
});

it("goes on at once where nothing ever rotated, and where the node is there", async () => {
  const log: string[] = [];
  for (const trust of [null, { ...rotation, waits: null }]) {
    says(trust);
    expect(await catchUp(client, name, waiting(log))).toMatchObject({ ok: true });
  }
  expect(log).toEqual([]);
});

it("waits for a kubelet that is started anew, so that a retire planned next is not refused for it", async () => {
  const told: string[] = [];
  says({ ...rotation, waits: "kubelet to be renewed or started anew" });
  // it is there a moment after it was found not to be
  const progress = (text: string) => {
    told.push(text);
    says({ ...rotation, waits: null });
  };
  expect(await catchUp(client, name, { ...waiting([]), progress })).toMatchObject({ ok: true });
  expect(told).toEqual(["waiting for demo-cp-c to follow the rotation of the authorities: kubelet to be renewed or started anew"]);
});

it("does not fail a join for it: the node serves", async () => {
  says({ ...rotation, waits: "kubelet to be renewed or started anew" });
  expect(await catchUp(client, name, waiting([], 60))).toMatchObject({ ok: true });
});
