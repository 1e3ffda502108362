// What one reading of a cluster says. Plain data: the planner judges it, provider/kube fetches it, honest_boot keeps it
// in private state. No clock below this line: ages are judged when the facts are read.

/**
 * "answers": a voter that replies; "learner": joined, not promoted; "dead": in etcd's list, silent for every witness;
 * "disputed": the newest witness finds it silent and an older one did not, so it is neither counted on nor given up; "absent":
 * not in the list.
 */
export type VoterState = "answers" | "learner" | "dead" | "disputed" | "absent";

export interface NodeFacts {
  /** Pool: "cp" or the name of the node group. */
  readonly pool: string;
  readonly ready: boolean;
  /** Release that the machine booted with, as its agent reports it; null when no machine has reported. */
  readonly release: string | null;
  readonly version: string | null;
  readonly machineId: string | null;
  /** The agent reported within the last minute (judged at reading). */
  readonly agentFresh: boolean;
  /** Mark made by honest_node at create. */
  readonly gen: string | null;
  readonly unschedulable: boolean;
  /** What its agent says of its certificates; absent when it never did. */
  readonly certificates?: CertificatesFacts;
  /** How far it is with a rotation of the authorities; absent when it never heard of one. */
  readonly trust?: TrustFacts;
  /** What its agent says of its snapshots of etcd; absent when it never did. */
  readonly snapshots?: SnapshotsFacts;
  /** What its agent says of its parts and disks; absent when it never did. */
  readonly health?: HealthFacts;
  /** Its kubelet's certificate has ended and it is not Ready: it comes back only by a new grant (judged at reading). */
  readonly lockedOut?: boolean;
  /** A destroy of its membership has begun to empty it. */
  readonly draining?: boolean;
}

export interface TrustFacts {
  readonly number: number;
  /** "create", "promote", "retire" */
  readonly state: string;
  /** What is still to be done there; null = it has reached that state. */
  readonly waits: string | null;
  /** Its boot document carries the authorities that sign in that state. */
  readonly document: boolean;
}

export interface CertificatesFacts {
  /** Why a renewal failed or does not take effect; null = nothing is wrong. */
  readonly problem: string | null;
  /** Milliseconds since the epoch, by name: the earlier of what stands on the disk and what is served. */
  readonly ends: Readonly<Record<string, number>>;
}

/** Times in milliseconds since the epoch. */
export interface SnapshotsFacts {
  /** 0 = none by schedule. */
  readonly scheduleSeconds: number;
  /** Copies are to leave the cluster. */
  readonly target: boolean;
  /** Since when its agent could have taken the first one. */
  readonly since: number | null;
  readonly last: {
    readonly name: string;
    readonly at: number;
    readonly size: number;
    readonly revision: number;
    readonly keys: number;
  } | null;
  /** Names of the good ones on its disk, oldest first. */
  readonly held: readonly string[];
  /** What it has sent last, and when that was taken. */
  readonly uploaded: { readonly id: string; readonly taken: number } | null;
  readonly drill: { readonly name: string; readonly at: number; readonly objects: number; readonly seconds: number } | null;
  /** Why the last try of "take", "upload" or "drill" failed. */
  readonly failed: Readonly<Record<string, string>>;
  /** All that is wrong in one text; null = nothing. */
  readonly problem: string | null;
  /** Its answer to a request for one. */
  readonly asked: { readonly at: string; readonly name: string | null; readonly problem: string | null } | null;
}

export interface HealthFacts {
  /** A sentence about each thing that is wrong. */
  readonly problems: readonly string[];
  /** What the agent mended last: a time and words, oldest first. */
  readonly healed: readonly { readonly at: string; readonly what: string }[];
  /** Whether it may mend. */
  readonly selfHeal: boolean;
  /** What a person wrote into the Node's annotation of maintenance; null = none. */
  readonly maintenance: string | null;
}

export interface LeaseFacts {
  /** Node name of the machine that is going down or being replaced. */
  readonly holder: string;
  /** Drained, so that its machine may go at any moment. */
  readonly drained: boolean;
  /** Seconds since it was taken, judged at reading. */
  readonly ageSec: number;
}

export interface Facts {
  /** The API answered. When false, everything else is what was last seen. */
  readonly reachable: boolean;
  /** Why the API did not answer, for the warning. */
  readonly unreachable?: string;
  /** The API has been seen once: no ticket is ever issued again. */
  readonly born: boolean;
  /** The barrier has handed the cluster over. */
  readonly complete: boolean;
  /** The barrier has begun a teardown. */
  readonly tornDown: boolean;
  readonly windowOpen: boolean;
  /** When the closed window opens next, in words: "2026-12-01T02:00Z (Tuesday 03:00 Europe/Berlin)". */
  readonly windowOpens?: string;
  /** The window is another one than the facts were read with: whether it is open is not known before they are read again. */
  readonly windowNew?: boolean;
  readonly lease: LeaseFacts | null;
  /** Which life of the cluster etcd is in, as its control planes say: 0 is birth, each restore raises it. Absent: nobody has said. */
  readonly number?: number;
  /** etcd's members by node name. */
  readonly etcd: Readonly<Record<string, VoterState>>;
  /** Nodes by name. */
  readonly nodes: Readonly<Record<string, NodeFacts>>;
}
