// Removes a machine: container, data volumes, its disks' devices. The disks stay.
import { waitGone } from "./container-gone.js";
import type { Core } from "./core.js";
import { filterOf, idLabel } from "./labels.js";
import { detachLoops } from "./loop.js";
import { type Inspected, inspectMachine, recordedDisks } from "./machine-find.js";

/** `found` may be null: then only what a vanished machine has left is removed. */
export async function dropMachine(core: Core, cluster: string, id: string, found: Inspected | null): Promise<void> {
  if (found) {
    const disks = await recordedDisks(core, found.Id);
    await core.drop(`/containers/${found.Id}`, { force: true, v: true });
    // the engine may answer while it is still at it
    await waitGone(core, found.Id);
    await detachLoops(
      core,
      cluster,
      found.Image,
      disks.map((d) => d.id),
    );
  }
  const { Volumes } = await core.json<{ Volumes: readonly { readonly Name: string }[] | null }>("/volumes", {
    query: { filters: filterOf(cluster, "machine-data", { [idLabel]: id }) },
  });
  for (const volume of Volumes ?? []) await core.drop(`/volumes/${volume.Name}`);
}

export const deleteMachine = async (core: Core, cluster: string, id: string): Promise<void> =>
  dropMachine(core, cluster, id, await inspectMachine(core, cluster, id));
