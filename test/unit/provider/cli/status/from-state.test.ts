import { expect, it } from "vitest";
import { clusterState, windowReport } from "../../../../../provider/cli/status/from-state.js";
import type { State } from "../../../../../provider/cli/terraform/state.js";

const resource = (type: string, ...instances: State["resources"][number]["instances"][number][]) => ({
  mode: "managed",
  type,
  name: "x",
  instances,
});
const boot = (cluster: string, name: string, over: object = {}) => ({
  attributes: {
    spec: { cluster, pool: "cp", name, role: "control-plane" },
    release: "r1",
    roster: { [name]: "r2" },
    pending_count: 1,
    ...over,
  },
});

it("finds one cluster among several, in modules too, and skips what is on its way out", () => {
  const state: State = {
    resources: [
      resource(
        "honest_boot",
        boot("demo", "b"),
        boot("demo", "a", { window: { days: ["monday"], hour: 3, duration_hours: 2, timezone: "UTC" } }),
        boot("other", "a"),
      ),
      resource("honest_boot", { ...boot("demo", "old"), deposed: "01234567" }),
      resource("honest_node", {
        attributes: { cluster: "demo", name: "a", node_name: "a", role: "control-plane", pool: "cp", release: "r1", vm_id: "i-1" },
        status: "tainted",
      }),
      resource("honest_barrier", { attributes: { cluster: "demo", version: "1.36.3", cluster_uid: "u" } }),
      resource("honest_pki", { attributes: { cluster: "demo", ca_cert: "PEM", etcd_ca_cert: "PEM2" } }),
    ],
  };
  expect(clusterState(state, "demo")).toEqual({
    version: "1.36.3",
    uid: "u",
    machines: ["a", "b"].map((name) => ({ name, pool: "cp", role: "control-plane", release: "r1", wanted: "r2", pending: true })),
    memberships: [{ nodeName: "a", role: "control-plane", pool: "cp", release: "r1", machineId: "i-1", tainted: true }],
    window: { days: ["monday"], hour: 3, durationHours: 2, timezone: "UTC" },
    authorities: { "cluster CA": "PEM", "etcd CA": "PEM2" },
  });
});

it("knows nothing of an empty state", () => {
  expect(clusterState({ resources: [] }, "demo")).toEqual({
    version: null,
    uid: null,
    machines: [],
    memberships: [],
    window: null,
    authorities: {},
  });
});

it("judges the window now", () => {
  const at = (iso: string) => windowReport({ days: [], hour: 2, durationHours: 1, timezone: "UTC" }, Date.parse(iso));
  expect(at("2026-06-01T02:30:00Z")).toMatchObject({ open: true, opens: null });
  expect(at("2026-06-01T03:30:00Z")).toMatchObject({ open: false, opens: "2026-06-02T02:00Z" });
  expect(windowReport(null, 0)).toBeNull();
});
