import { describe, expect, it } from "vitest";
import { unknown } from "../../../../../provider/framework/value.js";
import { clusterInputs, nodeGroupInputs } from "../../../../../provider/resources/managed/attributes.js";
import { clusterResourceSchema } from "../../../../../provider/resources/managed/cluster-schema.js";
import { fixedChanges, isOtherCluster } from "../../../../../provider/resources/managed/immutable.js";
import { plainInputs, understand, unknownInputs, wordProblems } from "../../../../../provider/resources/managed/input.js";
import { groupProblems } from "../../../../../provider/resources/managed/node-group-plan.js";
import { specOf } from "../../../../support/blueprint.js";

const least = { name: "demo", version: "1.36.3", iaas: { local: {} } };

describe("the schema", () => {
  it("has every field of the spec under its own name, and none of them twice", () => {
    expect(Object.keys(clusterInputs)).toEqual(
      expect.arrayContaining(["name", "version", "vpc_config", "kubernetes_network_config", "control_plane"]),
    );
    expect(Object.keys(nodeGroupInputs)).toEqual(
      expect.arrayContaining(["scaling_config", "update_config", "instance_types", "labels", "taint"]),
    );
    expect(clusterInputs.node_groups).toBeUndefined();
    const computed = Object.entries(clusterResourceSchema.attributes).filter(([, of]) => of.computed);
    expect(computed.filter(([name]) => name in clusterInputs)).toEqual([]);
  });

  it("hides what opens something", () => {
    const target = clusterInputs.backup?.nested?.attributes.target?.nested?.attributes;
    expect(target?.passphrase?.sensitive).toBe(true);
    expect(target?.s3?.nested?.attributes.secret_access_key?.sensitive).toBe(true);
  });

  it("replaces for another name only", () => {
    const replacing = Object.entries(clusterResourceSchema.attributes).filter(([, { change }]) => change === "replace");
    expect(replacing.map(([name]) => name)).toEqual(["name"]);
  });
});

describe("a configuration", () => {
  it("is the spec without what was left out", () => {
    const value = { ...least, control_plane: { replicas: 3, image: null }, tags: null };
    expect(plainInputs(clusterInputs, value)).toEqual({ ...least, control_plane: { replicas: 3 } });
  });

  it("names what is only known after apply, with its path", () => {
    const wrong = unknownInputs(clusterInputs, { ...least, control_plane: { replicas: unknown } });
    expect(wrong.map(({ detail }) => detail)).toEqual([expect.stringContaining("control_plane.replicas decides")]);
  });

  it("is told what its cloud has not, where it was written", () => {
    const { problems = [] } = understand({ ...least, control_plane: { instance_type: "m5.large" } });
    expect(wordProblems(problems)).toEqual([expect.objectContaining({ path: ["control_plane", "instance_type"] })]);
  });

  it("of a group is judged without its cluster, keys of maps as keys", () => {
    const group = { name: "web", scaling_config: { desired_size: -1 }, component_flags: { "kubelet.x": "1" } };
    const wrong = groupProblems(group);
    expect(wrong.map(({ path }) => path)).toContainEqual(["scaling_config", "desired_size"]);
    expect(groupProblems({ name: "web", scaling_config: { desired_size: 2 } })).toEqual([]);
  });
});

describe("a living cluster", () => {
  const before = specOf();
  it.each([
    ["another name", { name: "other" }, true],
    ["another cloud", { iaas: { preview: {} } }, true],
    ["another port", { iaas: { local: { published_port: 23_456 } } }, false],
    ["another version", { version: "1.37.2" }, false],
  ])("by %s is another cluster: %s", (_, over, other) => {
    expect(isOtherCluster(before, specOf(over))).toBe(other);
  });

  it.each([
    ["the range of machines", { vpc_config: { cidr: "10.1.0.0/24" } }, ["vpc_config", "cidr"]],
    [
      "the range of services",
      { kubernetes_network_config: { service_ipv4_cidr: "10.97.0.0/16" } },
      ["kubernetes_network_config", "service_ipv4_cidr"],
    ],
    ["the size of etcd's disks", { control_plane: { etcd_volume: { size_gib: 9 } } }, ["control_plane", "etcd_volume", "size_gib"]],
    ["the way out of its network", { iaas: { local: { internal: false } } }, ["iaas", "local", "internal"]],
    ["the order of its zones", { control_plane: { zones: ["b", "a"] } }, ["control_plane", "zones"]],
  ])("keeps %s", (_, over, path) => {
    expect(fixedChanges(before, specOf(over)).map((problem) => problem.path)).toEqual([path]);
  });

  it.each([
    ["version", { version: "1.37.2" }],
    ["size", { control_plane: { replicas: 3 } }],
    ["more zones", { control_plane: { zones: ["a", "b"] } }],
    ["machine type", { control_plane: { instance_type: "local.cpu1.mem1024" } }],
    ["protection", { deletion_protection: false }],
  ])("changes its %s", (_, over) => {
    expect(fixedChanges(before, specOf(over))).toEqual([]);
  });
});
