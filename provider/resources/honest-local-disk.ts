// honest_local_disk: a disk that outlives its machine.
import { claimDisk, createDisk, deleteDisk, diskLink, findDiskNamed } from "../engine/disk.js";
import { refused } from "../engine/error.js";
import type { Resource } from "../framework/resource.js";
import type { Schema } from "../framework/schema.js";
import type { ObjectValue } from "../framework/value.js";
import { text } from "./cluster/decode.js";
import { checkNames, checkNumber } from "./local/checks.js";
import { change, read } from "./local/session.js";

const schema: Schema = {
  version: 0,
  description:
    "A disk for local machines: a sparse file in a volume of the Docker engine, behind a loop device while a machine has it. It outlives the machine; an attached one is not deleted.",
  attributes: {
    cluster: {
      type: "string",
      required: true,
      change: "replace",
      description: "Name of the cluster; a label of every object in the engine.",
    },
    name: { type: "string", required: true, change: "replace", description: "Name of the disk, unique in the cluster." },
    size_gib: {
      type: "number",
      required: true,
      change: "replace",
      description: "Size in GiB. The engine's host gives space as it is written, not before.",
    },
    zone: { type: "string", optional: true, change: "replace", description: "Zone; a label only, as all local machines share one host." },
    id: { type: "string", computed: true, description: 'Id: "disk-" and ten hexadecimal digits.' },
    device_id: { type: "string", computed: true, description: 'Link by which a machine sees it: "/dev/disk/by-id/honest-" and the id.' },
  },
};

const subject = (value: ObjectValue): string => `Disk "${text(value.name)}" of the cluster "${text(value.cluster)}"`;
const limits = (planned: ObjectValue) =>
  ({ verb: "create", fallback: "5m", resource: planned, wantsBytes: Number(planned.size_gib) * 2 ** 30 }) as const;
const computed = (id: string): ObjectValue => ({ id, device_id: `/dev/disk/by-id/${diskLink(id)}` });

export const honestLocalDisk: Resource = {
  name: "honest_local_disk",
  schema,

  validate: async ({ config }) => [...checkNames(config), ...checkNumber(config, "size_gib", 1, 65_536)],

  create: ({ planned }, context) =>
    change(context, subject(planned), limits(planned), null, async (engine) => {
      const disk = await createDisk(engine, {
        cluster: String(planned.cluster),
        name: String(planned.name),
        sizeGib: Number(planned.size_gib),
        zone: text(planned.zone),
      });
      return { state: { ...planned, ...computed(disk.id) } };
    }),

  read: ({ state }, context) =>
    read(context, subject(state), state, async (engine) => {
      const disk = await claimDisk(engine, String(state.cluster), String(state.id));
      return disk && { ...state, size_gib: disk.sizeGib, zone: disk.zone, ...computed(disk.id) };
    }),

  delete: ({ prior }, context) =>
    change(context, subject(prior), { verb: "delete", fallback: "5m", resource: prior }, prior, async (engine) => {
      await deleteDisk(engine, String(prior.cluster), String(prior.id));
      return { state: null };
    }),

  /** "CLUSTER/NAME": the way back to a disk and its data when a state is lost. */
  async importState(id, context) {
    const [cluster = "", name = ""] = id.split("/");
    const wanted = { cluster, name };
    return change(context, subject(wanted), { verb: "create", fallback: "5m", resource: wanted }, null, async (engine) => {
      const disk = await findDiskNamed(engine, cluster, name);
      if (!disk)
        throw refused("There is no such disk", `The engine ${engine.host} has no disk ${JSON.stringify(id)}.`, 'Give "CLUSTER/NAME".');
      return { state: { cluster, name, size_gib: disk.sizeGib, zone: disk.zone, ...computed(disk.id) } };
    });
  },
};
