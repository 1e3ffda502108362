// Everything that a diagnosis is made of: read once, judged by pure functions.

import type { KubeObject } from "../../kube/object.js";
import type { Failure } from "../../kube/outcome.js";
import type { VoterState } from "../../rollout/facts.js";

/** How far a client of ours comes on its way to the endpoint. */
export type Reach =
  /** The endpoint's name has no address here. */
  | { readonly kind: "unresolved"; readonly name: string; readonly words: string }
  /** No connection. */
  | { readonly kind: "silent"; readonly code: string; readonly words: string }
  /** Somebody takes the connection and ends it before the handshake is done: a balancer with nobody behind it. */
  | { readonly kind: "cut"; readonly words: string }
  | {
      readonly kind: "tls";
      /** What a client that believes nobody has against the certificate: "CERT_HAS_EXPIRED". null = nothing. */
      readonly problem: string | null;
      readonly certificate: { readonly notBefore: number; readonly notAfter: number; readonly names: string; readonly issuer: string };
      /** Of GET /readyz?verbose without credentials; null = no answer. */
      readonly status: number | null;
      readonly body: string;
      /** The server's clock, milliseconds; null = it does not say. */
      readonly clock: number | null;
    };

export interface MachineEvidence {
  readonly name: string;
  readonly role: "control-plane" | "worker";
  readonly running: boolean;
  /** Where its boot stands; null = no stage has begun. */
  readonly marker: { readonly stage: string; readonly ok: boolean; readonly reason: string } | null;
  /** The last line of distress on its console, while it holds: what it saw, by what it looked at. */
  readonly distress: Readonly<Record<string, string>> | null;
}

export interface Evidence {
  readonly cluster: string;
  readonly endpoint: string;
  /** This computer's clock, milliseconds. */
  readonly now: number;
  readonly reach: Reach;
  /** What the API said to a client with the cluster's own credentials; null = it answered. */
  readonly refused: Failure | null;
  readonly nodes: readonly KubeObject[];
  /** Voters by name, as the agents see them. */
  readonly etcd: Readonly<Record<string, VoterState>>;
  /** Pods that do not run, those of kube-system, and those on nodes that are being emptied. */
  readonly pods: readonly KubeObject[];
  /** Warnings. */
  readonly events: readonly KubeObject[];
  readonly budgets: readonly KubeObject[];
  /** Deployments and DaemonSets of kube-system; null = they could not be listed. */
  readonly workloads: readonly KubeObject[] | null;
  /** Names of the nodes that the state has. */
  readonly memberships: readonly string[];
  readonly controlPlanes: readonly string[];
  /** Node names begin with the names of these machines. */
  readonly workers: readonly string[];
  readonly cni: "kube-router" | "none";
  /** Hosts of spec.mirror. */
  readonly mirrors: readonly string[];
  /** By what they are: "cluster CA". End in milliseconds. */
  readonly authorities: Readonly<Record<string, number>>;
  /** null = this tool cannot see machines of that cloud. */
  readonly machines: readonly MachineEvidence[] | null;
  /** Of the local cloud; null = not to be seen from here. */
  readonly balancer: "runs" | "stopped" | "gone" | null;
}

export const causes = [
  "endpoint",
  "clock",
  "disk",
  "certificate",
  "no-quorum",
  "mirror",
  "cni",
  "image-pull",
  "dns",
  "pdb",
  "machine",
  "unknown",
] as const;
export type Cause = (typeof causes)[number];

export interface Finding {
  readonly cause: Cause;
  /** "certain": somebody said it in words. "likely": it fits and nothing speaks against it. "possible": one of several. */
  readonly sureness: "certain" | "likely" | "possible";
  /** One sentence. */
  readonly text: string;
  /** What was seen. */
  readonly evidence: readonly string[];
  readonly fix: readonly string[];
}

/** How a part of the cluster that somebody deleted comes back: the barrier applies all of them whenever it is made or changed. */
export const appliedAnew =
  "terraform apply -replace=ADDRESS of the honest_barrier applies the cluster's parts anew and leaves the machines alone (a protected cluster needs deletion_protection = false before).";
export const networkFix = `kubectl -n kube-system get daemonset,pods -l k8s-app=kube-router -o wide. If the DaemonSet is gone: ${appliedAnew}`;
