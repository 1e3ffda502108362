// Attributes of honest_node and their decoded form.
import { workerNodeName } from "../../../constructs/blueprint/machine-spec.js";
import type { Schema } from "../../framework/schema.js";
import { type ObjectValue, type Unknown, unknown } from "../../framework/value.js";
import type { Access } from "../../kube/access.js";
import { accessAttribute, accessFrom } from "../cluster/access.js";
import { text, textMap, texts, timeoutsAttribute } from "../cluster/decode.js";

export const nodeSchema: Schema = {
  version: 0,
  description:
    "One machine's membership of a cluster. Its create lets the machine join and waits until the node serves; its destroy is the gate that waits until taking the node down is safe, then drains it.",
  attributes: {
    cluster: { type: "string", required: true, description: "Name of the cluster; for messages." },
    name: {
      type: "string",
      required: true,
      change: "replace",
      description: "Control plane: name of the node. Worker: the first part of it, which a suffix of the machine's id follows.",
    },
    role: { type: "string", required: true, change: "replace", description: '"control-plane" or "worker".' },
    pool: { type: "string", required: true, description: '"cp" or the name of the node group; a label of the node.' },
    vm_id: {
      type: "string",
      required: true,
      change: "replace",
      description: "The vendor's id of the machine. Another machine is another membership.",
    },
    release: {
      type: "string",
      required: true,
      change: "replace",
      description: "Release of the machine, from honest_boot; makes a roll readable in the plan.",
    },
    version: {
      type: "string",
      optional: true,
      description:
        "Control planes: Kubernetes version of the machine, from honest_boot. Before the first one moves to another, its destroy has a snapshot of etcd taken.",
    },
    etcd_number: {
      type: "number",
      optional: true,
      description:
        "Control planes: honest_boot.etcd_number. Raised, the cluster goes back to a snapshot: the gate opens for all control planes at once, and none is drained.",
    },
    address: {
      type: "string",
      optional: true,
      description: "The node's address: the only one that its serving certificate may carry, with those of `addresses`.",
    },
    addresses: { type: { list: "string" }, optional: true, description: "More addresses of the node." },
    members: { type: { list: "string" }, optional: true, description: "Names of all control planes of the cluster; for the gate." },
    labels: { type: { map: "string" }, optional: true, description: "Labels of the node. A change takes effect in place." },
    taints: {
      type: { list: "string" },
      optional: true,
      description: 'Taints of the node, "key=value:Effect". A change takes effect in place; taints of others stay.',
    },
    token_seed: {
      type: "string",
      required: true,
      sensitive: true,
      description: "From honest_pki: what join tokens are derived from. A token is valid only while its grant is in the cluster.",
    },
    access: accessAttribute,
    drain_timeout_sec: {
      type: "number",
      optional: true,
      default: 600,
      description: "Seconds that pods get to leave the node before its destroy fails. Default 600.",
    },
    timeouts: timeoutsAttribute({ create: "20m", update: "20m", delete: "30m" }),
    node_name: { type: "string", computed: true, description: "Name of the Node object." },
    membership: {
      type: "string",
      computed: true,
      description:
        '"member"; "going down" when an interrupted destroy has left the node half-way; "bare" when its Node was registered anew, without labels and taints; "locked out" when the kubelet\'s certificate ended while the machine was off, so that it needs a new grant. The next apply mends all three.',
    },
    gen: {
      type: "string",
      computed: true,
      description: "Random mark of this membership, also written on the Node: tells an old membership from its successor of the same name.",
    },
  },
};

export interface NodeInput {
  readonly cluster: string;
  readonly name: string;
  readonly nodeName: string;
  readonly role: "control-plane" | "worker";
  readonly pool: string;
  readonly vmId: string;
  readonly release: string;
  /** 0: the cluster was never restored. */
  readonly etcdNumber: number;
  readonly addresses: readonly string[];
  readonly members: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly string[];
  readonly tokenSeed: string;
  readonly access: Access;
  readonly drainTimeoutMs: number;
}

export function nodeInput(value: ObjectValue): NodeInput {
  const role = value.role === "control-plane" ? "control-plane" : "worker";
  const name = String(value.name);
  const vmId = String(value.vm_id);
  return {
    cluster: String(value.cluster),
    name,
    nodeName: role === "worker" ? workerNodeName(name, vmId) : name,
    role,
    pool: String(value.pool),
    vmId,
    release: String(value.release),
    etcdNumber: Number(value.etcd_number ?? 0),
    addresses: [...new Set([...[text(value.address)].flatMap((a) => a ?? []), ...texts(value.addresses)])],
    members: texts(value.members),
    labels: textMap(value.labels),
    taints: texts(value.taints),
    tokenSeed: String(value.token_seed),
    access: accessFrom(value),
    drainTimeoutMs: Number(value.drain_timeout_sec ?? 600) * 1000,
  };
}

/** The Node's name as far as the plan knows it. */
export function plannedNodeName(value: ObjectValue): string | Unknown {
  const name = text(value.name);
  const vmId = text(value.vm_id);
  if (name !== null && value.role === "control-plane") return name;
  return name !== null && vmId !== null && value.role === "worker" ? workerNodeName(name, vmId) : unknown;
}
