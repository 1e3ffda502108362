import { expect, it } from "vitest";
import { attendance, wordMissing } from "../../../../provider/kube/wait-ready.js";
import { kubeNode, type NodeLook } from "../../../support/kube-node.js";

const now = Date.parse("2026-06-01T12:00:00Z");
const network = {
  ready: false,
  reason: "KubeletNotReady",
  message: "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady",
};

it.each<[string, NodeLook | null, boolean, string]>([
  ["no Node", null, false, "absent"],
  ["Ready", {}, false, "ready"],
  ["Ready with this machine's report", { machineId: "i-1", agentAt: now }, false, "ready"],
  ["Ready, another machine's Node of the same name", { machineId: "i-0", agentAt: now }, false, "stale"],
  ["Ready since before this boot", { machineId: "i-1", agentAt: now, bootedAt: now - 5_000, heartbeatAt: now - 30_000 }, false, "waiting"],
  ["Ready since this boot", { machineId: "i-1", agentAt: now, bootedAt: now - 5_000, heartbeatAt: now - 1_000 }, false, "ready"],
  ["without a network", network, false, "waiting"],
  ["without a network, which the user brings", network, true, "ready"],
  ["sick, although the user brings the network", { ready: false, message: "runtime is down" }, true, "waiting"],
])("%s", (_, look, registeredIsEnough, state) => {
  const nodes = look ? [kubeNode("n", look)] : [];
  expect(attendance([{ name: "n", machineId: "i-1" }], nodes, { registeredIsEnough, now })).toMatchObject([{ name: "n", state }]);
});

it("words what is missing", () => {
  const seen = attendance(
    [
      { name: "a", machineId: null },
      { name: "b", machineId: null },
    ],
    [kubeNode("b", { ready: false, message: "down" })],
    { registeredIsEnough: false, now },
  );
  expect(wordMissing(seen)).toBe("a has not registered; b KubeletNotReady: down");
});

it("says what a machine's boot stage is at and why it does not go on", () => {
  const stuck = kubeNode("b", { ready: false, message: "down", machineId: "i", agentAt: now, stage: "etcd: no quorum yet" });
  const [seen] = attendance([{ name: "b", machineId: null }], [stuck], { registeredIsEnough: false, now });
  expect(seen?.reason).toBe("KubeletNotReady: down; its boot stage: etcd: no quorum yet");
});
