// Removes what nothing owns any more: data volumes of machines that were removed behind Terraform's back, marks of objects
// that are gone, and helpers of runs that were killed.
import type { Core } from "./core.js";
import { filterOf, idLabel, type Labels } from "./labels.js";
import { machinesOf } from "./machine-find.js";

interface Volume {
  readonly Name: string;
  readonly Labels: Labels | null;
}

export async function sweepCluster(core: Core, cluster: string): Promise<void> {
  const helpers = await core.json<readonly { readonly Id: string; readonly Created: number }[]>("/containers/json", {
    query: { all: true, filters: filterOf(cluster, "helper") },
  });
  // A young one may be at work for another operation of this very run.
  const old = helpers.filter((h) => Date.now() / 1000 - h.Created > 120);
  for (const helper of old) await core.drop(`/containers/${helper.Id}`, { force: true, v: true });
  const alive = new Set((await machinesOf(core, cluster)).map((m) => m.id));
  const { Volumes } = await core.json<{ Volumes: readonly Volume[] | null }>("/volumes", {
    query: { filters: filterOf(cluster, "machine-data") },
  });
  const marks = await core.json<{ Volumes: readonly Volume[] | null }>("/volumes", { query: { filters: filterOf(cluster, "mark") } });
  for (const mark of marks.Volumes ?? []) {
    const object = mark.Labels?.[idLabel] ?? "";
    const there = (await core.find(`/volumes/${object}`)) ?? (await core.find(`/networks/${object}`));
    if (there === null) await core.drop(`/volumes/${mark.Name}`);
  }
  for (const volume of Volumes ?? []) if (!alive.has(volume.Labels?.[idLabel] ?? "")) await core.drop(`/volumes/${volume.Name}`);
}
