// ClusterSpec → Blueprint. Pure: the same spec gives the same blueprint, in whatever order its fields were written.
import type { ClusterSpec } from "../spec/gen/spec.js";
import type { Block } from "./block.js";
import type { Blueprint } from "./blueprint.js";
import { buildControlPlanes } from "./control-plane.js";
import { firewall } from "./firewall.js";
import { apiPort, endpointName } from "./names.js";
import { balancerId, layoutOf, networkId } from "./network.js";
import { buildNodeGroup } from "./node-group.js";

function sourceOf({ restore }: ClusterSpec): Blueprint["restore"] {
  if (restore === null || restore.url === null || restore.not_after === null) return null;
  const { url, passphrase, not_after } = restore;
  return { url, passphrase, not_after };
}

export function build(spec: ClusterSpec): Blueprint {
  const { name: cluster, vpc_config, kubernetes_network_config: networks, certificates } = spec;
  const layout = layoutOf(spec);
  const control = buildControlPlanes(spec, layout);
  // Certificates name one address of the endpoint: the one where the first control plane is.
  const [first] = control.members;
  if (!first) throw new TypeError("no control plane passed parse()");
  const { subnet, endpoint: address } = layout.placeIn(first.zone);
  const groups = Object.keys(spec.node_groups)
    .sort()
    .map((name) => buildNodeGroup(spec, name, layout));
  const shared: readonly Block[] = [
    ...layout.blocks,
    ...firewall(spec, networkId),
    {
      kind: "balancer",
      id: balancerId,
      name: `${cluster}-api`,
      subnet,
      address,
      places: layout.places,
      port: apiPort,
      backends: Object.fromEntries(control.members.map((member) => [member.name, `${member.address}:${apiPort}`])),
      publicAddresses: layout.publicAddresses,
    },
  ];
  return {
    cluster,
    version: spec.version,
    podCidr: networks.pod_ipv4_cidr,
    serviceCidr: networks.service_ipv4_cidr,
    cni: networks.cni,
    endpoint: {
      name: endpointName(cluster),
      port: apiPort,
      address,
      url: spec.access.endpoint ?? (vpc_config.endpoint_public_access ? null : `https://${address}:${apiPort}`),
      public: vpc_config.endpoint_public_access,
      serverName: spec.access.server_name,
    },
    securityGroupIds: vpc_config.security_group_ids,
    firewall: vpc_config.firewall,
    tags: spec.tags,
    certificates: {
      caHours: certificates.ca_hours,
      lifetime: certificates.lifetime,
      renewBefore: certificates.renew_before,
      ticketMinutes: certificates.ticket_minutes,
      rotation: certificates.rotation,
    },
    backup: spec.backup,
    roll: spec.upgrade_policy.roll,
    window: spec.upgrade_policy.maintenance_window,
    restoreNumber: spec.restore?.number ?? 0,
    restore: sourceOf(spec),
    protected: spec.deletion_protection,
    onDestroyVolumes: spec.on_destroy.volumes,
    selfHeal: spec.control_plane.self_heal,
    controlPlanes: control.members,
    groups: groups.map((one) => one.group),
    blocks: [...shared, ...control.blocks, ...groups.flatMap((one) => one.blocks)],
  };
}
