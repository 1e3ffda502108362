import { describe, expect, it } from "vitest";
import { cloudController, diskDriver, partitionOf } from "../../../../../constructs/iaas/aws/policies.js";

const policies = { cloudController: cloudController("demo", "eu-central-1"), diskDriver: diskDriver("demo", "eu-central-1") };

/** Verbs that only look: they cannot be bound to a resource. */
const looks = /:Describe/;
/** Made in a network that may be there before and carries no tag; a group alone opens nothing. */
const unbound = ["MakeGroupsInNetworks"];

describe.each(Object.entries(policies))("%s", (_, policy) => {
  it("allows nothing by wildcard", () => {
    for (const { Action } of policy.Statement) for (const action of Action) expect(action).not.toContain("*");
  });

  it("binds whatever changes something to the cluster's tag", () => {
    for (const statement of policy.Statement) {
      if (statement.Action.every((action) => looks.test(action)) || unbound.includes(statement.Sid)) continue;
      const condition = JSON.stringify(statement.Condition);
      expect(statement.Resource, statement.Sid).not.toBe("*");
      expect(condition, statement.Sid).toMatch(/kubernetes\.io\/cluster\/demo":"owned"|ec2:CreateAction/);
    }
  });

  it("fits into a role: 10240 characters of all its policies", () => {
    expect(JSON.stringify(policy).length).toBeLessThan(5120);
  });

  it("names its statements once", () => {
    const names = policy.Statement.map(({ Sid }) => Sid);
    expect(new Set(names).size).toBe(names.length);
  });
});

it("does not let the disk driver near an etcd disk, which lacks the driver's tag", () => {
  const touching = policies.diskDriver.Statement.filter(({ Resource }) => JSON.stringify(Resource).includes("volume/"));
  expect(touching.map(({ Sid }) => Sid)).toEqual(["MakeVolumes", "TagWhatItMakes", "ChangeVolumes"]);
  const change = touching.find(({ Sid }) => Sid === "ChangeVolumes");
  expect(JSON.stringify(change?.Condition)).toContain('"aws:ResourceTag/ebs.csi.aws.com/cluster":"true"');
});

it("knows the partition of a region", () => {
  expect(["eu-central-1", "cn-north-1", "us-gov-west-1"].map(partitionOf)).toEqual(["aws", "aws-cn", "aws-us-gov"]);
});
