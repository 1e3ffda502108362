// The blueprint: everything that must exist for a cluster, without any cloud's words. Pure data, made by build().
import type { Block } from "./block.js";
import type { MachineSpec } from "./machine-spec.js";
import type { Letter } from "./names.js";

/** A machine with its place in the cluster. The machine around a control plane's name, address and disk is disposable. */
export interface Member {
  /** Path below the cluster: "cp/a", "group/workers/a/0". */
  readonly id: string;
  /** Control plane: name of the node. Worker: first part of it. */
  readonly name: string;
  readonly pool: string;
  readonly role: "control-plane" | "worker";
  readonly zone: string;
  readonly spec: MachineSpec;
  /** Digest of `spec`. */
  readonly release: string;
  /** Ids of blocks. */
  readonly machine: string;
  readonly labels: Readonly<Record<string, string>>;
  /** "key=value:Effect" */
  readonly taints: readonly string[];
  readonly drainTimeoutSec: number;
  /** The endpoint's address as this machine reaches it: that of its own zone. */
  readonly endpointAddress: string;
}

export interface ControlPlane extends Member {
  readonly role: "control-plane";
  readonly letter: Letter;
  readonly address: string;
  /** Id of the disk block of its etcd member. */
  readonly disk: string;
}

export interface NodeGroup {
  readonly name: string;
  readonly maxSurge: number;
  readonly workers: readonly Member[];
}

export interface Window {
  readonly days: readonly string[];
  readonly hour: number;
  readonly duration_hours: number;
  readonly timezone: string;
}

/** Snapshots of etcd, as honest_barrier takes it. Durations or "off". */
export interface Backup {
  readonly schedule: string;
  readonly keep: number;
  readonly drill_every: string;
  readonly target: {
    readonly s3: {
      readonly endpoint: string;
      readonly bucket: string;
      readonly prefix: string;
      readonly region: string;
      readonly access_key_id: string;
      readonly secret_access_key: string;
      readonly ca: string | null;
    };
    readonly passphrase: string;
    readonly keep: number;
  } | null;
}

export interface Blueprint {
  readonly cluster: string;
  readonly version: string;
  readonly podCidr: string;
  readonly serviceCidr: string;
  readonly cni: "kube-router" | "none";
  readonly endpoint: {
    /** Name and port by which nodes reach the API, and the address behind it. */
    readonly name: string;
    readonly port: number;
    readonly address: string;
    /** Where the machine that runs Terraform reaches it; null: at the public address, which only the cloud knows. */
    readonly url: string | null;
    readonly public: boolean;
    /** What the API's certificate is checked against there; null: the host of the URL. */
    readonly serverName: string | null;
  };
  /** Existing groups that all machines are in too. */
  readonly securityGroupIds: readonly string[];
  /** "own": there are no firewall blocks, and a mapping makes no groups. */
  readonly firewall: "managed" | "own";
  readonly tags: Readonly<Record<string, string>>;
  readonly certificates: {
    readonly caHours: number;
    /** Durations: "8760h". */
    readonly lifetime: string;
    readonly renewBefore: string;
    readonly ticketMinutes: number;
    readonly rotation: { readonly number: number; readonly state: "create" | "promote" | "retire" } | null;
  };
  readonly backup: Backup;
  readonly roll: "one_per_apply" | "in_one_apply";
  readonly window: Window | null;
  /** 0: the cluster never went back to a snapshot. */
  readonly restoreNumber: number;
  /** Where the snapshot is; null when nobody says: then none is fetched. */
  readonly restore: { readonly url: string; readonly passphrase: string | null; readonly not_after: string } | null;
  readonly protected: boolean;
  readonly onDestroyVolumes: "keep" | "delete";
  /** Agents mend what they find broken. */
  readonly selfHeal: boolean;
  /** In the order of their letters. */
  readonly controlPlanes: readonly ControlPlane[];
  /** In the order of their names. */
  readonly groups: readonly NodeGroup[];
  /** Each names only blocks before it. */
  readonly blocks: readonly Block[];
}
