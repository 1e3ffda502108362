// Archives as the engine's archive API takes and gives them. Only named entries are packed, so that folders which exist
// in the image keep their modes.
import tarStream from "tar-stream";

export interface FileEntry {
  /** Absolute path in the container. */
  readonly path: string;
  readonly content?: string | Uint8Array;
  /** Makes a symbolic link instead of a file. */
  readonly link?: string;
  /** Makes a folder. */
  readonly folder?: true;
  /** @default 0o644, folders 0o755 */
  readonly mode?: number;
}

const collect = async (stream: AsyncIterable<Buffer>): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/** Same entries, same bytes: times are zero, owners are root. */
export async function packTar(entries: readonly FileEntry[]): Promise<Buffer> {
  const pack = tarStream.pack();
  for (const entry of entries) {
    const common = { name: entry.path.replace(/^\/+/, ""), mtime: new Date(0), uid: 0, gid: 0 };
    if (entry.link !== undefined) pack.entry({ ...common, type: "symlink", linkname: entry.link, mode: 0o777 });
    else if (entry.folder) pack.entry({ ...common, name: `${common.name}/`, type: "directory", mode: entry.mode ?? 0o755 });
    else pack.entry({ ...common, type: "file", mode: entry.mode ?? 0o644 }, Buffer.from(entry.content ?? ""));
  }
  pack.finalize();
  return collect(pack as AsyncIterable<Buffer>);
}

/** Content of the first regular file, or null when there is none. */
export async function firstFile(archive: Uint8Array): Promise<Buffer | null> {
  const extract = tarStream.extract();
  extract.end(Buffer.from(archive));
  for await (const entry of extract) {
    const content = await collect(entry as AsyncIterable<Buffer>);
    if (entry.header.type === "file") return content;
  }
  return null;
}
