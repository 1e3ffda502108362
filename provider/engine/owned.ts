// What a cluster still has in an engine, and the removal of all of it: leak checks, and destroy without a usable state.
import type { Core } from "./core.js";
import { EngineError } from "./error.js";
import { anyOwnImage } from "./image.js";
import { clusterLabel, filterOf, kindLabel, type Labels, nameLabel, owner, ownerLabel } from "./labels.js";
import { detachLoops, listLoops } from "./loop.js";

export interface OwnedObject {
  readonly type: "container" | "volume" | "network" | "loop device";
  /** The engine's name, or the device's. */
  readonly name: string;
  readonly id: string;
  /** machine, disk, balancer, … */
  readonly kind: string;
  readonly label: string;
}

interface ContainerRow {
  readonly Id: string;
  readonly Names: readonly string[];
  readonly Labels: Labels;
}
interface VolumeRow {
  readonly Name: string;
  readonly Labels: Labels | null;
}
interface NetworkRow {
  readonly Id: string;
  readonly Name: string;
  readonly Labels: Labels | null;
}

const described = (labels: Labels | null): { kind: string; label: string } => ({
  kind: labels?.[kindLabel] ?? "",
  label: labels?.[nameLabel] ?? "",
});

async function engineObjects(core: Core, cluster: string): Promise<readonly OwnedObject[]> {
  const filters = filterOf(cluster);
  const [containers, { Volumes }, networks] = await Promise.all([
    core.json<readonly ContainerRow[]>("/containers/json", { query: { all: true, filters } }),
    core.json<{ Volumes: readonly VolumeRow[] | null }>("/volumes", { query: { filters } }),
    core.json<readonly NetworkRow[]>("/networks", { query: { filters } }),
  ]);
  return [
    ...containers.map((c) => ({
      type: "container" as const,
      name: (c.Names[0] ?? c.Id).replace("/", ""),
      id: c.Id,
      ...described(c.Labels),
    })),
    ...(Volumes ?? []).map((v) => ({ type: "volume" as const, name: v.Name, id: v.Name, ...described(v.Labels) })),
    ...networks.map((n) => ({ type: "network" as const, name: n.Name, id: n.Id, ...described(n.Labels) })),
  ];
}

/** Loop devices need an image of ours to look from; an engine without one cannot have made any. */
async function loopObjects(core: Core, cluster: string): Promise<readonly OwnedObject[]> {
  const image = await anyOwnImage(core);
  if (!image) return [];
  return (await listLoops(core, cluster, image)).map(({ id, device }) => ({
    type: "loop device" as const,
    name: device,
    id,
    kind: "disk",
    label: id,
  }));
}

export async function listOwned(core: Core, cluster: string): Promise<readonly OwnedObject[]> {
  // Loops first: the helper that looks for them must not be listed.
  const loops = await loopObjects(core, cluster);
  return [...(await engineObjects(core, cluster)), ...loops];
}

export async function removeOwned(core: Core, cluster: string): Promise<readonly OwnedObject[]> {
  const found = await listOwned(core, cluster);
  const of = (type: OwnedObject["type"]): readonly OwnedObject[] => found.filter((o) => o.type === type);
  await Promise.all(of("container").map((c) => core.drop(`/containers/${c.id}`, { force: true, v: true })));
  const image = await anyOwnImage(core);
  if (image)
    await detachLoops(
      core,
      cluster,
      image,
      of("loop device").map((l) => l.id),
    );
  for (const volume of of("volume")) await core.drop(`/volumes/${volume.id}`, { force: true });
  for (const network of of("network")) await dropNetwork(core, network);
  return found;
}

/** A container of somebody else on our network is disconnected, not removed. */
async function dropNetwork(core: Core, network: OwnedObject): Promise<void> {
  const detail = await core.find<{ Containers?: Readonly<Record<string, unknown>> | null }>(`/networks/${network.id}`);
  for (const container of Object.keys(detail?.Containers ?? {})) {
    try {
      const left = await core.call(`/networks/${network.id}/disconnect`, { method: "POST", json: { Container: container, Force: true } });
      await left.bytes();
    } catch (cause) {
      if (!(cause instanceof EngineError) || cause.kind !== "answer") throw cause;
    }
  }
  await core.drop(`/networks/${network.id}`);
}

/** Names of all clusters that have anything in the engine. */
export async function ownedClusters(core: Core): Promise<readonly string[]> {
  const filters = JSON.stringify({ label: [`${ownerLabel}=${owner}`] });
  const [containers, { Volumes }, networks] = await Promise.all([
    core.json<readonly ContainerRow[]>("/containers/json", { query: { all: true, filters } }),
    core.json<{ Volumes: readonly VolumeRow[] | null }>("/volumes", { query: { filters } }),
    core.json<readonly NetworkRow[]>("/networks", { query: { filters } }),
  ]);
  const names = [...containers, ...(Volumes ?? []), ...networks].map((o) => o.Labels?.[clusterLabel] ?? "");
  return [...new Set(names)].filter(Boolean).sort();
}
