// Tars whose bytes depend on nothing but their content: fixed owners and times, order as given.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Pack, pack } from "tar-stream";

export type FileEntry = {
  /** Absolute path inside, or relative to where the tar is unpacked. */
  readonly to: string;
  /** @default 0o755 */
  readonly mode?: number;
} & ({ readonly from: string } | { readonly text: string });

const fixed = { uid: 0, gid: 0, mtime: new Date(0) } as const;

/** Waits while the reader is slower: a file of 100 MB must not pile up in memory. */
function entry(tar: Pack, header: Parameters<Pack["entry"]>[0], body: Readable): Promise<void> {
  return pipeline(body, tar.entry(header));
}

async function add(tar: Pack, file: FileEntry): Promise<void> {
  const header = { ...fixed, name: file.to.replace(/^\//, ""), mode: file.mode ?? 0o755 };
  if ("text" in file) await entry(tar, { ...header, size: Buffer.byteLength(file.text) }, Readable.from([Buffer.from(file.text)]));
  else await entry(tar, { ...header, size: (await stat(file.from)).size }, createReadStream(file.from));
}

export interface Folder {
  readonly path: string;
  readonly mode: number;
}

/** Folders first, then the files. */
export function tarOf(files: readonly FileEntry[], folders: readonly Folder[] = []): Readable {
  const tar = pack();
  void (async () => {
    for (const f of folders) tar.entry({ ...fixed, name: `${f.path.replace(/^\//, "")}/`, type: "directory", mode: f.mode });
    for (const file of files) await add(tar, file);
    tar.finalize();
  })().catch((cause: Error) => tar.destroy(cause));
  return tar as unknown as Readable;
}
