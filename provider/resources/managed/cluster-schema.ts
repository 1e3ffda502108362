// Attributes of honest_cluster: the spec's, and what is known of a cluster that was made from it.
import type { Schema } from "../../framework/schema.js";
import { accessAttributes } from "../cluster/access.js";
import { timeoutsAttribute } from "../cluster/decode.js";
import { clusterInputs } from "./attributes.js";
import { handleAttribute } from "./handle.js";
import { outcomeAttributes } from "./outcome-attributes.js";

export const clusterTimeouts = { create: "60m", update: "360m", delete: "60m" } as const;

const name = { ...clusterInputs.name, change: "replace" } as (typeof clusterInputs)[string];

export const clusterResourceSchema: Schema = {
  version: 0,
  description:
    "A Kubernetes cluster from a cloud's public blocks: the same vendor resources with the same arguments as the constructs make, listed in `blocks`. One apply creates, joins, rolls and upgrades until nothing is pending or a guard refuses. Only another name or another cloud is another cluster; what else cannot be changed is refused at plan. Machines that work are honest_node_group.",
  attributes: {
    ...clusterInputs,
    name,
    timeouts: timeoutsAttribute(clusterTimeouts),
    id: { type: "string", computed: true, description: "The cluster's name." },
    endpoint: { type: "string", computed: true, description: "URL of the Kubernetes API, as the machine that runs Terraform reaches it." },
    certificate_authority: {
      computed: true,
      description: "What the API's certificate is checked against.",
      nested: { mode: "single", attributes: { data: { type: "string", computed: true, description: "PEM certificates in base64." } } },
    },
    admin_access: {
      computed: true,
      sensitive: true,
      description: "What honest_kubeconfig and honest-paas kubeconfig make a kubeconfig from. Holds a key.",
      nested: {
        mode: "single",
        attributes: Object.fromEntries(
          Object.entries(accessAttributes).map(([part, { description, ...attribute }]) => [
            part,
            { type: "string", computed: true, sensitive: attribute.sensitive ?? false, description },
          ]),
        ),
      },
    },
    platform_version: { type: "string", computed: true, description: "Version of the kit that last changed the cluster." },
    handle: handleAttribute,
    ...outcomeAttributes,
  },
};
