// ClusterSpec → Blueprint. Pure: the same spec gives the same blueprint, in whatever order its fields were written.
import type { ClusterSpec } from "../spec/gen/spec.js";
import type { Block } from "./block.js";
import type { Blueprint } from "./blueprint.js";
import { buildControlPlanes } from "./control-plane.js";
import { firewall } from "./firewall.js";
import { apiPort, endpointName } from "./names.js";
import { endpointAddress } from "./network.js";
import { buildNodeGroup } from "./node-group.js";

function sourceOf({ restore }: ClusterSpec): Blueprint["restore"] {
  if (restore === null || restore.url === null || restore.not_after === null) return null;
  const { url, passphrase, not_after } = restore;
  return { url, passphrase, not_after };
}

export function build(spec: ClusterSpec): Blueprint {
  const { name: cluster, vpc_config, kubernetes_network_config: networks, certificates } = spec;
  const [network, subnet] = ["network", "subnet"];
  const address = endpointAddress(vpc_config.cidr);
  const control = buildControlPlanes(spec, subnet);
  const groups = Object.keys(spec.node_groups)
    .sort()
    .map((name) => buildNodeGroup(spec, name, subnet));
  const shared: readonly Block[] = [
    { kind: "network", id: network, name: cluster, cidr: vpc_config.cidr },
    { kind: "subnet", id: subnet, name: cluster, network, cidr: vpc_config.cidr },
    ...firewall(cluster, network),
    { kind: "address", id: "endpoint/address", name: `${cluster}-api`, subnet, address },
    {
      kind: "balancer",
      id: "endpoint/balancer",
      name: `${cluster}-api`,
      subnet,
      address,
      port: apiPort,
      backends: Object.fromEntries(control.members.map((member) => [member.name, `${member.address}:${apiPort}`])),
    },
  ];
  return {
    cluster,
    version: spec.version,
    podCidr: networks.pod_ipv4_cidr,
    serviceCidr: networks.service_ipv4_cidr,
    cni: networks.cni,
    endpoint: { name: endpointName(cluster), port: apiPort, address, url: spec.access.endpoint },
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
