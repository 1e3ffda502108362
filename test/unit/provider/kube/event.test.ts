import { beforeEach, expect, it } from "vitest";
import type { KubeClient } from "../../../../provider/kube/client.js";
import { drainBlocked, warnOf } from "../../../../provider/kube/event.js";
import { connectedCluster } from "../../../support/connected-cluster.js";
import type { StandIn } from "../../../support/stand-in-cluster.js";

let cluster: StandIn;
let client: KubeClient;
beforeEach(async () => {
  const made = await connectedCluster();
  ({ cluster, client } = made);
  return made.close;
});

it("is about the Node, and a warning", async () => {
  expect(await warnOf(client, "demo-w-1", drainBlocked, "default/web-1 is kept", {})).toMatchObject({ ok: true });
  const listed = await client.list("v1", "Event");
  expect(listed.ok && listed.value).toEqual([
    expect.objectContaining({
      type: "Warning",
      reason: "DrainBlocked",
      message: "default/web-1 is kept",
      involvedObject: { apiVersion: "v1", kind: "Node", name: "demo-w-1", uid: "demo-w-1" },
      lastTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    }),
  ]);
});

it("says when it could not be written", async () => {
  cluster.reachable = false;
  expect(await warnOf(client, "demo-w-1", drainBlocked, "x", { timeoutMs: 500 })).toMatchObject({ ok: false });
});
