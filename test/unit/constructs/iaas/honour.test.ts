import { describe, expect, it } from "vitest";
import { unhonoured } from "../../../../constructs/iaas/honour.js";
import { mappingOf } from "../../../../constructs/iaas/registry.js";
import { wordProblem } from "../../../../constructs/spec/problem.js";
import { specOf } from "../../../support/blueprint.js";

const group = (over: object) => ({ node_groups: { web: { scaling_config: { desired_size: 1 }, ...over } } });
const problems = (over: object, cloud = "local"): readonly string[] => {
  const spec = specOf({ iaas: { [cloud]: {} }, ...over });
  return unhonoured(spec, mappingOf(spec)).map(wordProblem);
};

describe("a field that the cloud cannot honour", () => {
  it.each([
    ["root disk", { control_plane: { disk_size: 40 } }, "control_plane.disk_size"],
    ["disk type", { control_plane: { etcd_volume: { type: "ssd" } } }, "control_plane.etcd_volume.type"],
    ["disk operations", { control_plane: { etcd_volume: { iops: 3000 } } }, "control_plane.etcd_volume.iops"],
    ["machine type", { control_plane: { instance_type: "m5.large" } }, "control_plane.instance_type"],
    ["a group's root disk", group({ disk_size: 40 }), "node_groups.web.disk_size"],
    ["spot", group({ capacity_type: "SPOT" }), "node_groups.web.capacity_type"],
    ["two types", group({ instance_types: ["1x512", "2x512"] }), "node_groups.web.instance_types"],
    ["a group's machine type", group({ instance_types: ["large"] }), "node_groups.web.instance_types.0"],
  ])("%s is an error", (_, over, path) => {
    const found = problems(over);
    expect(found).toHaveLength(1);
    expect(found[0]?.startsWith(`${path}: `), found[0]).toBe(true);
  });

  it("is none where the cloud can", () => {
    expect(
      problems(
        { control_plane: { disk_size: 40, etcd_volume: { type: "ssd", iops: 3000 } }, ...group({ capacity_type: "SPOT" }) },
        "preview",
      ),
    ).toEqual([]);
    expect(problems({ control_plane: { instance_type: "4x8192" } })).toEqual([]);
    expect(problems({ control_plane: { instance_type: "local.cpu0.5.mem512" } })).toEqual([]);
  });

  it("tells what a machine type looks like", () => {
    expect(problems({ control_plane: { instance_type: "m5.large" } })[0]).toContain("local.cpu2.mem2048");
  });
});
