import tarStream from "tar-stream";
import { expect, it } from "vitest";
import { firstFile, packTar } from "../../../../provider/engine/tar.js";

it("packs files, folders and links with owners and times that never differ", async () => {
  const entries = [
    { path: "/etc/x", folder: true as const, mode: 0o700 },
    { path: "/etc/x/a", content: "text", mode: 0o600 },
    { path: "/etc/x/l", link: "/dev/null" },
  ];
  const tar = await packTar(entries);
  expect(await packTar(entries)).toEqual(tar);
  const extract = tarStream.extract();
  extract.end(tar);
  const seen: unknown[] = [];
  for await (const entry of extract) {
    const { name, type, mode, uid, linkname } = entry.header;
    seen.push({ name, type, mode, uid, linkname });
    entry.resume();
  }
  expect(seen).toEqual([
    { name: "etc/x/", type: "directory", mode: 0o700, uid: 0, linkname: null },
    { name: "etc/x/a", type: "file", mode: 0o600, uid: 0, linkname: null },
    { name: "etc/x/l", type: "symlink", mode: 0o777, uid: 0, linkname: "/dev/null" },
  ]);
});

it("finds the file in an archive, and says when there is none", async () => {
  expect(
    (
      await firstFile(
        await packTar([
          { path: "/d", folder: true },
          { path: "/d/f", content: "it" },
        ]),
      )
    )?.toString(),
  ).toBe("it");
  expect(await firstFile(await packTar([{ path: "/d", folder: true }]))).toBeNull();
});
