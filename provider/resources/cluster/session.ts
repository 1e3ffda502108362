// What all resources of one provider process share about a cluster: one client, one snapshot, and the marks that one
// resource leaves for another.
import { createHash } from "node:crypto";
import type { Context } from "../../framework/resource.js";
import type { Access } from "../../kube/access.js";
import { connect, type KubeClient } from "../../kube/client.js";
import { readFacts } from "../../kube/facts.js";
import type { Outcome } from "../../kube/outcome.js";
import type { Facts } from "../../rollout/facts.js";

const keyOf = (access: Access): string =>
  createHash("sha256").update(`${access.endpoint}\n${access.ca_bundle}\n${access.client_ca_cert}`).digest("hex").slice(0, 16);

export const clusterClient = (context: Context, access: Access): KubeClient =>
  context.once(`cluster/client/${keyOf(access)}`, () =>
    connect(access, {
      issue: async (request) => (await import("../../pki/issue.js")).issueClient({ ...request, organizations: [...request.organizations] }),
    }),
  );

/**
 * Read once per process and shared by all: with separate reads, a roll that ends in between releases two machines in one
 * plan. For Read only; whoever waits for a change reads for itself.
 */
export const clusterFacts = (context: Context, access: Access): Promise<Outcome<Facts>> =>
  context.once(`cluster/facts/${keyOf(access)}`, () => readFacts(clusterClient(context, access), context.signal));

/** What a membership leaves for the barrier that hands the cluster over in the same run. */
export interface Birth {
  readonly nodeName: string;
  readonly pool: string;
  readonly gen: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly string[];
}
export interface Marks {
  /** The barrier has begun to tear the cluster down. */
  tornDown: boolean;
  /** The cluster has been complete: an API that does not answer is no birth. */
  complete: boolean;
  /** This run takes its control planes back to a snapshot. */
  restoring: boolean;
  readonly births: Map<string, Birth>;
}
export const clusterMarks = (context: Context, access: Access): Marks =>
  context.once<Marks>(`cluster/marks/${keyOf(access)}`, () => ({ tornDown: false, complete: false, restoring: false, births: new Map() }));
