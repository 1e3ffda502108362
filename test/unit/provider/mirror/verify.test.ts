import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { recordFile, recordImage } from "../../../../provider/mirror/contents.js";
import { writeLayer } from "../../../../provider/mirror/layer.js";
import { writeImage } from "../../../../provider/mirror/oci.js";
import { tarOf } from "../../../../provider/mirror/tar.js";
import { verifyMirror } from "../../../../provider/mirror/verify.js";
import { never, put, scratch } from "./fixture.js";

const image = "a.example/x:1";

async function mirror(): Promise<string> {
  const folder = await scratch();
  await put(join(folder, "dl/f"), "content");
  await recordFile(folder, "dl/f", "upstream", "");
  const layer = await writeLayer(await scratch(), "l", () => tarOf([{ to: "a", text: "a" }]));
  const { digest } = await writeImage(folder, image, "amd64", [layer], {});
  await recordImage(folder, image, "amd64", { digest, source: "upstream", recipe: "" });
  return folder;
}
const verify = async (folder: string): Promise<readonly string[]> =>
  (await verifyMirror({ folder, signal: never() })).faults.map((f) => `${f.path} ${f.problem}`.replace(/sha256:[0-9a-f]+/g, "DIGEST"));

async function only(folder: string, path: string, match: RegExp): Promise<string> {
  const name = (await readdir(join(folder, path))).find((n) => match.test(n));
  return join(folder, path, name ?? "");
}

describe("verifyMirror", () => {
  it("finds nothing in a good mirror, and counts", async () => {
    const { faults, ...counts } = await verifyMirror({ folder: await mirror(), signal: never() });
    expect({ faults, ...counts }).toEqual({ faults: [], files: 1, images: 1, blobs: 4 });
  });

  const cases: readonly (readonly [string, (folder: string) => Promise<unknown>, readonly (string | RegExp)[]])[] = [
    ["a spoilt file", (f) => put(join(f, "dl/f"), "c0ntent"), [/^dl\/f is spoilt/]],
    ["a file cut short", (f) => put(join(f, "dl/f"), "con"), [/^dl\/f is spoilt/]],
    ["a missing file", (f) => rm(join(f, "dl/f")), ["dl/f is missing"]],
    ["a missing sum", (f) => rm(join(f, "dl/f.sha256")), ["dl/f.sha256 is missing"]],
    ["another sum", (f) => put(join(f, "dl/f.sha256"), "00\n"), [/^dl\/f.sha256 does not say/]],
    ["a missing tag", (f) => rm(join(f, "v2/x/manifests/1")), [`${image} its tag "1" is missing`]],
    ["a tag that is no JSON", (f) => put(join(f, "v2/x/manifests/1"), "{"), [`${image} its tag "1" is spoilt`]],
    [
      "a tag that leads elsewhere",
      (f) => put(join(f, "v2/x/manifests/1"), "{}"),
      [`${image} its index DIGEST is missing`, `${image} its tag does not lead to amd64`],
    ],
    [
      "missing blobs",
      (f) => rm(join(f, "v2/x/blobs"), { recursive: true }),
      [`${image} DIGEST (amd64) is missing`, `${image} DIGEST (amd64) is missing`],
    ],
    ["a spoilt blob", async (f) => put(await only(f, "v2/x/blobs", /./), "x"), [/^v2\/x\/blobs\/DIGEST is spoilt: its content is DIGEST$/]],
    ["no mirror at all", (f) => rm(join(f, "mirror.json")), [/^mirror.json is missing: .* is no mirror, or none yet$/]],
  ];
  it.each(cases)("fails when there is %s", async (_, spoil, expected) => {
    const folder = await mirror();
    await spoil(folder);
    const found = await verify(folder);
    expect(found).toHaveLength(expected.length);
    for (const [i, want] of expected.entries()) expect(found[i]).toMatch(want);
  });
});
