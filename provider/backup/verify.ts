// One snapshot at the target, fetched and tried: sums of what was fetched, the seal, and that the two sealed objects belong
// together. Leaves nothing behind but what the caller keeps.
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { getChunks, type S3Place } from "./s3.js";
import { SealFailed, unsealed, unsealedText } from "./sealed.js";
import { type Manifest, type Proof, parseProof, type SealedObject, type Stored } from "./target.js";

/** What is wrong with it, and what to do. */
export class SnapshotFailed extends Error {}

export interface Verified {
  readonly proof: Proof;
  /** The plain file. */
  readonly database: string;
  /** What the set holds: `{format, id, proof, document, encryption}`. */
  readonly set: Readonly<Record<string, unknown>>;
}

/** Writes into `folder`, which is the caller's to remove: it then holds keys. */
export async function verifySnapshot(
  place: S3Place,
  stored: Stored,
  options: { readonly passphrase: string; readonly folder: string; readonly signal: AbortSignal; readonly log: (line: string) => void },
): Promise<Verified> {
  const { manifest } = stored;
  if (typeof manifest === "string") throw new SnapshotFailed(`${stored.id}: ${manifest}. Take another one`);
  const { passphrase, folder, signal, log } = options;
  const fetched = async (what: "etcd" | "set"): Promise<string> => {
    const object = manifest.objects[what];
    log(`fetching ${object.name} of ${stored.id} (${object.size} bytes)`);
    const path = join(folder, object.name);
    await fetchObject(place, `${stored.folder}${object.name}`, object, path, signal);
    return path;
  };
  const set = await opened(stored.id, await fetched("set"), passphrase, manifest);
  const proof = parseProof(set.proof);
  if (!proof || set.format !== 1 || set.id !== stored.id)
    throw new SnapshotFailed(
      `${stored.id}: its set is of ${JSON.stringify(set.id)}: somebody has mixed the objects of two snapshots. Take another one`,
    );
  if (proof.sha256 !== manifest.proof.sha256 || proof.cluster_uid !== manifest.proof.cluster_uid)
    throw new SnapshotFailed(
      `${stored.id}: its manifest says something else than its sealed set: somebody has changed it. Take another one`,
    );
  const database = join(folder, "snapshot.db");
  const sealed = await fetched("etcd");
  log(`opening ${manifest.objects.etcd.name}`);
  const sha256 = await decrypted(stored.id, sealed, passphrase, database);
  if (sha256 !== proof.sha256)
    throw new SnapshotFailed(
      `${stored.id}: what comes out of its seal is not the file that its set speaks of (sha256 ${sha256}, not ${proof.sha256}). Take another one`,
    );
  return { proof, database, set };
}

async function fetchObject(place: S3Place, key: string, object: SealedObject, path: string, signal: AbortSignal): Promise<void> {
  const digest = createHash("sha256");
  const file = await open(path, "w", 0o600);
  let size = 0;
  try {
    for await (const chunk of getChunks(place, key, signal)) {
      digest.update(chunk);
      size += chunk.length;
      await file.write(chunk);
    }
  } finally {
    await file.close();
  }
  if (size !== object.size)
    throw new SnapshotFailed(
      `${key} has ${size} bytes at the target; it was sent with ${object.size}: it is cut off or another one. Take another snapshot`,
    );
  if (digest.digest("hex") !== object.sha256)
    throw new SnapshotFailed(`${key} has another sha256 than its manifest says: it was changed at the target. Take another snapshot`);
}

const sealTrouble = (id: string, cause: unknown): unknown =>
  cause instanceof SealFailed
    ? new SnapshotFailed(
        `${id}: ${cause.message}. Its sums are those of its manifest, so it is most likely the passphrase: give the one that backup.target had when it was taken`,
      )
    : cause;

async function opened(id: string, path: string, passphrase: string, manifest: Manifest): Promise<Readonly<Record<string, unknown>>> {
  let text: string;
  try {
    text = await unsealedText(path, passphrase);
  } catch (cause) {
    throw sealTrouble(id, cause);
  }
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    throw new SnapshotFailed(`${id}: what is sealed in ${manifest.objects.set.name} is no set. Take another one`);
  }
}

async function decrypted(id: string, path: string, passphrase: string, to: string): Promise<string> {
  const digest = createHash("sha256");
  const file = await open(to, "w", 0o600);
  try {
    for await (const chunk of unsealed(path, passphrase)) {
      digest.update(chunk);
      await file.write(chunk);
    }
  } catch (cause) {
    throw sealTrouble(id, cause);
  } finally {
    await file.close();
  }
  return digest.digest("hex");
}
