// Removes what nothing owns any more: data volumes of machines and devices of disks that were removed behind Terraform's
// back, marks of objects that are gone, and helpers of runs that were killed.
import type { Core } from "./core.js";
import { sweepHelpers } from "./helper-container.js";
import { anyOwnImage } from "./image.js";
import { filterOf, idLabel, type Labels, nameLabel } from "./labels.js";
import { detachLoops, listLoops } from "./loop.js";
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

interface Network {
  readonly Id: string;
  readonly Labels: Labels | null;
}

/** Public networks of balancers that are gone: of a delete or create that was cut off between the two. */
async function sweepEdges(core: Core, cluster: string): Promise<void> {
  const balancers = await core.json<readonly { readonly Labels: Labels | null }[]>("/containers/json", {
    query: { all: true, filters: filterOf(cluster, "balancer") },
  });
  const alive = new Set(balancers.map((b) => b.Labels?.[nameLabel]));
  const edges = await core.json<readonly Network[]>("/networks", { query: { filters: filterOf(cluster, "balancer-network") } });
  for (const edge of edges) if (!alive.has(edge.Labels?.[nameLabel])) await core.drop(`/networks/${edge.Id}`);
}

async function sweepMarks(core: Core, cluster: string): Promise<void> {
  for (const mark of await volumes(core, filterOf(cluster, "mark"))) {
    const object = mark.Labels?.[idLabel] ?? "";
    const there = (await core.find(`/volumes/${object}`)) ?? (await core.find(`/networks/${object}`));
    if (there === null) await core.drop(`/volumes/${mark.Name}`);
  }
}

/** Loop devices of disks that were removed behind Terraform's back: the kernel keeps the file until they go. */
async function sweepLoops(core: Core, cluster: string): Promise<void> {
  // without an image of ours no machine was ever made here, and no device either
  const image = await anyOwnImage(core);
  if (!image) return;
  const loops = await listLoops(core, cluster, image);
  if (loops.length === 0) return;
  const alive = new Set((await volumes(core, filterOf(cluster, "disk"))).map((volume) => volume.Labels?.[idLabel]));
  await detachLoops(
    core,
    cluster,
    image,
    loops.map(({ id }) => id).filter((id) => !alive.has(id)),
  );
}

export async function sweepCluster(core: Core, cluster: string): Promise<void> {
  await sweepHelpers(core, cluster);
  await sweepLoops(core, cluster);
  await sweepMachineData(core, cluster);
  await sweepMarks(core, cluster);
  await sweepEdges(core, cluster);
}
