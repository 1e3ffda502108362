// Attributes of honest_node_group: those of a group in the spec, its cluster, and what is known of its machines.
import type { Attribute, Schema } from "../../framework/schema.js";
import { timeoutsAttribute } from "../cluster/decode.js";
import { nodeGroupInputs } from "./attributes.js";
import { clusterAttribute } from "./handle.js";
import { outcomeAttributes } from "./outcome-attributes.js";

export const nodeGroupTimeouts = { create: "60m", update: "360m", delete: "60m" } as const;

const name: Attribute = {
  type: "string",
  required: true,
  change: "replace",
  description:
    "Name of the group: 1 to 32 characters of a-z, 0-9 and dashes, a letter first; part of its machines' names, so another name is another group. With lifecycle { create_before_destroy = true } the new group serves before the old one is drained.",
};

export const nodeGroupResourceSchema: Schema = {
  version: 0,
  description:
    "A group of workers of a honest_cluster: the same vendor resources with the same arguments as the constructs make, listed in `blocks`. Size, labels and taints change in place; machine type, image, disk and version roll, each worker by a successor that is Ready before it goes.",
  attributes: {
    cluster: clusterAttribute,
    name,
    ...nodeGroupInputs,
    timeouts: timeoutsAttribute(nodeGroupTimeouts),
    id: { type: "string", computed: true, description: 'Cluster and group: "prod:workers".' },
    cluster_name: { type: "string", computed: true, description: "Name of the cluster." },
    ...outcomeAttributes,
  },
};
