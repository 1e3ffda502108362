import { describe, expect, it } from "vitest";
import { ref } from "../../../../../constructs/iaas/resource.js";
import { ec2, zonesOf } from "../../../../support/ec2-cluster.js";

const [a] = zonesOf.aws;
const worker = `group/web/${a}/0/machine`;

describe("a control plane", () => {
  it("wears the interface that its address is, and its disk is let go when it ends", () => {
    const { args } = ec2("aws");
    expect(args("cp/a/address")).toMatchObject({ private_ips: ["10.98.0.11"], source_dest_check: false });
    expect(args("cp/b/address")).toMatchObject({ private_ips: ["10.98.16.12"] });
    expect(args("cp/a/machine")).toMatchObject({
      primary_network_interface: [{ network_interface_id: ref("cp/a/address", "id") }],
      placement_group: ref("shared/spread", "id"),
      iam_instance_profile: ref("shared/profile", "name"),
    });
    expect(args("cp/a/machine-disk")).toEqual({
      device_name: "/dev/sdf",
      volume_id: ref("cp/a/disk", "id"),
      instance_id: ref("cp/a/machine", "id"),
      skip_destroy: true,
    });
    expect(args("cp/a/disk")).toMatchObject({ availability_zone: a, size: 8, type: "gp3", encrypted: true });
  });

  it("is known only when its disk is attached, and is left before it is let go", () => {
    const { find } = ec2("aws");
    expect(find("cp/a/node")?.dependsOn).toContain("cp/a/machine-disk");
    expect(find("cp/a/node")?.dependsOn?.filter((name) => /^cp\/[bc]\/(machine|node|boot)/.test(name))).toEqual([]);
  });

  it("is stopped before its disk is taken from it on K2 Cloud", () => {
    const { args, find } = ec2("k2");
    expect(args("cp/a/machine-disk")).toEqual({
      volume_id: ref("cp/a/disk", "id"),
      instance_id: ref("cp/a/machine", "id"),
      stop_instance_before_detaching: true,
    });
    expect(args("cp/a/machine").network_interface).toEqual([{ device_index: 0, network_interface_id: ref("cp/a/address", "id") }]);
    expect(args("cp/a/machine")).not.toHaveProperty("iam_instance_profile");
    expect(args("cp/a/machine")).not.toHaveProperty("metadata_options");
    expect(find("cp/a/node")?.dependsOn).toEqual(expect.arrayContaining(["cp/a/machine-disk", "cp/a/machine-target"]));
  });
});

describe("a machine", () => {
  it("is made of what honest_boot gives, and is replaced when that changes", () => {
    const { args } = ec2("aws");
    for (const name of ["cp/a/machine", worker]) {
      const boot = name.replace("/machine", "/boot");
      expect(args(name), name).toMatchObject({
        ami: ref(boot, "image"),
        instance_type: ref(boot, "instance_type"),
        user_data_base64: ref(boot, "user_data"),
        user_data_replace_on_change: true,
        root_block_device: [{ volume_size: ref(boot, "root_disk_gib"), volume_type: "gp3", encrypted: true }],
      });
    }
  });

  it("that somebody gave another type is not stopped and started for it", () => {
    for (const cloud of ["aws", "k2"] as const)
      expect(ec2(cloud).find("cp/a/machine")?.lifecycle?.ignoreChanges).toContain("instance_type");
    expect(ec2("aws").find(worker)?.lifecycle?.ignoreChanges).toContain("instance_type");
  });

  it("asks for a token at the metadata service, whose answer crosses no bridge", () => {
    const { args } = ec2("aws");
    for (const name of ["cp/a/machine", worker])
      expect(args(name).metadata_options).toEqual([{ http_endpoint: "enabled", http_tokens: "required", http_put_response_hop_limit: 1 }]);
  });

  it("of a group stands beside its successor, routes packets of pods and has no rights in the cloud", () => {
    const { args, find } = ec2("aws");
    expect(find(worker)?.lifecycle?.createBeforeDestroy).toBe(true);
    expect(args(worker)).toMatchObject({
      subnet_id: ref(`subnet/${a}/private`, "id"),
      source_dest_check: false,
      vpc_security_group_ids: [ref("shared/group-nodes", "id"), ref("shared/group-workers", "id")],
    });
    expect(args(worker)).not.toHaveProperty("iam_instance_profile");
    expect(args(worker)).not.toHaveProperty("placement_group");
  });

  it("may be a spot instance on AWS; a change of that waits for the next machine", () => {
    const input = ec2("aws", {
      node_groups: {
        web: {
          instance_types: ["c7i.large"],
          image: "ami-1",
          zones: [a],
          capacity_type: "SPOT",
          scaling_config: { desired_size: 1 },
        },
      },
    });
    expect(input.args(worker).instance_market_options).toEqual([{ market_type: "spot" }]);
    expect(input.find(worker)?.lifecycle?.ignoreChanges).toContain("instance_market_options");
  });

  it("carries the user's tags, and the kit's own win", () => {
    const { args } = ec2("aws", { tags: { team: "platform", Name: "mine" } });
    expect(args(worker).tags).toEqual({
      team: "platform",
      Name: `demo-web-${a}-0`,
      "honest-paas.dev/cluster": "demo",
      "kubernetes.io/cluster/demo": "owned",
    });
    // the cluster's mark would let a controller take an etcd disk for a claim's
    expect(args("cp/a/disk").tags).not.toHaveProperty(["kubernetes.io/cluster/demo"]);
  });
});
