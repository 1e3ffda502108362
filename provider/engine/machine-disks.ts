// Disks of a machine: attached before it starts, late, in any order; taken away only when the machine has let go.
import { putFiles } from "./archive.js";
import type { Core } from "./core.js";
import { mustFindDisks } from "./disk.js";
import { EngineError, refused } from "./error.js";
import { execIn } from "./exec.js";
import { attachLoops, detachLoops } from "./loop.js";
import { type AttachedDisk, disksJson, disksScriptPath } from "./machine-files.js";
import { holderOf, type Inspected, recordedDisks } from "./machine-find.js";

/** Devices for these disks; refuses a disk that another machine has. */
export async function takeDisks(
  core: Core,
  cluster: string,
  machine: string,
  image: string,
  ids: readonly string[],
): Promise<readonly AttachedDisk[]> {
  if (ids.length === 0) return [];
  const disks = await mustFindDisks(core, cluster, ids);
  for (const disk of disks) {
    const holder = await holderOf(core, cluster, disk.id);
    if (holder && holder.id !== machine)
      throw refused(
        `The disk "${disk.name}" is attached elsewhere`,
        `The machine "${holder.name}" (${holder.id}) holds the disk ${disk.id}; one disk serves one machine at a time.`,
        "Take it out of that machine's disk_ids first, or delete that machine.",
      );
  }
  const devices = await attachLoops(core, cluster, image, disks);
  return ids.flatMap((id) => devices.filter((d) => d.id === id));
}

/** Mount points of a disk inside a running machine. */
async function mountsOf(core: Core, container: string, disk: AttachedDisk): Promise<readonly string[]> {
  const { stdout } = await execIn(core, container, ["cat", "/proc/1/mountinfo"]);
  return stdout.split("\n").flatMap((line) => {
    const fields = line.split(" ");
    return fields[2] === `${disk.major}:${disk.minor}` && fields[4] ? [fields[4]] : [];
  });
}

const record = (core: Core, container: string, disks: readonly AttachedDisk[]): Promise<void> =>
  putFiles(core, container, [disksJson(disks)]);

async function makeNodes(core: Core, container: string): Promise<void> {
  const done = await execIn(core, container, [disksScriptPath]);
  if (done.code !== 0)
    throw new EngineError("answer", {
      what: "The machine cannot make its disks' device nodes",
      detail: `${disksScriptPath} in it ended with code ${done.code}: ${(done.stderr || done.stdout).trim()}`,
      fix: "See the machine's console: docker logs; then apply again.",
    });
}

/** Renews the devices of a stopped machine, so that it can be started after a restart of the engine's host. */
export async function refreshDisks(core: Core, cluster: string, id: string, machine: Inspected): Promise<void> {
  const recorded = await recordedDisks(core, machine.Id);
  if (recorded.length === 0) return;
  const disks = await takeDisks(
    core,
    cluster,
    id,
    machine.Image,
    recorded.map((d) => d.id),
  );
  await record(core, machine.Id, disks);
}

/** Makes the machine have exactly these disks. Refuses, before anything is changed, to take a mounted one away. */
export async function setDisks(core: Core, cluster: string, id: string, machine: Inspected, wanted: readonly string[]): Promise<void> {
  const now = await recordedDisks(core, machine.Id);
  const leaving = now.filter((d) => !wanted.includes(d.id));
  if (machine.State.Running)
    for (const disk of leaving) {
      const mounts = await mountsOf(core, machine.Id, disk);
      if (mounts.length > 0)
        throw refused(
          `The disk "${disk.id}" is mounted`,
          `The machine ${id} has it mounted on ${mounts.join(", ")}; a mounted disk is not detached.`,
          `Unmount it first: docker exec ${machine.Name.replace("/", "")} umount ${mounts[0]}`,
        );
    }
  const stay = now.filter((d) => wanted.includes(d.id));
  const come = wanted.filter((w) => !now.some((d) => d.id === w));
  if (leaving.length === 0 && come.length === 0) return;
  const taken = await takeDisks(core, cluster, id, machine.Image, come);
  const next = wanted.flatMap((w) => [...stay, ...taken].filter((d) => d.id === w));
  await record(core, machine.Id, next);
  if (machine.State.Running) await makeNodes(core, machine.Id);
  await detachLoops(
    core,
    cluster,
    machine.Image,
    leaving.map((d) => d.id),
  );
}
