import { describe, expect, it } from "vitest";
import { fromCamel, inCamel } from "../../../../constructs/spec/casing.js";
import { parse } from "../../../../constructs/spec/parse.js";

describe("fromCamel", () => {
  it("changes the schema's names and leaves the user's alone", () => {
    expect(
      fromCamel({
        controlPlane: { etcdVolume: { sizeGib: 4 }, componentFlags: { "kubelet.maxPods": "1" } },
        nodeGroups: { webTier: { scalingConfig: { desiredSize: 1 }, labels: { someLabel: "a" }, taint: [{ key: "camelKey" }] } },
      }),
    ).toEqual({
      control_plane: { etcd_volume: { size_gib: 4 }, component_flags: { "kubelet.maxPods": "1" } },
      node_groups: { webTier: { scaling_config: { desired_size: 1 }, labels: { someLabel: "a" }, taint: [{ key: "camelKey" }] } },
    });
  });

  it("does not take snake_case as a second spelling", () => {
    const input = fromCamel({ name: "demo", version: "1.36.3", iaas: { local: {} }, control_plane: {} });
    expect(parse(input).problems?.[0]?.path).toEqual(["control_plane (write controlPlane)"]);
  });

  it("keeps an unknown name for parse to refuse", () => {
    const input = fromCamel({ name: "demo", version: "1.36.3", iaas: { local: {} }, controlPlan: {} });
    expect(parse(input).problems?.[0]).toMatchObject({ code: "field.unknown", fix: "write control_plane" });
  });
});

describe("inCamel", () => {
  it.each([
    [
      ["control_plane", "etcd_volume", "size_gib"],
      ["controlPlane", "etcdVolume", "sizeGib"],
    ],
    [
      ["node_groups", "my_group", "scaling_config", "desired_size"],
      ["nodeGroups", "my_group", "scalingConfig", "desiredSize"],
    ],
    [
      ["node_groups", "a", "taint", 0, "key"],
      ["nodeGroups", "a", "taint", 0, "key"],
    ],
    [
      ["node_groups", "a", "labels", "desired_size"],
      ["nodeGroups", "a", "labels", "desired_size"],
    ],
    [["nothing_like_it"], ["nothing_like_it"]],
  ])("%j", (path, wanted) => {
    expect(inCamel({ code: "x", path, message: "m" }).path).toEqual(wanted);
  });
});
