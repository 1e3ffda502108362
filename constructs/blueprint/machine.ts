// What the machines of a cluster have in common in their static spec.
import type { ClusterSpec } from "../spec/gen/spec.js";
import { hasAny, type MachineSpec } from "./machine-spec.js";
import { apiPort, endpointName } from "./names.js";

/** Root disk where the spec names none and the cloud wants to know. */
const rootDiskGib = 20;

export interface MachineChoice {
  readonly pool: string;
  readonly name: string;
  readonly role: MachineSpec["role"];
  readonly version: string;
  readonly flags: Readonly<Record<string, string>>;
  readonly instanceType: string;
  readonly image: string;
  readonly diskGib: number | null;
  readonly parts: NonNullable<MachineSpec["user_data_parts"]>;
  readonly extraDisks: NonNullable<MachineSpec["extra_disks"]>;
}

export function machineSpec(spec: ClusterSpec, choice: MachineChoice): MachineSpec {
  return {
    cluster: spec.name,
    pool: choice.pool,
    name: choice.name,
    role: choice.role,
    version: choice.version,
    template_epoch: spec.template_epoch,
    endpoint_name: endpointName(spec.name),
    endpoint_port: apiPort,
    pod_ipv4_cidr: spec.kubernetes_network_config.pod_ipv4_cidr,
    service_ipv4_cidr: spec.kubernetes_network_config.service_ipv4_cidr,
    // Names in the API server's certificate are no worker's business: a change of them must not roll workers.
    cert_names: choice.role === "control-plane" ? certNames(spec) : [],
    component_flags: choice.flags,
    mirror_binaries: spec.mirror.binaries,
    mirror_images: spec.mirror.images,
    mirror_ca: spec.mirror.ca,
    ...(authoritiesOf(spec) > 0 ? { authorities: authoritiesOf(spec) } : {}),
    restore: choice.role === "control-plane" && spec.restore ? { number: spec.restore.number, sha256: spec.restore.sha256 } : null,
    shape: { instance_type: choice.instanceType, image: choice.image, root_disk_gib: choice.diskGib ?? rootDiskGib },
    ...(hasAny(choice.parts) ? { user_data_parts: choice.parts } : {}),
    ...(hasAny(choice.extraDisks) ? { extra_disks: choice.extraDisks } : {}),
  };
}

/** From "promote" on documents carry a rotation's authorities; before it those of the rotation before. */
function authoritiesOf({ certificates: { rotation } }: ClusterSpec): number {
  if (rotation === null) return 0;
  return rotation.state === "create" ? rotation.number - 1 : rotation.number;
}

/**
 * Loopback for whoever reaches a published port, the host that Terraform uses where the spec names one, and the user's own;
 * sorted. A public address of the cloud's choice is in no certificate: there the nodes' name for the API is checked.
 */
function certNames({ access: { endpoint, cert_names } }: ClusterSpec): readonly string[] {
  const hosts = endpoint === null ? [] : [new URL(endpoint).hostname];
  return [...new Set(["127.0.0.1", "localhost", ...hosts, ...cert_names])].sort();
}
