// Fields and clouds of the product that this version does not have: a user who reads about them elsewhere gets told so,
// never silence. An entry goes when the schema gets the field.

export const later: Readonly<Record<string, string>> = {
  "access.proxy_url": "reaching the API through a proxy",
  "control_plane.mode": "hosted control planes",
  "upgrade_policy.release_channel": "release channels",
  "upgrade_policy.max_unavailable": "rolling more than one machine of the control plane at a time",
  access_config: "sign-in by OIDC",
  encryption_config: "encryption of Secrets",
  enabled_cluster_log_types: "logs of the control plane",
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
