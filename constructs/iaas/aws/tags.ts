// Tags: the user's on everything, and those by which Kubernetes' cloud controllers know what belongs to a cluster.
import type { Context } from "../mapping.js";
import type { Args } from "../resource.js";

/** Name by which controllers tell clusters in one network apart. */
export const clusterTag = (cluster: string): string => `kubernetes.io/cluster/${cluster}`;

/** The kit's own win: what they say decides whom a controller touches. */
export const tagsOf = ({ blueprint }: Context, name: string, more: Readonly<Record<string, string>> = {}): Args => ({
  tags: { ...blueprint.tags, Name: name, "honest-paas.dev/cluster": blueprint.cluster, ...more },
});

/** Of what a controller may use for the cluster: subnets, machines, and of each machine's groups exactly one. */
export const ownedBy = (cluster: string): Readonly<Record<string, string>> => ({ [clusterTag(cluster)]: "owned" });
