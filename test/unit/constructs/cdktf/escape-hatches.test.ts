// Ways past the kit: every argument that no release is made of, every resource, parts of user-data, disks of workers.
import { TerraformStack, Testing } from "cdktf";
import { describe, expect, it } from "vitest";
import { build } from "../../../../constructs/blueprint/build.js";
import { Cluster } from "../../../../constructs/index.js";
import { parse } from "../../../../constructs/spec/parse.js";
import { specOf } from "../../../support/blueprint.js";
import type { StackJson } from "../../../support/stack-graph.js";

const made = () => {
  const stack = new TerraformStack(Testing.app(), "demo");
  const cluster = new Cluster(stack, "demo", { version: "1.36.3", iaas: { local: {} }, controlPlane: { replicas: 3, zones: ["a", "b"] } });
  cluster.addNodeGroup("web", { scalingConfig: { desiredSize: 2 } });
  return { cluster, json: () => JSON.parse(Testing.synth(stack, true)) as StackJson };
};
const one = (json: StackJson, type: string, name: string) =>
  Object.entries(json.resource?.[type] ?? {}).find(([address]) => address.includes(name))?.[1];

describe("override", () => {
  it("sets an argument of one block and of no other", () => {
    const { cluster, json } = made();
    cluster.controlPlane("b").disk.override("size_gib", 20);
    cluster.balancer.override("published_port", 6443);
    expect(one(json(), "honest_local_disk", "cp_b_disk")?.size_gib).toBe(20);
    expect(one(json(), "honest_local_disk", "cp_a_disk")?.size_gib).toBe(8);
    expect(one(json(), "honest_local_balancer", "endpoint_balancer")?.published_port).toBe(6443);
  });

  it.each(["image", "instance_type", "user_data_base64", "root_disk_gib"])(
    "refuses %s of a machine: it would restart out of turn",
    (argument) => {
      expect(() => made().cluster.controlPlane("a").machine.override(argument, "x")).toThrow(/comes from honest_boot/);
    },
  );

  it("refuses what the spec makes of the kit's own resources", () => {
    const { cluster } = made();
    const boot = cluster.controlPlane("a").resources.get("cp/a/boot");
    expect(() => boot?.override("spec.version", "1.37.2")).toThrow(/change it in the spec/);
  });
});

describe("resources of a cluster", () => {
  it("are found by what they are", () => {
    const { cluster } = made();
    expect([...cluster.machinesOf("web").keys()]).toEqual(["a/0", "b/0"]);
    expect([...cluster.controlPlane("c").resources.keys()]).toEqual(["cp/c/disk", "cp/c/machine", "cp/c/boot", "cp/c/node"]);
    expect(cluster.network.terraformResourceType).toBe("honest_local_network");
    expect([...cluster.resourcesOf("endpoint").keys()]).toEqual(["endpoint/balancer"]);
  });

  it("that a cloud does not make are told from those that are there", () => {
    const { cluster } = made();
    expect(() => cluster.controlPlane("a").address).toThrow(
      /makes no resource cp\/a\/address on the cloud "local"; there are: cp\/a\/disk/,
    );
    expect(() => cluster.controlPlane("e").machine).toThrow(/cp\/e\/machine/);
  });
});

describe("parts of user-data and disks of workers", () => {
  const part = { "motd.sh": { content_type: "text/x-shellscript", content: "#!/bin/sh\necho hello > /etc/motd\n" } };
  const group = { scaling_config: { desired_size: 1 } };
  const releases = (over: object) => {
    const { controlPlanes, groups } = build(specOf({ iaas: { preview: {} }, node_groups: { web: group }, ...over }));
    return [...controlPlanes, ...groups.flatMap(({ workers }) => workers)].map(({ release }) => release);
  };

  it("make a new release of the machines that they are about, and of no others", () => {
    const [cp, web] = releases({});
    expect(releases({ node_groups: { web: { ...group, user_data_parts: part } } })).toEqual([cp, expect.not.stringMatching(String(web))]);
    expect(releases({ node_groups: { web: { ...group, extra_disks: { data: { size_gib: 5 } } } } })).toEqual([
      cp,
      expect.not.stringMatching(String(web)),
    ]);
    expect(releases({ node_groups: { web: { ...group, user_data_parts: {}, extra_disks: {} } } })).toEqual([cp, web]);
  });

  it.each([
    ["a part that is no cloud-config", { "a.cfg": { content_type: "text/cloud-config", content: "packages: []" } }, "user_data.format"],
    [
      "a part that takes cloud-init's modules away",
      { "a.cfg": { content_type: "text/cloud-config", content: "#cloud-config\ncloud_final_modules: []" } },
      "user_data.modules",
    ],
    ["a script without its program", { "a.sh": { content_type: "text/x-shellscript", content: "echo" } }, "user_data.format"],
    [
      "a part that ends all parts",
      { "a.sh": { content_type: "text/x-shellscript", content: "#!/bin/sh\n--==honest-paas==" } },
      "user_data.boundary",
    ],
    ["an unknown kind of part", { "a.sh": { content_type: "text/plain", content: "x" } }, "field.value"],
  ])("refuse %s", (_, user_data_parts, code) => {
    const { problems } = parse({ name: "demo", version: "1.36.3", iaas: { local: {} }, control_plane: { user_data_parts } });
    expect(problems?.map((problem) => problem.code)).toContain(code);
  });

  it("are refused where the cloud has none", () => {
    const { cluster } = made();
    expect(() => cluster.addNodeGroup("data", { scalingConfig: { desiredSize: 1 }, extraDisks: { data: { sizeGib: 5 } } })).toThrow(
      /nodeGroups\.data\.extraDisks: the cloud "local" has no such thing/,
    );
  });
});
