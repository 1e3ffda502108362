// What there is to restore, from both places, as one list. Pure.
import { type Stored, takenAt } from "../../backup/target.js";
import { isControlPlane } from "../../kube/node-status.js";
import type { KubeObject } from "../../kube/object.js";
import { snapshotsAnnotation } from "../../kube/snapshots-report.js";
import { table } from "../status/words.js";

export interface ListedSnapshot {
  readonly id: string;
  readonly node: string;
  readonly taken_at: string;
  readonly size: number | null;
  readonly revision: number | null;
  readonly keys: number | null;
  /** Of Kubernetes; null = only on a disk, which does not say it. */
  readonly version: string | null;
  /** Which life of the cluster: each restore raises it. */
  readonly number: number | null;
  readonly on_disk: boolean;
  readonly at_target: boolean;
  /** Why the one at the target cannot be used; null = nothing is known against it. */
  readonly problem: string | null;
}
/** A place that was looked at: null = it was read; text = why not. */
export type Looked = string | null;

export interface SnapshotList {
  readonly format: 1;
  readonly cluster: string | null;
  readonly disks: Looked;
  readonly target: Looked;
  readonly snapshots: readonly ListedSnapshot[];
}

type Held = readonly [name: string, size: number, revision: number, keys: number];

/** What each control plane says that its disk has. A node can write anything: what does not parse is nothing. */
export function onDisks(nodes: readonly KubeObject[]): readonly ListedSnapshot[] {
  return nodes.filter(isControlPlane).flatMap((node) => {
    const name = node.metadata.name;
    return heldBy(node).flatMap(([stamp, size, revision, keys]) => {
      const id = `${stamp}-${name}`;
      const taken = takenAt(id);
      if (taken === null) return [];
      return [
        {
          id,
          node: name,
          taken_at: taken,
          size,
          revision,
          keys,
          version: null,
          number: null,
          on_disk: true,
          at_target: false,
          problem: null,
        },
      ];
    });
  });
}

function heldBy(node: KubeObject): readonly Held[] {
  try {
    const { held } = JSON.parse(node.metadata.annotations?.[snapshotsAnnotation] ?? "{}") as { held?: unknown };
    const whole = (entry: unknown): entry is Held =>
      Array.isArray(entry) && typeof entry[0] === "string" && entry.slice(1, 4).every((n) => typeof n === "number") && entry.length === 4;
    return Array.isArray(held) ? held.filter(whole) : [];
  } catch {
    return [];
  }
}

export function atTarget(stored: readonly Stored[]): readonly ListedSnapshot[] {
  return stored.map(({ id, manifest }) => {
    const proof = typeof manifest === "string" ? null : manifest.proof;
    return {
      id,
      node: id.slice(id.indexOf("-") + 1),
      taken_at: takenAt(id) ?? "",
      size: proof?.size ?? null,
      revision: proof?.revision ?? null,
      keys: proof?.keys ?? null,
      version: proof?.version ?? null,
      number: proof?.number ?? null,
      on_disk: false,
      at_target: true,
      problem: typeof manifest === "string" ? manifest : null,
    };
  });
}

/** One row for each, newest first; the target's word goes before a node's. */
export function merged(disks: readonly ListedSnapshot[], target: readonly ListedSnapshot[]): readonly ListedSnapshot[] {
  const all = new Map(disks.map((one) => [one.id, one]));
  for (const one of target) all.set(one.id, { ...one, on_disk: all.has(one.id) });
  return [...all.values()].sort((a, b) => (a.id > b.id ? -1 : 1));
}

export function listText({ disks, target, snapshots }: SnapshotList): string {
  const rows = snapshots.map((one) => [
    one.id,
    one.taken_at,
    one.version ?? "-",
    one.size === null ? "-" : `${(one.size / (1 << 20)).toFixed(1)} MiB`,
    String(one.keys ?? "-"),
    String(one.revision ?? "-"),
    [...(one.on_disk ? ["disk"] : []), ...(one.at_target ? ["target"] : [])].join(", ") +
      (one.problem === null ? "" : ` (NOT USABLE: ${one.problem})`),
  ]);
  const notes = [...(disks === null ? [] : [`! disks: ${disks}`]), ...(target === null ? [] : [`! target: ${target}`])];
  const body = rows.length > 0 ? table(["SNAPSHOT", "TAKEN", "KUBERNETES", "SIZE", "KEYS", "REVISION", "WHERE"], rows) : ["no snapshots"];
  return `${[...body, ...(notes.length > 0 ? ["", ...notes] : [])].join("\n")}\n`;
}
