import { describe, expect, it } from "vitest";
import { lastEvent, pressuresOf, wordDeployment, wordNode, wordPod } from "../../../../../provider/cli/demo/trouble.js";

const ready = { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" };
const node = (conditions: readonly object[], spec: object = {}, labels: Record<string, string> = {}) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "w-0", labels },
  spec,
  status: { conditions },
});
const full = { type: "DiskPressure", status: "True", reason: "KubeletHasDiskPressure", message: "kubelet has disk pressure" };

describe("a node", () => {
  it("that is Ready and takes pods is no trouble; nor is a control plane's own taint", () => {
    expect(wordNode(node([ready, { type: "DiskPressure", status: "False" }]))).toBeUndefined();
    const own = { taints: [{ key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" }] };
    expect(wordNode(node([ready], own, { "node-role.kubernetes.io/control-plane": "" }))).toBeUndefined();
  });

  it.each([
    ["under pressure, with the kubelet's words", [ready, full], {}, "node w-0: DiskPressure (kubelet has disk pressure)"],
    [
      "not Ready, with the reason",
      [{ type: "Ready", status: "False", reason: "KubeletNotReady", message: "cni plugin not initialized" }],
      {},
      "node w-0: not Ready, KubeletNotReady: cni plugin not initialized",
    ],
    ["that never reported", [], {}, "node w-0: not Ready, the kubelet has not reported"],
    ["cordoned", [ready], { unschedulable: true }, "node w-0: cordoned"],
    [
      "tainted",
      [ready],
      {
        taints: [
          { key: "node.kubernetes.io/disk-pressure", effect: "NoSchedule" },
          { key: "soft", effect: "PreferNoSchedule" },
        ],
      },
      "node w-0: tainted node.kubernetes.io/disk-pressure:NoSchedule",
    ],
  ])("%s", (_case, conditions, spec, words) => expect(wordNode(node(conditions, spec))).toBe(words));

  it("may have several pressures at once", () => {
    expect(pressuresOf(node([ready, full, { type: "PIDPressure", status: "True", reason: "TooMany" }]))).toEqual([
      "DiskPressure (kubelet has disk pressure)",
      "PIDPressure (TooMany)",
    ]);
  });
});

const event = (name: string, type: string, reason: string, message: string, lastTimestamp: string | null, more: object = {}) => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { name: `${name}.1` },
  involvedObject: { kind: "Pod", name },
  type,
  reason,
  message,
  lastTimestamp,
  ...more,
});
const pod = (status: object, spec: object = {}) => ({ apiVersion: "v1", kind: "Pod", metadata: { name: "web-1" }, spec, status });
const unfit = "0/3 nodes are available: 3 node(s) had untolerated taint(s).";

describe("a pod", () => {
  it("that serves or is on its way out is no trouble", () => {
    const status = { phase: "Running", conditions: [ready] };
    expect(wordPod(pod(status), [])).toBeUndefined();
    const leaving = { ...pod({ phase: "Running" }), metadata: { name: "web-1", deletionTimestamp: "2026-01-01T00:00:00Z" } };
    expect(wordPod(leaving, [])).toBeUndefined();
  });

  it("that no node takes says the scheduler's reason", () => {
    const status = { phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: unfit }] };
    const events = [event("web-1", "Warning", "FailedScheduling", unfit, null, { eventTime: "2026-01-01T00:00:00.1Z" })];
    expect(wordPod(pod(status), events)).toBe(
      `pod web-1: Pending on no node; not scheduled: ${unfit}; last event FailedScheduling: ${unfit}`,
    );
  });

  it("whose container waits says what for, and how the last one ended", () => {
    const waiting = { name: "web", state: { waiting: { reason: "ErrImageNeverPull", message: "image is not present" } } };
    expect(wordPod(pod({ phase: "Pending", containerStatuses: [waiting] }, { nodeName: "w-0" }), [])).toBe(
      "pod web-1: Pending on w-0; container web waits, ErrImageNeverPull: image is not present",
    );
    const crashed = {
      name: "web",
      state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 10s" } },
      lastState: { terminated: { exitCode: 137, reason: "OOMKilled" } },
    };
    expect(wordPod(pod({ phase: "Running", containerStatuses: [crashed] }, { nodeName: "w-0" }), [])).toContain(
      "container web waits, CrashLoopBackOff: back-off 10s; it ended with 137 (OOMKilled)",
    );
  });

  it("that was put out says why", () => {
    const evicted = { phase: "Failed", reason: "Evicted", message: "The node was low on resource: ephemeral-storage." };
    expect(wordPod(pod(evicted, { nodeName: "w-0" }), [])).toContain("Evicted: The node was low on resource");
  });

  it("about which nothing is known says so", () => {
    expect(wordPod(pod({ phase: "Pending" }), [])).toBe("pod web-1: Pending on no node; nothing is said about it");
  });
});

describe("the last event", () => {
  it("is the newest warning about this very pod", () => {
    const events = [
      event("web-1", "Normal", "Pulled", "image is there", "2026-01-01T00:00:09Z"),
      event("web-1", "Warning", "BackOff", "old", "2026-01-01T00:00:01Z"),
      event("web-1", "Warning", "Unhealthy", "probe failed", null, { series: { lastObservedTime: "2026-01-01T00:00:05Z" } }),
      event("web-2", "Warning", "BackOff", "another's", "2026-01-01T00:00:10Z"),
    ];
    expect(lastEvent(pod({}), events)).toBe("last event Unhealthy: probe failed");
    expect(lastEvent(pod({}), events.slice(0, 1))).toBe("last event Pulled: image is there");
    expect(lastEvent(pod({}), [])).toBeUndefined();
  });
});

it("a deployment that cannot make its pods says who refuses", () => {
  const failing = { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "exceeded quota" };
  const deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d" }, status: { conditions: [failing] } };
  expect(wordDeployment(deployment)).toBe("deployment d: FailedCreate: exceeded quota");
});
