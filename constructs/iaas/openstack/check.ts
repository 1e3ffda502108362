// What OpenStack alone finds wrong with a spec.
import type { ClusterSpec } from "../../spec/gen/spec.js";
import type { Problem } from "../../spec/problem.js";

export function problems(spec: ClusterSpec): readonly Problem[] {
  const images: readonly (readonly [Problem["path"], string])[] = [
    [["control_plane", "image"], spec.control_plane.image],
    ...Object.entries(spec.node_groups).map(([name, group]) => [["node_groups", name, "image"], group.image] as const),
  ];
  return [...pool(spec), ...images.flatMap(([path, image]) => imageId(path, image))];
}

/** Who asks for a floating IP or a way out has to say from where. */
function pool({ iaas, vpc_config }: ClusterSpec): readonly Problem[] {
  if (iaas.openstack?.external_network != null) return [];
  const { network_id, egress, endpoint_public_access, endpoint_public_addresses } = vpc_config;
  const missing = (what: string): Problem => ({
    code: "openstack.external_network",
    path: ["iaas", "openstack", "external_network"],
    message: `is missing, and ${what}`,
    fix: "name the network that floating IPs come from: openstack network list --external",
  });
  if (endpoint_public_access && endpoint_public_addresses.length === 0)
    return [missing("a public endpoint (vpc_config.endpoint_public_access) takes a floating IP of it")];
  if (network_id === null && (egress === "nat" || endpoint_public_access))
    return [missing('the router of the machines\' network (vpc_config.egress "nat", or a public endpoint) leads into it')];
  return [];
}

/** Names are not unique in Glance and change their image; what a machine is made of has to be known before. */
function imageId(path: Problem["path"], got: string): readonly Problem[] {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(got)) return [];
  return [
    {
      code: "openstack.image",
      path,
      message: "is no id of an image",
      got,
      allowed: "an id as Glance gives it",
      fix: "take what this prints: openstack image show -f value -c id NAME",
    },
  ];
}
