// What stands at the target of backups: which snapshots there are, by their manifests. A manifest is a table of contents, and
// whoever can write the bucket can change it: what is believed is decided when the set is opened.
import { getText, listKeys, type S3Place } from "./s3.js";

export interface Proof {
  readonly name: string;
  readonly cluster_uid: string;
  readonly number: number;
  readonly node: string;
  /** Kubernetes version. */
  readonly version: string;
  readonly etcd_version: string;
  readonly size: number;
  /** Of the plain file. */
  readonly sha256: string;
  readonly revision: number;
  readonly keys: number;
}
export interface SealedObject {
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
}
export interface Manifest {
  readonly id: string;
  readonly cluster: string;
  readonly proof: Proof;
  readonly objects: { readonly etcd: SealedObject; readonly set: SealedObject };
}
/** One at the target. `manifest` is text when it cannot be used: why. */
export interface Stored {
  readonly id: string;
  /** Key of its folder, with a slash at the end. */
  readonly folder: string;
  readonly manifest: Manifest | string;
}

const idPattern = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-[a-z0-9-]+$/;
const atOnce = 8;

/** "20261130T120000Z-a" → "2026-11-30T12:00:00Z"; null for a name that is not ours. */
export function takenAt(id: string): string | null {
  const parts = idPattern.exec(id);
  return parts && `${parts[1]}-${parts[2]}-${parts[3]}T${parts[4]}:${parts[5]}:${parts[6]}Z`;
}

type Part = Readonly<Record<string, unknown>>;
const part = (value: unknown): Part => (value !== null && typeof value === "object" ? (value as Part) : {});
const texts = ["name", "cluster_uid", "node", "version", "etcd_version", "sha256"] as const;
const numbers = ["number", "size", "revision", "keys"] as const;

export function parseProof(value: unknown): Proof | null {
  const proof = part(value);
  const whole = texts.every((name) => typeof proof[name] === "string") && numbers.every((name) => typeof proof[name] === "number");
  return whole ? (Object.fromEntries([...texts, ...numbers].map((name) => [name, proof[name]])) as unknown as Proof) : null;
}

function parseObject(value: unknown): SealedObject | null {
  const { name, size, sha256 } = part(value);
  // a name and no path: it says where in its own folder the object is
  if (typeof name !== "string" || !/^[a-z.]+$/.test(name) || typeof size !== "number" || typeof sha256 !== "string") return null;
  return { name, size, sha256 };
}

/** Text: why it is none. */
export function parseManifest(text: string, id: string): Manifest | string {
  let data: Part;
  try {
    data = part(JSON.parse(text));
  } catch {
    return "its manifest is no JSON";
  }
  if (data.format !== 1) return `its manifest has format ${JSON.stringify(data.format)}; this version of the tool reads format 1`;
  const objects = part(data.objects);
  const [proof, etcd, set] = [parseProof(data.proof), parseObject(objects.etcd), parseObject(objects.set)];
  if (data.id !== id || typeof data.cluster !== "string" || !proof || !etcd || !set) return "its manifest is not whole";
  return { id, cluster: data.cluster, proof, objects: { etcd, set } };
}

/** All whose upload came to its end, oldest first. below: prefix, and cluster and uid where they are known. */
export async function storedSnapshots(place: S3Place, below: string, signal: AbortSignal): Promise<readonly Stored[]> {
  const found = (await listKeys(place, below, signal)).flatMap((key) => {
    const [, folder = "", id = ""] = /^((?:.*\/)?([^/]+)\/)manifest\.json$/.exec(key) ?? [];
    return takenAt(id) === null ? [] : [{ id, folder }];
  });
  found.sort((a, b) => (a.id < b.id ? -1 : 1));
  const stored: Stored[] = [];
  for (let n = 0; n < found.length; n += atOnce)
    stored.push(
      ...(await Promise.all(
        found.slice(n, n + atOnce).map(async (one) => ({
          ...one,
          manifest: parseManifest(await getText(place, `${one.folder}manifest.json`, signal), one.id),
        })),
      )),
    );
  return stored;
}
