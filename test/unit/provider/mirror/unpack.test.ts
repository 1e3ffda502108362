import { createWriteStream } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type Artefact, artefactsOf } from "../../../../provider/mirror/artefact.js";
import { tarOf } from "../../../../provider/mirror/tar.js";
import { programsOf } from "../../../../provider/mirror/unpack.js";
import { put, scratch, version } from "./fixture.js";

const cni = artefactsOf(version(), "amd64").find((a) => a.path.includes("cni-plugins")) as Artefact;

async function archive(names: readonly string[], prefix = "./"): Promise<string> {
  const mirror = await scratch();
  await put(join(mirror, cni.path), "");
  const files = names.map((name) => ({ to: `${prefix}${name}`, text: name }));
  await pipeline(tarOf(files, [{ path: "./", mode: 0o755 }]), createGzip(), createWriteStream(join(mirror, cni.path)));
  return mirror;
}

describe("programsOf", () => {
  it("unpacks what is wanted wherever it lies, nothing else, and so that it can be run", async () => {
    for (const prefix of ["./", "", "some/folder/"]) {
      const mirror = await archive([...cni.binaries, "README.md"], prefix);
      const unpacked = await scratch();
      const programs = await programsOf(mirror, [cni], unpacked);
      expect(programs.map((p) => p.name)).toEqual(cni.binaries);
      for (const { name, file } of programs) {
        expect(await readFile(file, "utf8")).toBe(name);
        expect((await stat(file)).mode & 0o777).toBe(0o755);
      }
      expect(await readdir(unpacked, { recursive: true })).not.toContainEqual(expect.stringContaining("README.md"));
    }
  });

  it("fails when a program is not in the archive, and when it is no archive", async () => {
    await expect(programsOf(await archive(["bridge"]), [cni], await scratch())).rejects.toThrow(/cni-plugins.* holds no loopback/);
    const mirror = await scratch();
    await put(join(mirror, cni.path), "<html>");
    await expect(programsOf(mirror, [cni], await scratch())).rejects.toThrow(/header/);
  });
});
