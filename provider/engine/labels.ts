// Names and labels of everything we make in an engine. The labels are how our own objects are found again after an
// interrupted run, and how foreign ones are told apart.
import { createHash } from "node:crypto";

const prefix = "honest-paas.dev/";
export const ownerLabel = `${prefix}owner`;
export const clusterLabel = `${prefix}cluster`;
export const kindLabel = `${prefix}kind`;
export const idLabel = `${prefix}id`;
/** Name as the user gave it; the engine's own name may carry more. */
export const nameLabel = `${prefix}name`;
/** Digest of what the object was asked to be: tells an interrupted create from one with other inputs. */
export const inputLabel = `${prefix}input`;
export const zoneLabel = `${prefix}zone`;
export const sizeLabel = `${prefix}size-gib`;
export const owner = "honest-paas";

export type Kind = "network" | "disk" | "machine" | "machine-data" | "balancer" | "balancer-network" | "helper" | "mark";
export type Labels = Readonly<Record<string, string>>;

export const labelsOf = (cluster: string, kind: Kind, id: string, more: Labels = {}): Labels => ({
  [ownerLabel]: owner,
  [clusterLabel]: cluster,
  [kindLabel]: kind,
  [idLabel]: id,
  ...more,
});

/** A query's `filters` that finds our objects of a cluster. */
export const filterOf = (cluster: string, kind?: Kind, more: Labels = {}): string =>
  JSON.stringify({
    label: [
      `${ownerLabel}=${owner}`,
      `${clusterLabel}=${cluster}`,
      ...(kind ? [`${kindLabel}=${kind}`] : []),
      ...Object.entries(more).map(([key, value]) => `${key}=${value}`),
    ],
  });

export const isOurs = (labels: Labels | null | undefined, cluster: string, kind: Kind): boolean =>
  labels?.[ownerLabel] === owner && labels[clusterLabel] === cluster && labels[kindLabel] === kind;

/** Whose an object is, in words for an error. */
export const ownerInWords = (labels: Labels | null | undefined): string =>
  labels?.[ownerLabel] === owner && labels[clusterLabel] !== undefined
    ? `its labels say: ${labels[kindLabel] ?? "object"} of the cluster "${labels[clusterLabel]}"`
    : "it does not carry our labels";

export const digestOf = (...parts: readonly (string | number | boolean | null | undefined)[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
