// AWS and K2 Cloud: one mapping. What differs between the two is here and nowhere else; K2's provider keeps the names of the
// resources, but its cloud does not have all that AWS has (docs/clouds/k2.md).
import type { Egress } from "../../blueprint/block.js";
import type { ClusterSpec } from "../../spec/gen/spec.js";
import type { Args } from "../resource.js";

export interface Vendor {
  readonly name: "aws" | "k2";
  readonly source: string;
  readonly version: string;
  readonly egress: readonly Egress[];
  readonly capacityTypes: readonly string[];
  /** "described": a rule is a resource with a description and tags. "plain": the older kind, which K2 has. */
  readonly rules: "described" | "plain";
  /** Whether groups, interfaces and rules take a description. */
  readonly descriptions: boolean;
  /** "in_subnet": a NAT gateway is in a public subnet of one zone. "of_network": one serves all zones. */
  readonly natGateway: "in_subnet" | "of_network";
  /** Block of an instance that takes an interface which is there already. */
  readonly ownInterface: (id: Args[string]) => Args;
  /**
   * How an etcd disk leaves its machine, never under its feet. "skip_destroy": it is let go when the machine ends.
   * "stop_instance_before_detaching": the machine is stopped first.
   */
  readonly detach: "skip_destroy" | "stop_instance_before_detaching";
  /** Names of devices: of the etcd disk (null: the cloud's choice), and of the n-th extra disk. */
  readonly etcdDevice: string | null;
  readonly extraDevice: (n: number) => string;
  /** What the balancer sends to: addresses that stay, or machines. */
  readonly targets: "ip" | "instance";
  /** Whether balancers are in groups of firewall rules. Without, an access list closes their public subnets. */
  readonly balancerGroups: boolean;
  readonly targetGroup: Args;
  readonly healthCheck: Args;
  readonly balancer: Args;
  readonly forwardTo: (arn: Args[string]) => Args;
  readonly publicAddress: Args;
  /** Type of root disks, and of etcd disks where the spec names none. */
  readonly diskType: string;
  readonly disk: Args;
  /** Types of disks that take a number of operations. */
  readonly iopsTypes: readonly string[];
  readonly machine: Args;
  /** Arguments of a worker that count when it is made and are let be afterwards. */
  readonly onceOnly: readonly string[];
  /** Whether machines can have rights in the cloud by a profile. */
  readonly instanceProfile: boolean;
}

export const awsVendor: Vendor = {
  name: "aws",
  source: "hashicorp/aws",
  // primary_network_interface came with 6.10
  version: "~> 6.10",
  egress: ["none", "nat", "nat_per_zone", "public"],
  capacityTypes: ["ON_DEMAND", "SPOT"],
  rules: "described",
  descriptions: true,
  natGateway: "in_subnet",
  ownInterface: (id) => ({ primary_network_interface: [{ network_interface_id: id }] }),
  detach: "skip_destroy",
  etcdDevice: "/dev/sdf",
  extraDevice: (n) => `/dev/sd${String.fromCharCode("g".charCodeAt(0) + n)}`,
  targets: "ip",
  balancerGroups: true,
  // Behind a target's own address a balancer keeps the caller's only if told so; groups then could not tell it from anybody.
  targetGroup: { target_type: "ip", preserve_client_ip: "false", deregistration_delay: "30" },
  healthCheck: {
    protocol: "HTTPS",
    path: "/readyz",
    port: "traffic-port",
    matcher: "200",
    interval: 10,
    timeout: 5,
    healthy_threshold: 2,
    unhealthy_threshold: 2,
  },
  // A worker asks the balancer of its own zone; that one has to reach the control planes of the others.
  balancer: { enable_cross_zone_load_balancing: true },
  forwardTo: (arn) => ({ type: "forward", target_group_arn: arn }),
  publicAddress: { domain: "vpc" },
  diskType: "gp3",
  disk: { encrypted: true },
  iopsTypes: ["gp3", "io1", "io2"],
  machine: { metadata_options: [{ http_endpoint: "enabled", http_tokens: "required", http_put_response_hop_limit: 1 }] },
  onceOnly: ["associate_public_ip_address", "instance_market_options"],
  instanceProfile: true,
};

export const k2Vendor: Vendor = {
  name: "k2",
  source: "c2devel/rockitcloud",
  // aws_nat_gateway came with 25.5.5
  version: ">= 25.5.5",
  egress: ["none", "nat"],
  capacityTypes: ["ON_DEMAND"],
  rules: "plain",
  descriptions: false,
  natGateway: "of_network",
  ownInterface: (id) => ({ network_interface: [{ device_index: 0, network_interface_id: id }] }),
  detach: "stop_instance_before_detaching",
  etcdDevice: null,
  // the first is the root disk's
  extraDevice: (n) => `disk${n + 2}`,
  targets: "instance",
  balancerGroups: false,
  targetGroup: { target_type: "instance" },
  healthCheck: { protocol: "TCP", port: "traffic-port", interval: 10, healthy_threshold: 2, unhealthy_threshold: 2 },
  balancer: {},
  forwardTo: (arn) => ({ type: "forward", forward: [{ target_group: [{ arn }] }] }),
  publicAddress: {},
  diskType: "gp2",
  disk: {},
  iopsTypes: ["io2"],
  machine: {},
  onceOnly: [],
  instanceProfile: false,
};

export function regionOf(vendor: Vendor, spec: ClusterSpec): string {
  const settings = spec.iaas[vendor.name];
  if (!settings) throw new TypeError(`the ${vendor.name} mapping of a spec of another cloud`);
  return settings.region;
}
