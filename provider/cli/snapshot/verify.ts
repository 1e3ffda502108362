// Verifying in a folder that goes again.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { S3Place } from "../../backup/s3.js";
import type { Stored } from "../../backup/target.js";
import { SnapshotFailed, verifySnapshot } from "../../backup/verify.js";
import type { Io } from "../command.js";
import { etcdutlStatus, findEtcdutl } from "./etcdutl.js";

interface VerifyResult {
  readonly id: string;
  readonly node: string;
  readonly version: string;
  readonly revision: number;
  readonly keys: number;
  readonly size: number;
  /** What has looked at it: "sums", "seal", "etcdutl". */
  readonly read_by: readonly string[];
}

export async function verifyIn(place: S3Place, stored: Stored, passphrase: string, io: Io): Promise<VerifyResult> {
  // mkdtemp makes it for its owner alone
  const folder = await mkdtemp(join(tmpdir(), "honest-paas-snapshot-"));
  try {
    const { proof, database } = await verifySnapshot(place, stored, { passphrase, folder, signal: io.signal, log: io.say });
    const { node, version, revision, keys, size } = proof;
    const program = findEtcdutl(io.env);
    if (program) {
      const status = await etcdutlStatus(program, database, io.signal);
      if (typeof status === "string") throw new SnapshotFailed(`${stored.id}: etcdutl does not read it: ${status}. Take another one`);
      if (status.revision !== revision || status.totalKey !== keys)
        throw new SnapshotFailed(
          `${stored.id}: etcdutl reads ${status.totalKey} keys at revision ${status.revision}; when it was taken it was ${keys} at ${revision}. Take another one`,
        );
    }
    return { id: stored.id, node, version, revision, keys, size, read_by: ["sums", "seal", ...(program ? ["etcdutl"] : [])] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
