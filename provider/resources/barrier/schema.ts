// Attributes of honest_barrier and their decoded form.
import { workerNodeName } from "../../../constructs/blueprint/machine-spec.js";
import type { Schema } from "../../framework/schema.js";
import type { ObjectValue } from "../../framework/value.js";
import type { Access } from "../../kube/access.js";
import { accessAttribute, accessFrom } from "../cluster/access.js";
import { isObject, text, textMap, timeoutsAttribute } from "../cluster/decode.js";
import { backupAttribute } from "./backup.js";
import { certificateAttributes } from "./certificates.js";
import { healthAttributes } from "./health.js";

export const barrierSchema: Schema = {
  version: 0,
  description:
    "Hands a cluster over: waits for its API, applies the cluster-wide parts, lets every machine join and waits until all nodes serve. It depends on every block, so its destroy comes first: it refuses while the cluster is protected, else it tears down what Kubernetes made and opens the gates.",
  attributes: {
    cluster: { type: "string", required: true, change: "replace", description: "Name of the cluster." },
    version: {
      type: "string",
      required: true,
      description: 'Kubernetes version, "1.36.3". The cluster-wide parts follow it when every API server runs it.',
    },
    uid: { type: "string", required: true, description: "uid of honest_pki: which cluster this is." },
    pod_ipv4_cidr: { type: "string", required: true, description: "Range of pod addresses." },
    service_ipv4_cidr: {
      type: "string",
      required: true,
      description: "Range of service addresses; its tenth address is the cluster's DNS.",
    },
    cni: {
      type: "string",
      optional: true,
      default: "kube-router",
      description: '"kube-router", or "none": you bring the pod network and Ready is not waited for. Default kube-router.',
    },
    pod_traffic: {
      type: "string",
      optional: true,
      description:
        '"routed": packets of pods go as they are within a subnet. "tunnelled": they are wrapped in packets of machines everywhere, for a cloud that drops others\' addresses. Default routed. In place.',
    },
    endpoint_name: { type: "string", required: true, description: "Name that every node resolves to the API." },
    endpoint_port: { type: "number", optional: true, default: 6443, description: "Port of the API there. Default 6443." },
    members: { type: { map: "string" }, required: true, description: "Control planes: name to address." },
    workers: {
      required: true,
      description: "Workers by the first part of their name.",
      nested: {
        mode: "map",
        attributes: {
          vm_id: { type: "string", required: true, description: "The vendor's id of the machine." },
          release: { type: "string", required: true, description: "Release of the machine." },
          address: { type: "string", optional: true, description: "Its address." },
          version: {
            type: "string",
            optional: true,
            description: "Kubernetes version of that release: not newer than the cluster's, at most three minors older.",
          },
        },
      },
    },
    token_seed: { type: "string", required: true, sensitive: true, description: "From honest_pki: what join tokens are derived from." },
    restore_number: {
      type: "number",
      optional: true,
      description:
        "Which restore the cluster has gone back by. Raised, the cluster-wide parts of before the snapshot are brought up to date.",
    },
    ...certificateAttributes,
    rotation: {
      type: "string",
      optional: true,
      sensitive: true,
      description:
        "honest_pki.rotation_set: what machines are to trust and to sign with. An apply that changes it waits until every node has said that it does. In place.",
    },
    backup: backupAttribute,
    ...healthAttributes,
    access: accessAttribute,
    deletion_protection: {
      type: "bool",
      optional: true,
      default: true,
      description: "Refuses to tear the cluster down. Default true; set it to false and apply before a destroy.",
    },
    on_destroy_volumes: {
      type: "string",
      optional: true,
      default: "keep",
      description: '"keep" or "delete": what a destroy does with volumes that Kubernetes made. Default keep.',
    },
    timeouts: timeoutsAttribute({ create: "30m", update: "30m", delete: "10m" }),
    id: { type: "string", computed: true, description: "The cluster's name." },
    complete: { type: "bool", computed: true, description: "The cluster has been handed over." },
    cluster_uid: { type: "string", computed: true, description: "uid of the namespace kube-system: another one is another cluster." },
    core_version: { type: "string", computed: true, description: "Digest of the cluster-wide parts as applied." },
    api_endpoint: { type: "string", computed: true, description: "URL of the API, known once it answers." },
    agent_sha256: { type: "string", computed: true, description: "sha256 of the agent that nodes are given." },
  },
};

export interface BarrierWorker {
  readonly prefix: string;
  readonly nodeName: string;
  readonly vmId: string;
  readonly release: string;
  readonly address: string | null;
}
export interface BarrierInput {
  readonly cluster: string;
  readonly version: string;
  readonly uid: string;
  readonly cni: "kube-router" | "none";
  readonly members: Readonly<Record<string, string>>;
  readonly workers: readonly BarrierWorker[];
  readonly tokenSeed: string;
  readonly rotation: string | null;
  readonly access: Access;
}

export function barrierInput(value: ObjectValue): BarrierInput {
  const workers = isObject(value.workers) ? value.workers : {};
  return {
    cluster: String(value.cluster),
    version: String(value.version),
    uid: String(value.uid),
    cni: value.cni === "none" ? "none" : "kube-router",
    members: textMap(value.members),
    workers: Object.entries(workers)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([prefix, worker]) => {
        if (!isObject(worker)) return [];
        const vmId = String(worker.vm_id);
        return [{ prefix, nodeName: workerNodeName(prefix, vmId), vmId, release: String(worker.release), address: text(worker.address) }];
      }),
    tokenSeed: String(value.token_seed),
    rotation: text(value.rotation),
    access: accessFrom(value),
  };
}
