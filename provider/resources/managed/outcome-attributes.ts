// Attributes that both managed resources tell about their work.
import type { Attribute } from "../../framework/schema.js";

export const blocksAttribute: Attribute = {
  computed: true,
  description:
    "Every object by its name below the cluster, with what the plan does to it; after an apply what that apply did. A plan that changes nothing leaves the list as it was.",
  nested: {
    mode: "list",
    attributes: {
      name: { type: "string", computed: true, description: 'Name below the cluster: "cp/a/machine".' },
      type: { type: "string", computed: true, description: 'Type of the vendor\'s resource: "honest_local_machine".' },
      action: { type: "string", computed: true, description: "create, update, replace, delete or no-op." },
    },
  },
};

export const outcomeAttributes: Readonly<Record<string, Attribute>> = {
  blocks: blocksAttribute,
  steps: {
    type: { list: "string" },
    computed: true,
    description: 'What happens to each machine, in words: "prod-cp-a: replaced, etcd disk kept".',
  },
  pending: {
    type: { list: "string" },
    computed: true,
    description:
      "Machines that still wait for a new release since a guard held them back. The next apply goes on. Empty: all is as wanted.",
  },
  status: {
    type: "string",
    computed: true,
    description: '"ACTIVE"; "PENDING" while machines wait; "FAILED" after an apply that ended with an error.',
  },
  versions: { type: { map: "string" }, computed: true, description: "Kubernetes version that each node runs, by its name." },
  log: {
    type: "string",
    computed: true,
    description:
      "File that the apply writes its progress to, a line for each step, below the working directory. Known at plan: follow it with tail -F.",
  },
  inventory: {
    type: "string",
    computed: true,
    sensitive: true,
    description: "All objects that were made, as their vendors' providers left them, as JSON. Holds keys.",
  },
};

export const cannotImport =
  "A name alone holds neither the keys of a cluster nor what its machines booted with. Keep the state, or make a new cluster.";
