// Removes what nothing owns any more: data volumes of machines that were removed behind Terraform's back, marks of objects
// that are gone, and helpers of runs that were killed.
import type { Core } from "./core.js";
import { filterOf, idLabel, type Labels, nameLabel } from "./labels.js";
import { machinesOf } from "./machine-find.js";

interface Volume {
  readonly Name: string;
  readonly Labels: Labels | null;
}

const volumes = async (core: Core, filters: string): Promise<readonly Volume[]> =>
  (await core.json<{ Volumes: readonly Volume[] | null }>("/volumes", { query: { filters } })).Volumes ?? [];

/** Data volumes without a machine: of one that vanished, or of a create that was killed before its container was there. */
export async function sweepMachineData(core: Core, cluster: string, name?: string): Promise<void> {
  const alive = new Set((await machinesOf(core, cluster)).map((m) => m.id));
  const found = await volumes(core, filterOf(cluster, "machine-data", name === undefined ? {} : { [nameLabel]: name }));
  for (const volume of found) if (!alive.has(volume.Labels?.[idLabel] ?? "")) await core.drop(`/volumes/${volume.Name}`);
}

async function sweepHelpers(core: Core, cluster: string): Promise<void> {
  const helpers = await core.json<readonly { readonly Id: string; readonly Created: number }[]>("/containers/json", {
    query: { all: true, filters: filterOf(cluster, "helper") },
  });
  // A young one may be at work for another operation of this very run.
  const old = helpers.filter((h) => Date.now() / 1000 - h.Created > 120);
  for (const helper of old) await core.drop(`/containers/${helper.Id}`, { force: true, v: true });
}

async function sweepMarks(core: Core, cluster: string): Promise<void> {
  for (const mark of await volumes(core, filterOf(cluster, "mark"))) {
    const object = mark.Labels?.[idLabel] ?? "";
    const there = (await core.find(`/volumes/${object}`)) ?? (await core.find(`/networks/${object}`));
    if (there === null) await core.drop(`/volumes/${mark.Name}`);
  }
}

export async function sweepCluster(core: Core, cluster: string): Promise<void> {
  await sweepHelpers(core, cluster);
  await sweepMachineData(core, cluster);
  await sweepMarks(core, cluster);
}
