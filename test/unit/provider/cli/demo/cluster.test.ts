import { expect, it } from "vitest";
import { nodeState, poll } from "../../../../../provider/cli/demo/cluster.js";

const node = (ready: string, unschedulable = false) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n", labels: { "node-role.kubernetes.io/control-plane": "" } },
  spec: { unschedulable },
  status: { conditions: [{ type: "Ready", status: ready }], nodeInfo: { kubeletVersion: "v1.36.3" } },
});

it.each([
  ["True", false, true],
  ["True", true, false],
  ["Unknown", false, false],
])("Ready %s, cordoned %s: counts %s", (status, cordoned, ready) => {
  expect(nodeState(node(status, cordoned))).toEqual({ name: "n", ready, controlPlane: true, version: "1.36.3" });
});

it("says what was seen last when it gives up", async () => {
  await expect(poll({ what: "All Ready", limitMs: 1, signal: new AbortController().signal }, async () => "2 of 3")).rejects.toThrow(
    /Last seen: 2 of 3/,
  );
});

it("stops at once when told", async () => {
  await expect(
    poll({ what: "All Ready", limitMs: 1000, signal: AbortSignal.abort(new Error("ctrl-C")) }, async () => "no"),
  ).rejects.toThrow("ctrl-C");
});
