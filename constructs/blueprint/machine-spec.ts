// The static spec of one machine: everything whose change means a new machine. Known at synth, without ids, keys, peers
// or kit code, so that every neighbour can compute everyone's release. snake_case: it is an attribute of honest_boot.
// What is not here (members, labels, taints, tags, access keys, addons, schedules) changes in place.
import { createHash } from "node:crypto";

export interface MachineShape {
  readonly instance_type: string;
  readonly image: string;
  readonly root_disk_gib: number;
}

export interface MachineSpec {
  readonly cluster: string;
  /** "cp" or the node group's name. */
  readonly pool: string;
  /** Control plane: the node's name. Worker: its first part; "-" and five hex digits of sha256(machine id) follow. */
  readonly name: string;
  readonly role: "control-plane" | "worker";
  /** "1.36.3" */
  readonly version: string;
  readonly template_epoch: number;
  /** Name that every node resolves to the API: "api.demo.honest.internal". */
  readonly endpoint_name: string;
  readonly endpoint_port: number;
  readonly pod_ipv4_cidr: string;
  readonly service_ipv4_cidr: string;
  /** More names and addresses for the API server's certificate; sorted. */
  readonly cert_names: readonly string[];
  /** "kubelet.max-pods", "kube-apiserver.audit-log-maxage": component and flag without dashes. */
  readonly component_flags: Readonly<Record<string, string>>;
  readonly mirror_binaries: string | null;
  readonly mirror_images: string | null;
  readonly mirror_ca: string | null;
  /**
   * Number of the authorities that its document carries, 0 or null = the cluster's first. It rises with "promote" of a
   * rotation: a document that only knows the old ones would not bring its machine back after "retire".
   */
  readonly authorities?: number | null;
  /**
   * Control planes of a cluster that goes, or went, back to a snapshot: which restore it is, from 1, and the sha256 of the
   * snapshot's file. null: never.
   */
  readonly restore?: { readonly number: number; readonly sha256: string } | null;
  readonly shape: MachineShape;
  /** The user's own parts of the user-data by file name. Left out: none. */
  readonly user_data_parts?: Readonly<Record<string, UserDataPart>> | null;
  /** Disks that come and go with the machine, by name. Left out: none. */
  readonly extra_disks?: Readonly<Record<string, { readonly size_gib: number; readonly type: string | null }>> | null;
}

export interface UserDataPart {
  /** "text/cloud-config" */
  readonly content_type: string;
  readonly content: string;
}

/** JSON with sorted keys and no spaces: the same data gives the same bytes whatever the order it was written in. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const entries = Object.entries(value as Record<string, unknown>)
      .filter(([, v]) => v !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return `{${entries.map(([k, v]) => `${JSON.stringify(k)}:${canonicalJson(v)}`).join(",")}}`;
  }
  return JSON.stringify(value ?? null);
}

export const hasAny = (of: object | null | undefined): of is object => of !== null && of !== undefined && Object.keys(of).length > 0;

/** "r" and 12 hex digits. Machines of one release need no roll between them. */
export function releaseOf({ authorities, restore, user_data_parts, extra_disks, ...spec }: MachineSpec): string {
  // What came later and is not used is not there: a new version of the kit makes no new release.
  const used = {
    ...spec,
    ...(authorities ? { authorities } : {}),
    ...(restore ? { restore } : {}),
    ...(hasAny(user_data_parts) ? { user_data_parts } : {}),
    ...(hasAny(extra_disks) ? { extra_disks } : {}),
  };
  return `r${createHash("sha256").update(canonicalJson(used)).digest("hex").slice(0, 12)}`;
}

/** Which life of the cluster its machines belong to: 0 is birth, each restore raises it. */
export const etcdNumber = (spec: MachineSpec): number => spec.restore?.number ?? 0;

/** Name of a worker's Node: the pool's first part and a suffix of the vendor's machine id (cloud-init knows it as instance-id). */
export function workerNodeName(name: string, machineId: string): string {
  return `${name}-${createHash("sha256").update(machineId).digest("hex").slice(0, 5)}`;
}
