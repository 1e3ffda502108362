// Programs out of the mirror's files, as a machine gets them: the file itself, or members of an archive.
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { extract } from "tar-stream";
import type { Artefact } from "./artefact.js";
import { exists } from "./cache.js";
import { MirrorFailed } from "./problem.js";

export interface Program {
  readonly name: string;
  readonly file: string;
}

async function unpackTo(archive: string, folder: string, wanted: ReadonlySet<string>): Promise<void> {
  await mkdir(folder, { recursive: true });
  const tar = extract();
  tar.on("entry", (header, body, next) => {
    const name = header.name.slice(header.name.lastIndexOf("/") + 1);
    if (header.type !== "file" || !wanted.has(name)) {
      body.on("end", next);
      body.resume();
      return;
    }
    pipeline(body, createWriteStream(join(folder, name), { mode: 0o755 })).then(
      () => next(),
      (cause: Error) => next(cause),
    );
  });
  await pipeline(createReadStream(archive), createGunzip(), tar);
}

/** Programs of archives are unpacked below `unpacked`, in a folder of its own for each archive. */
export async function programsOf(mirror: string, parts: readonly Artefact[], unpacked: string): Promise<readonly Program[]> {
  const [first] = parts;
  if (!first) return [];
  const names = parts.flatMap((part) => part.binaries);
  const archive = join(mirror, first.path);
  if (first.form === "binary") return names.map((name) => ({ name, file: archive }));
  const folder = join(unpacked, first.path.replaceAll("/", "_"));
  await unpackTo(archive, folder, new Set(names));
  const programs = names.map((name) => ({ name, file: join(folder, name) }));
  for (const { name, file } of programs) if (!(await exists(file))) throw new MirrorFailed(`${archive} holds no ${name}`);
  return programs;
}
