// AWS and K2 Cloud as far as a plan can tell: the provider's schema, what its documentation says forces another object, and
// what EC2 gives to one only.
import { type CloudName, cloudSchema } from "./cloud-schema.js";
import { type StandIn, standInVendor, type VendorRules } from "./stand-in-vendor.js";

const replace: VendorRules["replace"] = {
  aws_vpc: ["cidr_block"],
  aws_subnet: ["vpc_id", "cidr_block", "availability_zone"],
  aws_security_group: ["name", "description", "vpc_id"],
  aws_security_group_rule: [
    "type",
    "protocol",
    "from_port",
    "to_port",
    "cidr_blocks",
    "self",
    "source_security_group_id",
    "security_group_id",
  ],
  aws_vpc_security_group_ingress_rule: ["security_group_id"],
  aws_vpc_security_group_egress_rule: ["security_group_id"],
  aws_network_interface: ["subnet_id"],
  aws_ebs_volume: ["availability_zone"],
  aws_volume_attachment: ["device_name", "volume_id", "instance_id"],
  // with user_data_replace_on_change
  aws_instance: [
    "ami",
    "user_data_base64",
    "subnet_id",
    "availability_zone",
    "placement_group",
    "associate_public_ip_address",
    "instance_market_options",
    "primary_network_interface",
    "network_interface",
  ],
  aws_placement_group: ["name", "strategy"],
  aws_lb: ["name", "internal", "load_balancer_type"],
  aws_lb_target_group: ["name", "port", "protocol", "target_type", "vpc_id"],
  aws_lb_target_group_attachment: ["target_group_arn", "target_id", "port"],
  aws_lb_listener: ["load_balancer_arn"],
  aws_nat_gateway: ["allocation_id", "subnet_id", "vpc_id"],
  aws_route: ["route_table_id", "destination_cidr_block"],
  aws_route_table_association: ["subnet_id"],
  aws_iam_role: ["name"],
  aws_iam_role_policy: ["name", "role"],
  aws_iam_instance_profile: ["name"],
};

const unique: VendorRules["unique"] = {
  aws_security_group: [["name", "vpc_id"]],
  aws_network_interface: [["subnet_id", "private_ips"]],
  aws_volume_attachment: [["volume_id"]],
  aws_instance: [["primary_network_interface"], ["network_interface"]],
  aws_lb: [["name"]],
  aws_lb_target_group: [["name"]],
  aws_lb_target_group_attachment: [["target_group_arn", "target_id"]],
  aws_nat_gateway: [["allocation_id"]],
  aws_route: [["route_table_id", "destination_cidr_block"]],
  aws_route_table_association: [["subnet_id"]],
  aws_placement_group: [["name"]],
  aws_iam_role: [["name"]],
  aws_iam_instance_profile: [["name"]],
};

export const standInEc2 = (cloud: CloudName & ("aws" | "k2"), seen?: VendorRules["seen"]): StandIn =>
  standInVendor(cloudSchema(cloud), {
    replace,
    unique,
    named: ["aws_placement_group", "aws_iam_role", "aws_iam_instance_profile"],
    ...(seen ? { seen } : {}),
  });
