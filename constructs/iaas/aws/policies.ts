// The least rights that Kubernetes' cloud controller and disk driver need on control planes. Whatever changes something is
// bound to the cluster's tag, so that one cluster's machines cannot touch another's, nor its own etcd disks: those do not carry
// the driver's tag.
import { clusterTag } from "./tags.js";

interface Statement {
  readonly Sid: string;
  readonly Effect: "Allow";
  readonly Action: readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

export interface Policy {
  readonly Version: "2012-10-17";
  readonly Statement: readonly Statement[];
}

/** First part of every name in a region: "aws", "aws-cn", "aws-us-gov". */
export const partitionOf = (region: string): string =>
  region.startsWith("cn-") ? "aws-cn" : region.startsWith("us-gov-") ? "aws-us-gov" : "aws";

/** Who may take the role: machines. */
export const trust = {
  Version: "2012-10-17",
  Statement: [{ Effect: "Allow", Action: "sts:AssumeRole", Principal: { Service: "ec2.amazonaws.com" } }],
} as const;

const owned = "owned";
const driverTag = "ebs.csi.aws.com/cluster";

/** Load balancers of Services, and the providers' ids and zones of nodes. */
export function cloudController(cluster: string, region: string): Policy {
  const arn = (service: string, what: string): string => `arn:${partitionOf(region)}:${service}:${region}:*:${what}`;
  const tag = clusterTag(cluster);
  const asked = { StringEquals: { [`aws:RequestTag/${tag}`]: owned } };
  const ours = { StringEquals: { [`aws:ResourceTag/${tag}`]: owned } };
  const balancers = arn("elasticloadbalancing", "loadbalancer/*");
  const listeners = arn("elasticloadbalancing", "listener/*");
  const targetGroups = arn("elasticloadbalancing", "targetgroup/*");
  const groups = arn("ec2", "security-group/*");
  return {
    Version: "2012-10-17",
    Statement: [
      {
        Sid: "Look",
        Effect: "Allow",
        // None of these can be bound to a resource.
        Action: [
          "ec2:DescribeAvailabilityZones",
          "ec2:DescribeInstances",
          "ec2:DescribeInstanceTopology",
          "ec2:DescribeRegions",
          "ec2:DescribeRouteTables",
          "ec2:DescribeSecurityGroups",
          "ec2:DescribeSubnets",
          "ec2:DescribeVpcs",
          "elasticloadbalancing:DescribeListeners",
          "elasticloadbalancing:DescribeLoadBalancerAttributes",
          "elasticloadbalancing:DescribeLoadBalancerPolicies",
          "elasticloadbalancing:DescribeLoadBalancers",
          "elasticloadbalancing:DescribeTags",
          "elasticloadbalancing:DescribeTargetGroupAttributes",
          "elasticloadbalancing:DescribeTargetGroups",
          "elasticloadbalancing:DescribeTargetHealth",
        ],
        Resource: "*",
      },
      {
        Sid: "MakeBalancers",
        Effect: "Allow",
        Action: [
          "elasticloadbalancing:AddTags",
          "elasticloadbalancing:CreateListener",
          "elasticloadbalancing:CreateLoadBalancer",
          "elasticloadbalancing:CreateTargetGroup",
        ],
        Resource: [balancers, listeners, targetGroups],
        Condition: asked,
      },
      {
        Sid: "ChangeBalancers",
        Effect: "Allow",
        Action: [
          "elasticloadbalancing:ApplySecurityGroupsToLoadBalancer",
          "elasticloadbalancing:AttachLoadBalancerToSubnets",
          "elasticloadbalancing:ConfigureHealthCheck",
          "elasticloadbalancing:CreateListener",
          "elasticloadbalancing:CreateLoadBalancerListeners",
          "elasticloadbalancing:CreateLoadBalancerPolicy",
          "elasticloadbalancing:DeleteListener",
          "elasticloadbalancing:DeleteLoadBalancer",
          "elasticloadbalancing:DeleteLoadBalancerListeners",
          "elasticloadbalancing:DeleteTargetGroup",
          "elasticloadbalancing:DeregisterInstancesFromLoadBalancer",
          "elasticloadbalancing:DeregisterTargets",
          "elasticloadbalancing:DetachLoadBalancerFromSubnets",
          "elasticloadbalancing:ModifyListener",
          "elasticloadbalancing:ModifyLoadBalancerAttributes",
          "elasticloadbalancing:ModifyTargetGroup",
          "elasticloadbalancing:ModifyTargetGroupAttributes",
          "elasticloadbalancing:RegisterInstancesWithLoadBalancer",
          "elasticloadbalancing:RegisterTargets",
          "elasticloadbalancing:SetLoadBalancerPoliciesForBackendServer",
          "elasticloadbalancing:SetLoadBalancerPoliciesOfListener",
        ],
        Resource: [balancers, listeners, targetGroups],
        Condition: ours,
      },
      { Sid: "MakeGroups", Effect: "Allow", Action: ["ec2:CreateSecurityGroup"], Resource: groups, Condition: asked },
      // A group is made in a network, which carries no tag of ours where it was there before.
      { Sid: "MakeGroupsInNetworks", Effect: "Allow", Action: ["ec2:CreateSecurityGroup"], Resource: arn("ec2", "vpc/*") },
      {
        Sid: "TagGroups",
        Effect: "Allow",
        Action: ["ec2:CreateTags"],
        Resource: groups,
        Condition: { StringEquals: { "ec2:CreateAction": "CreateSecurityGroup", [`aws:RequestTag/${tag}`]: owned } },
      },
      {
        Sid: "ChangeGroups",
        Effect: "Allow",
        Action: ["ec2:AuthorizeSecurityGroupIngress", "ec2:DeleteSecurityGroup", "ec2:RevokeSecurityGroupIngress"],
        Resource: groups,
        Condition: ours,
      },
    ],
  };
}

/** Volumes of claims; the driver runs with --k8s-tag-cluster-id=<cluster>. */
export function diskDriver(cluster: string, region: string): Policy {
  const arn = (what: string, account = "*"): string => `arn:${partitionOf(region)}:ec2:${region}:${account}:${what}`;
  const tag = clusterTag(cluster);
  const asked = { StringEquals: { [`aws:RequestTag/${driverTag}`]: "true", [`aws:RequestTag/${tag}`]: owned } };
  const ours = { StringEquals: { [`aws:ResourceTag/${driverTag}`]: "true", [`aws:ResourceTag/${tag}`]: owned } };
  const [volumes, snapshots, instances] = [arn("volume/*"), arn("snapshot/*", ""), arn("instance/*")];
  return {
    Version: "2012-10-17",
    Statement: [
      {
        Sid: "Look",
        Effect: "Allow",
        Action: [
          "ec2:DescribeAvailabilityZones",
          "ec2:DescribeInstances",
          "ec2:DescribeSnapshots",
          "ec2:DescribeTags",
          "ec2:DescribeVolumeStatus",
          "ec2:DescribeVolumes",
          "ec2:DescribeVolumesModifications",
        ],
        Resource: "*",
      },
      { Sid: "MakeVolumes", Effect: "Allow", Action: ["ec2:CreateVolume"], Resource: volumes, Condition: asked },
      { Sid: "MakeSnapshots", Effect: "Allow", Action: ["ec2:CreateSnapshot"], Resource: snapshots, Condition: asked },
      {
        Sid: "UseSnapshots",
        Effect: "Allow",
        Action: ["ec2:CreateVolume", "ec2:DeleteSnapshot"],
        Resource: snapshots,
        Condition: ours,
      },
      {
        Sid: "TagWhatItMakes",
        Effect: "Allow",
        Action: ["ec2:CreateTags"],
        Resource: [volumes, snapshots],
        Condition: { StringEquals: { "ec2:CreateAction": ["CreateVolume", "CreateSnapshot"] } },
      },
      {
        Sid: "ChangeVolumes",
        Effect: "Allow",
        Action: ["ec2:AttachVolume", "ec2:CreateSnapshot", "ec2:DeleteVolume", "ec2:DetachVolume", "ec2:ModifyVolume"],
        Resource: volumes,
        Condition: ours,
      },
      {
        Sid: "AttachToNodes",
        Effect: "Allow",
        Action: ["ec2:AttachVolume", "ec2:DetachVolume"],
        Resource: instances,
        Condition: { StringEquals: { [`aws:ResourceTag/${tag}`]: owned } },
      },
    ],
  };
}
