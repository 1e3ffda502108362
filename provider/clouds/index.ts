// By the name of a cloud below `iaas`. A cloud without a line here works as well; its objects cannot be looked for after a lost
// answer, and its credentials are tried by the first read or create.
import { unknownVendor, type VendorFacts } from "./cloud.js";
import { openstack } from "./openstack.js";

const known: Readonly<Record<string, VendorFacts>> = {
  openstack,
  aws: { ...unknownVendor, preflight: { dataSource: "aws_caller_identity", config: {}, account: "account_id" } },
  hcloud: { ...unknownVendor, preflight: { dataSource: "hcloud_locations", config: {} } },
};

export const vendorFacts = (cloud: string): VendorFacts => known[cloud] ?? unknownVendor;
