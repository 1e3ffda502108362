// Disks: a volume that holds one sparse image file. The file is made and gets its loop device at the first attachment
// (machine-disks.ts), because only then an image is there whose tools can do it.
import { randomBytes } from "node:crypto";
import type { Core } from "./core.js";
import { EngineError, hasStatus, refused } from "./error.js";
import { anyOwnImage } from "./image.js";
import { idLabel, isOurs, type Labels, labelsOf, nameLabel, ownerInWords, sizeLabel, zoneLabel } from "./labels.js";
import { detachLoops } from "./loop.js";
import { holderOf } from "./machine-find.js";
import { dropMark, hasMark, setMark } from "./mark.js";

export interface DiskSpec {
  readonly cluster: string;
  readonly name: string;
  readonly sizeGib: number;
  readonly zone: string | null;
}
export interface Disk extends DiskSpec {
  readonly id: string;
  readonly volume: string;
}

interface Volume {
  readonly Name: string;
  readonly Labels: Labels | null;
}

/** The link that a machine sees below /dev/disk/by-id. */
export const diskLink = (id: string): string => `honest-${id}`;
const volumeName = (cluster: string, name: string): string => `${cluster}.disk.${name}`;

const toDisk = (volume: Volume): Disk => {
  const labels = volume.Labels ?? {};
  return {
    id: labels[idLabel] ?? "",
    volume: volume.Name,
    cluster: labels["honest-paas.dev/cluster"] ?? "",
    name: labels[nameLabel] ?? "",
    sizeGib: Number(labels[sizeLabel] ?? 0),
    zone: labels[zoneLabel] ?? null,
  };
};

const sameDisk = (a: DiskSpec, b: DiskSpec): boolean => a.sizeGib === b.sizeGib && a.zone === b.zone;

/** Makes the disk, or finds the one that an interrupted run has made. What is on it is never touched. */
export async function createDisk(core: Core, spec: DiskSpec): Promise<Disk> {
  const name = volumeName(spec.cluster, spec.name);
  const id = `disk-${randomBytes(5).toString("hex")}`;
  // Gives an existing volume of that name back as it is, whoever made it.
  const volume = await core.json<Volume>("/volumes/create", {
    method: "POST",
    json: {
      Name: name,
      Driver: "local",
      Labels: labelsOf(spec.cluster, "disk", id, {
        [nameLabel]: spec.name,
        [sizeLabel]: String(spec.sizeGib),
        ...(spec.zone === null ? {} : { [zoneLabel]: spec.zone }),
      }),
    },
  });
  if (!isOurs(volume.Labels, spec.cluster, "disk"))
    throw refused(
      `The volume "${name}" belongs to somebody else`,
      `A volume of this name exists on ${core.host}, and ${ownerInWords(volume.Labels)}.`,
      `Remove it (docker volume rm ${name}) if nobody needs it, or give the disk another name.`,
    );
  const disk = toDisk(volume);
  if (disk.id === id) await dropMark(core, spec.cluster, name);
  else if (await hasMark(core, spec.cluster, name))
    throw refused(
      `The disk "${spec.name}" belongs to another state`,
      `The volume "${name}" (${disk.id}) of the cluster "${spec.cluster}" is in a Terraform state that is not this one.`,
      `Use another cluster name or destroy that cluster first. If its state is lost, take the disk with its data: terraform import ADDRESS ${spec.cluster}/${spec.name}; without: docker volume rm ${name}`,
    );
  if (!sameDisk(disk, spec))
    throw refused(
      `The disk "${spec.name}" exists with another size or zone`,
      `The volume "${name}" has ${disk.sizeGib} GiB in zone ${disk.zone ?? "(none)"}; wanted are ${spec.sizeGib} GiB in zone ${spec.zone ?? "(none)"}. It is in no state that this run knows, and it may hold data.`,
      `Remove it (docker volume rm ${name}) if its data is not needed, or ask for the size and zone it has.`,
    );
  return disk;
}

const allDisks = async (core: Core, filters: object): Promise<readonly Disk[]> => {
  const { Volumes } = await core.json<{ Volumes: readonly Volume[] | null }>("/volumes", { query: { filters: JSON.stringify(filters) } });
  return (Volumes ?? []).map(toDisk);
};

export async function readDisk(core: Core, cluster: string, id: string): Promise<Disk | null> {
  const found = await allDisks(core, { label: Object.entries(labelsOf(cluster, "disk", id)).map(([k, v]) => `${k}=${v}`) });
  return found[0] ?? null;
}

/** The disks of these ids, in their order; an id that the engine does not know is refused. */
export async function mustFindDisks(core: Core, cluster: string, ids: readonly string[]): Promise<readonly Disk[]> {
  return Promise.all(
    ids.map(async (id) => {
      const disk = await readDisk(core, cluster, id);
      if (disk) return disk;
      throw refused(
        `The disk "${id}" does not exist`,
        `The engine ${core.host} has no disk of this id in the cluster "${cluster}".`,
        "If it was removed behind Terraform's back, run terraform apply again: the next plan makes a new one. Its data is gone.",
      );
    }),
  );
}

export async function deleteDisk(core: Core, cluster: string, id: string): Promise<void> {
  const disk = await readDisk(core, cluster, id);
  if (!disk) return;
  const holder = await holderOf(core, cluster, id);
  if (holder)
    throw refused(
      `The disk "${disk.name}" is attached`,
      `The machine "${holder.name}" holds the disk ${id}; an attached disk is not deleted.`,
      "Take the disk out of the machine's disk_ids, or delete the machine first.",
    );
  const image = await anyOwnImage(core);
  if (image) await detachLoops(core, cluster, image, [id]);
  // Before the volume: cut off in between, the volume is what the next run finds, and reading it marks it again.
  await dropMark(core, cluster, disk.volume);
  try {
    await core.drop(`/volumes/${disk.volume}`);
  } catch (cause) {
    if (!hasStatus(cause, 409)) throw cause;
    throw new EngineError("refused", {
      what: `The disk "${disk.name}" is in use`,
      detail: (cause as EngineError).detail,
      fix: `End the container that uses the volume: docker ps -a --filter volume=${disk.volume}`,
      cause,
    });
  }
}

/** Reads it for a state: from then on it is that state's own, not a leftover of a killed run. */
export async function claimDisk(core: Core, cluster: string, id: string): Promise<Disk | null> {
  const disk = await readDisk(core, cluster, id);
  if (disk) await setMark(core, cluster, disk.volume);
  return disk;
}

/** For an import: the disk that has the name. */
export async function findDiskNamed(core: Core, cluster: string, name: string): Promise<Disk | null> {
  const volume = await core.find<Volume>(`/volumes/${volumeName(cluster, name)}`);
  return volume && isOurs(volume.Labels, cluster, "disk") ? toDisk(volume) : null;
}
