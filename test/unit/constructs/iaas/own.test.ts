import { describe, expect, it } from "vitest";
import { build } from "../../../../constructs/blueprint/build.js";
import { local } from "../../../../constructs/iaas/local.js";
import { mapCluster } from "../../../../constructs/iaas/map.js";
import type { Args } from "../../../../constructs/iaas/resource.js";
import { specOf } from "../../../support/blueprint.js";

const args = (name: string, over: object = {}): Args => {
  const spec = specOf({
    control_plane: { replicas: 3 },
    node_groups: {
      web: { scaling_config: { desired_size: 2 } },
      batch: { scaling_config: { desired_size: 1 }, update_config: { max_surge: 4 } },
    },
    ...over,
  });
  const found = mapCluster(spec, build(spec), local).find((resource) => resource.name === name);
  if (!found) throw new Error(`no ${name}`);
  return found.args;
};

describe("boot", () => {
  it("has the roster of its own pool, with the release of each", () => {
    expect(Object.keys(args("cp/b/boot").roster as object)).toEqual(["demo-cp-a", "demo-cp-b", "demo-cp-c"]);
    expect(Object.keys(args("group/web/a/1/boot").roster as object)).toEqual(["demo-web-a-0", "demo-web-a-1"]);
  });
  it("gives members to control planes only: a worker is told nothing of etcd", () => {
    expect(Object.keys((args("cp/a/boot").late as Args).members as object)).toHaveLength(3);
    expect((args("group/web/a/0/boot").late as Args).members).toEqual({});
    expect("etcd_disk" in (args("group/web/a/0/boot").late as Args)).toBe(false);
  });
  it("has the group's surge", () => {
    expect(args("group/batch/a/0/boot").max_surge).toBe(4);
    expect("max_surge" in args("cp/a/boot")).toBe(false);
  });
  it("has a window only where there is one", () => {
    expect("window" in args("cp/a/boot")).toBe(false);
    const over = { upgrade_policy: { maintenance_window: { hour: 3, duration_hours: 2, days: ["monday"] } } };
    expect(args("cp/a/boot", over).window).toEqual({ days: ["monday"], hour: 3, duration_hours: 2, timezone: "UTC" });
  });
});

describe("barrier", () => {
  it("knows every control plane by address and every worker by machine, release and address", () => {
    const { members, workers } = args("barrier");
    expect(Object.keys(members as object)).toEqual(["demo-cp-a", "demo-cp-b", "demo-cp-c"]);
    expect(Object.keys(workers as object)).toEqual(["demo-batch-a-0", "demo-web-a-0", "demo-web-a-1"]);
    expect((workers as Record<string, object>)["demo-web-a-0"]).toMatchObject({
      vm_id: { resource: "group/web/a/0/machine", attribute: "id" },
    });
  });
  it("is there without workers too", () => {
    expect(args("barrier", { node_groups: {} }).workers).toEqual({});
  });
});

describe("taints", () => {
  it("keep workloads off control planes by way of the membership; the boot stage adds its own", () => {
    expect(args("cp/a/node").taints).toEqual(["node-role.kubernetes.io/control-plane:NoSchedule"]);
    expect(args("cp/a/boot").taints).toEqual([]);
  });
  it("are there before the first pod on a worker: it registers with them", () => {
    const over = { node_groups: { web: { scaling_config: { desired_size: 1 }, taint: [{ key: "a", effect: "NO_EXECUTE" }] } } };
    expect(args("group/web/a/0/boot", over).taints).toEqual(["a:NoExecute"]);
    expect(args("group/web/a/0/node", over).taints).toEqual(["a:NoExecute"]);
  });
});

describe("node", () => {
  it("carries its zone as a label", () => {
    expect(args("group/web/a/0/node").labels).toEqual({ "topology.kubernetes.io/zone": "a" });
  });
  it("takes the release from its boot resource, so that a roll is readable in the plan", () => {
    expect(args("cp/a/node").release).toMatchObject({ resource: "cp/a/boot", attribute: "release" });
  });
});
