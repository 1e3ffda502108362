// Fields and clouds of the product that this version does not have: a user who reads about them elsewhere gets told so,
// never silence. An entry goes when the schema gets the field.

export const later: Readonly<Record<string, string>> = {
  "iaas.openstack": "the OpenStack cloud",
  "iaas.aws": "the AWS cloud",
  "iaas.k2": "the K2 cloud",
  "iaas.hcloud": "the Hetzner cloud",
  "access.proxy_url": "reaching the API through a proxy",
  "vpc_config.network_id": "an existing network",
  "vpc_config.subnet_ids": "existing subnets",
  "vpc_config.security_group_ids": "existing security groups",
  "vpc_config.endpoint_public_access": "switching public access of the endpoint",
  "vpc_config.endpoint_private_access": "switching private access of the endpoint",
  "vpc_config.public_access_cidrs": "limiting access to the endpoint by address",
  "control_plane.mode": "hosted control planes",
  "upgrade_policy.release_channel": "release channels",
  "upgrade_policy.max_unavailable": "rolling more than one machine of the control plane at a time",
  access_config: "sign-in by OIDC",
  encryption_config: "encryption of Secrets",
  enabled_cluster_log_types: "logs of the control plane",
  tags: "tags",
  addons: "addons",
  "node_groups.*.gpu": "GPUs",
  "node_groups.*.node_repair_config": "repair of nodes",
  "node_groups.*.update_config.max_unavailable":
    "replacing workers without a successor; workers are always replaced after it is Ready (max_surge)",
};

/** What the field would be, or undefined when nobody has heard of it. */
export function laterFeature(path: readonly (string | number)[]): string | undefined {
  const name = path.map((part, n) => (n === 1 && path[0] === "node_groups" ? "*" : part)).join(".");
  return Object.hasOwn(later, name) ? later[name] : undefined;
}
