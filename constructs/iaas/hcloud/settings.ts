// What a spec says of Hetzner Cloud, and what of it more than one kind of block needs.
import type { ClusterSpec } from "../../spec/gen/spec.js";
import type { Args } from "../resource.js";

export type HcloudSettings = NonNullable<ClusterSpec["iaas"]["hcloud"]>;

export function settings({ iaas }: ClusterSpec): HcloudSettings {
  if (!iaas.hcloud) throw new TypeError("the Hetzner mapping of a spec of another cloud");
  return iaas.hcloud;
}

/** The control planes have public addresses of their own that stay, and the world reaches the API at these. */
export const apiAtControlPlanes = (spec: ClusterSpec): boolean =>
  spec.vpc_config.endpoint_public_access && settings(spec).public_endpoint === "control_planes";

/** Whether machines of the role have a public side; only there does a firewall of Hetzner stand. */
export const facesTheWorld = (spec: ClusterSpec, role: "control-plane" | "worker"): boolean =>
  spec.vpc_config.egress === "public" || (role === "control-plane" && apiAtControlPlanes(spec));

export const clusterLabel = "honest-paas/cluster";
export const roleLabel = "honest-paas/role";

/** Of everything that takes labels. Ours come last: the balancer finds its control planes by them. */
export const labels = ({ name, tags }: ClusterSpec, more: Readonly<Record<string, string>> = {}): Args => ({
  ...tags,
  [clusterLabel]: name,
  ...more,
});

/** Ids are numbers here; a spec has them as text. */
export const numeric = (id: string): number => Number(id);
