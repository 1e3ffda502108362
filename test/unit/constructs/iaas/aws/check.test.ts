import { describe, expect, it } from "vitest";
import { warnSpec } from "../../../../../constructs/iaas/aws/check.js";
import { ec2Problems, ec2Spec, zonesOf } from "../../../../support/ec2-cluster.js";

const zone = zonesOf.aws[0];
const subnets = (of: object) => Object.fromEntries(zonesOf.aws.map((name, n) => [name, { cidr: `10.98.${n * 16}.0/20`, ...of }]));
const found = (cloud: "aws" | "k2", over: object) =>
  ec2Problems(cloud, over as Readonly<Record<string, unknown>>).map(({ code, path }) => `${code} ${path.join(".")}`);

describe("a spec that AWS cannot make", () => {
  it("a good one has no problems", () => {
    expect(ec2Problems("aws", {})).toEqual([]);
    expect(ec2Problems("k2", {})).toEqual([]);
  });

  it("a zone of another region", () => {
    const other = { "us-east-1a": { cidr: "10.98.0.0/20" } };
    expect(
      found("aws", {
        vpc_config: { subnets: other, egress: "none", public_access_cidrs: [], endpoint_public_access: false },
        control_plane: { replicas: 1, zones: ["us-east-1a"], instance_type: "m7i.large", image: "ami-1" },
        node_groups: {},
      }),
    ).toContain("zone.region vpc_config.subnets.us-east-1a");
  });

  it("ranges wider or narrower than a VPC's", () => {
    expect(found("aws", { vpc_config: { cidr: "10.98.0.0/15" } })).toContain("cidr.size vpc_config.cidr");
    expect(found("aws", { vpc_config: { cidr: "10.98.0.0/15", network_id: "vpc-1" } })).not.toContain("cidr.size vpc_config.cidr");
  });

  it("a public endpoint or a way out without a public subnet", () => {
    const none = { vpc_config: { subnets: subnets({}) } };
    expect(found("aws", none)).toEqual(["subnet.no_public vpc_config.endpoint_public_access", "subnet.no_public vpc_config.egress"]);
    const some = { ...subnets({}), [zone]: { cidr: "10.98.0.0/20", public_cidr: "10.98.240.0/24" } };
    expect(found("aws", { vpc_config: { subnets: some } })).toEqual([]);
    expect(found("aws", { vpc_config: { subnets: some, egress: "nat_per_zone" } })).toEqual(["subnet.no_public vpc_config.egress"]);
  });

  it("operations a second of a type that has none to choose", () => {
    const volume = (of: object) => ({
      control_plane: { replicas: 1, zones: [zone], instance_type: "m7i.large", image: "ami-1", etcd_volume: of },
    });
    expect(found("aws", volume({ type: "gp2", iops: 3000 }))).toEqual(["disk.iops control_plane.etcd_volume.iops"]);
    expect(found("aws", volume({ iops: 3000 }))).toEqual([]);
  });

  it("several machine types for one group, or something that is none", () => {
    const group = (types: readonly string[]) => ({
      node_groups: { web: { instance_types: types, image: "ami-1", zones: [zone], scaling_config: { desired_size: 1 } } },
    });
    expect(found("aws", group(["c7i.large", "c7a.large"]))).toEqual(["cloud.unsupported node_groups.web.instance_types"]);
    expect(found("aws", group(["2x2048"]))).toEqual(["cloud.instance_type node_groups.web.instance_types.0"]);
    // which ones there are is the vendor's word
    expect(found("aws", group(["zz99.huge"]))).toEqual([]);
  });

  it("one subnet of all zones", () => {
    expect(found("aws", { vpc_config: { subnets: {}, network_id: "vpc-1", subnet_id: "subnet-1" } }).join()).toContain("vpc_config.subnet");
  });

  it("names that a balancer or a group cannot have", () => {
    expect(found("aws", { name: "internal-x" }).join()).toContain("name.invalid");
    expect(found("aws", { name: "sg-x" }).join()).toContain("name.invalid");
  });
});

it("a control plane of a type that runs out of credits is warned of", () => {
  const warned = (type: string) =>
    warnSpec(ec2Spec("aws", { control_plane: { replicas: 1, zones: [zone], instance_type: type, image: "ami-1" } })).map(
      ({ code }) => code,
    );
  expect(["t3.medium", "t4g.large", "m7i.large", "trn1.2xlarge"].map(warned)).toEqual([
    ["machine.burstable"],
    ["machine.burstable"],
    [],
    [],
  ]);
});

describe("a spec that K2 Cloud cannot make", () => {
  const at = (over: object) => ec2Problems("k2", over as Readonly<Record<string, unknown>>);

  it("what AWS has and it has not, with what to use instead", () => {
    expect(found("k2", { vpc_config: { egress: "nat_per_zone" } })).toEqual(["cloud.unsupported vpc_config.egress"]);
    expect(found("k2", { vpc_config: { endpoint_private_access: false } })).toEqual([
      "cloud.unsupported vpc_config.endpoint_private_access",
    ]);
    const [problem] = at({
      node_groups: {
        web: {
          instance_types: ["c5.large"],
          image: "cmi-1",
          zones: [zonesOf.k2[0]],
          capacity_type: "SPOT",
          scaling_config: { desired_size: 1 },
        },
      },
    });
    expect(problem).toMatchObject({ message: expect.stringContaining('"k2"'), fix: "write ON_DEMAND" });
  });

  it("a public endpoint that it cannot restrict", () => {
    const theirs = Object.fromEntries(
      zonesOf.k2.map((name, n) => [
        name,
        { cidr: `10.98.${n * 16}.0/20`, id: `subnet-${n}`, public_cidr: `10.98.24${n}.0/24`, public_id: `subnet-9${n}` },
      ]),
    );
    expect(found("k2", { vpc_config: { network_id: "vpc-1", subnets: theirs } })).toEqual(
      [...zonesOf.k2].sort().map((name) => `cloud.unsupported vpc_config.subnets.${name}.public_id`),
    );
    expect(found("k2", { vpc_config: { network_id: "vpc-1", subnets: theirs, public_access_cidrs: ["0.0.0.0/0"] } })).toEqual([]);
    expect(found("k2", { vpc_config: { firewall: "own", security_group_ids: ["sg-1"] } })).toEqual([
      "cloud.unsupported vpc_config.firewall",
    ]);
  });
});
