import { afterEach, beforeEach, expect, it } from "vitest";
import { connect, type KubeClient } from "../../../../provider/kube/client.js";
import { cordon, drain } from "../../../../provider/kube/drain.js";
import { issueTestClient } from "../../../support/stand-in/certificates.js";
import { type StandIn, standInCluster } from "../../../support/stand-in-cluster.js";

let cluster: StandIn;
let client: KubeClient;
beforeEach(async () => {
  cluster = await standInCluster();
  client = connect(cluster.access, { issue: issueTestClient });
  for (const name of ["n1", "n2"])
    cluster.store.put({ collection: "api/v1/nodes", apiVersion: "v1", kind: "Node", name }, { metadata: {}, spec: {} });
});
afterEach(async () => {
  await client.close();
  await cluster.close();
});

const run = (ms: number, log: string[] = []) =>
  drain(client, { node: "n1", deadline: Date.now() + ms, signal: AbortSignal.timeout(5_000), log: (m) => log.push(m), everyMs: 20 });

it("moves pods and leaves those of daemon sets, mirrors and finished ones", async () => {
  cluster.workloads.pod("plain", "n1");
  cluster.workloads.pod("daemon", "n1", { ownerReferences: [{ kind: "DaemonSet", name: "d", controller: true }] });
  cluster.workloads.pod("mirror", "n1", { annotations: { "kubernetes.io/config.mirror": "x" } });
  cluster.workloads.pod("elsewhere", "n2");
  await cordon(client, "n1", true);
  expect(await run(2_000)).toEqual({ ok: true, value: { evicted: 1, left: [] } });
  expect(cluster.workloads.podsOn("n1").sort()).toEqual(["daemon", "mirror"]);
  expect(cluster.workloads.podsOn("n2")).toEqual(["elsewhere"]);
});

it("never takes more than a budget allows, and waits for the replacement", async () => {
  cluster.workloads.deploy("web", 4);
  cluster.workloads.budget("web", "web", 3);
  cluster.workloads.readyAfterMs = 60;
  await cordon(client, "n1", true);
  const log: string[] = [];
  expect(await run(3_000, log)).toMatchObject({ ok: true, value: { evicted: 2, left: [] } });
  expect(log.join("\n")).toContain("PodDisruptionBudget");
  expect(cluster.workloads.podsOn("n2")).toHaveLength(4);
});

it("gives up in time and says which pods are left and why", async () => {
  cluster.workloads.deploy("web", 2);
  cluster.workloads.budget("web", "web", 2);
  await cordon(client, "n1", true);
  const outcome = await run(150);
  expect(outcome).toMatchObject({
    ok: true,
    value: { evicted: 0, left: [expect.stringMatching(/^default\/web-1 is kept by a PodDisruptionBudget/)] },
  });
});

it("tells within its time that a budget keeps pods, once and not at every look", async () => {
  cluster.workloads.deploy("web", 2);
  cluster.workloads.budget("web", "web", 2);
  await cordon(client, "n1", true);
  const told: string[] = [];
  const begun = Date.now();
  let after = 0;
  await drain(client, {
    ...{ node: "n1", deadline: begun + 400, signal: AbortSignal.timeout(5_000), log: () => undefined, everyMs: 20, heldMs: 100 },
    held: async (words) => {
      after = Date.now() - begun;
      told.push(words);
    },
  });
  expect(told).toEqual([expect.stringMatching(/^default\/web-1 is kept by a PodDisruptionBudget/)]);
  expect(after).toBeGreaterThanOrEqual(100);
});

it("tells nothing of a budget that gives way", async () => {
  cluster.workloads.deploy("web", 4);
  cluster.workloads.budget("web", "web", 3);
  cluster.workloads.readyAfterMs = 30;
  await cordon(client, "n1", true);
  const told: string[] = [];
  const options = { node: "n1", deadline: Date.now() + 3_000, signal: AbortSignal.timeout(5_000), log: () => undefined, everyMs: 20 };
  await drain(client, { ...options, heldMs: 1_000, held: async (words) => void told.push(words) });
  expect(told).toEqual([]);
});

it("fails when the API goes away for good", async () => {
  cluster.reachable = false;
  expect(await run(100)).toMatchObject({ ok: false, failure: { kind: "timeout", message: expect.stringContaining("draining n1") } });
});
