// Attributes of honest_local_machine and their decoded form.
import { workerNodeName } from "../../../constructs/blueprint/machine-spec.js";
import type { MachineSpec } from "../../engine/machine-create.js";
import type { Machine } from "../../engine/machine-read.js";
import { parseShape, shapeForms } from "../../engine/machine-shape.js";
import type { Schema } from "../../framework/schema.js";
import type { ObjectValue } from "../../framework/value.js";
import { text, texts, timeoutsAttribute } from "../cluster/decode.js";

export const timeouts = { create: "60m", update: "10m", delete: "10m" } as const;

export const machineSchema: Schema = {
  version: 0,
  description:
    "A machine of the local IaaS: a container that runs systemd and cloud-init, with a fixed address, limits of processors and memory, and attached disks. One that is stopped or gone is drift: the next plan shows it, the next apply mends it.",
  attributes: {
    cluster: {
      type: "string",
      required: true,
      change: "replace",
      description: "Name of the cluster; a label of every object in the engine.",
    },
    name: { type: "string", required: true, change: "replace", description: "Name of the machine; the container's name begins with it." },
    network_id: { type: "string", required: true, change: "replace", description: "Id of an honest_local_network." },
    address: {
      type: "string",
      optional: true,
      change: "replace",
      description:
        "Fixed IPv4 address. Left out: a free one of the network's upper half, kept for the machine's life; such a machine may have its successor beside it.",
    },
    zone: { type: "string", optional: true, change: "replace", description: "Zone; a label only, as all local machines share one host." },
    image: {
      type: "string",
      required: true,
      change: "replace",
      description: "Image in the engine, with systemd and cloud-init. honest-paas/machine:VERSION is built when it is not there.",
    },
    instance_type: { type: "string", required: true, change: "replace", description: `Machine type: ${shapeForms}.` },
    root_disk_gib: { type: "number", optional: true, description: "Recorded only: a container has no root disk of a size of its own." },
    user_data_base64: {
      type: "string",
      required: true,
      sensitive: true,
      change: "replace",
      description: "User data for cloud-init, in base64; it may be gzip.",
    },
    hostname: { type: "string", optional: true, change: "replace", description: "Host name. Default: the name." },
    disk_ids: {
      type: { list: "string" },
      optional: true,
      description: "Ids of honest_local_disk. Attached and detached in place, also late; a mounted disk is not detached.",
    },
    timeouts: timeoutsAttribute(timeouts),
    id: { type: "string", computed: true, description: 'Id: "i-" and twelve hexadecimal digits; cloud-init knows it as the instance id.' },
    ip_address: { type: "string", computed: true, description: "The machine's address." },
    running: { type: "bool", computed: true, description: "Whether it runs. False is drift: an apply starts the machine." },
  },
};

export const typeAllowed = shapeForms;

export function machineSpec(value: ObjectValue): MachineSpec {
  const type = String(value.instance_type);
  const name = String(value.name);
  const shape = parseShape(type);
  if (!shape) throw new TypeError(`instance_type ${type} passed validate`);
  return {
    cluster: String(value.cluster),
    name,
    networkId: String(value.network_id),
    address: text(value.address),
    zone: text(value.zone),
    image: String(value.image),
    shape,
    userData: Buffer.from(String(value.user_data_base64), "base64"),
    hostname: text(value.hostname),
    diskIds: texts(value.disk_ids),
    // A worker's container and its Node then have the same name.
    nameFor: (id) => workerNodeName(name, id),
  };
}

const sameSet = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((item) => b.includes(item));

/** The state with what the engine says; an order or a null that mean the same stay as they are. */
export const withMachine = (value: ObjectValue, machine: Machine): ObjectValue => ({
  ...value,
  disk_ids: sameSet(machine.diskIds, texts(value.disk_ids)) ? (value.disk_ids ?? null) : machine.diskIds,
  id: machine.id,
  ip_address: machine.address,
  running: machine.running,
});
