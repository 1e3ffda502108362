import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { extract } from "tar-stream";
import { describe, expect, it } from "vitest";
import { imageArchive } from "../../../../provider/mirror/image-archive.js";
import { type Layer, writeLayer } from "../../../../provider/mirror/layer.js";
import { digestOf, type Index, readImage, splitReference, writeImage } from "../../../../provider/mirror/oci.js";
import { tarOf } from "../../../../provider/mirror/tar.js";
import { put, scratch, sha256 } from "./fixture.js";

const layer = (store: string, text: string): Promise<Layer> =>
  writeLayer(store, [text], () => tarOf([{ to: "/bin/x", text }], [{ path: "tmp", mode: 0o1777 }]));
const reference = "registry.k8s.io/coredns/coredns:v1.14.2";
const tagOf = async (mirror: string): Promise<Index> =>
  JSON.parse(await readFile(join(mirror, "v2/coredns/coredns/manifests/v1.14.2"), "utf8")) as Index;

it("splits references", () => {
  expect(splitReference(reference)).toEqual({ registry: "registry.k8s.io", name: "coredns/coredns", tag: "v1.14.2" });
  expect(splitReference("localhost:5000/a:b")).toEqual({ registry: "localhost:5000", name: "a", tag: "b" });
});

describe("writeImage", () => {
  it("gives the same bytes on every run and computer", async () => {
    const digests: string[] = [];
    for (let run = 0; run < 2; run += 1) {
      const folder = await scratch();
      const image = await writeImage(folder, reference, "amd64", [await layer(join(folder, "store"), "program")], {
        entrypoint: ["/bin/x"],
      });
      digests.push(image.digest, (await tagOf(folder)).manifests[0]?.digest ?? "");
    }
    expect(new Set(digests).size).toBe(1);
    expect(digests[0]).toMatchInlineSnapshot(`"sha256:61730cef520eb4a811a22b725634de5ab6e9153bd0f678cfa07ad314a2088d5c"`);
  });

  it("lets a second architecture join the first under one tag, in any order", async () => {
    const tags: string[] = [];
    for (const arches of [
      ["amd64", "arm64"],
      ["arm64", "amd64"],
      ["arm64", "amd64", "arm64"],
    ] as const) {
      const folder = await scratch();
      for (const arch of arches) await writeImage(folder, reference, arch, [await layer(join(folder, "store"), arch)], {});
      const index = await tagOf(folder);
      expect(index.manifests.map((m) => m.platform?.architecture)).toEqual(["amd64", "arm64"]);
      tags.push(JSON.stringify(index));
    }
    expect(new Set(tags).size).toBe(1);
  });

  it("writes a tag anew where something else is in its place", async () => {
    const folder = await scratch();
    await put(join(folder, "v2/coredns/coredns/manifests/v1.14.2"), "{half");
    const image = await writeImage(folder, reference, "amd64", [await layer(join(folder, "store"), "x")], {});
    expect((await tagOf(folder)).manifests.map((m) => m.digest)).toEqual([image.digest]);
  });
});

describe("readImage", () => {
  const written = async () => {
    const folder = await scratch();
    const image = await writeImage(folder, reference, "amd64", [await layer(join(folder, "store"), "x")], {});
    return { folder, image, read: (thorough = false) => readImage(folder, reference, image.digest, thorough) };
  };

  it("finds what was written", async () => {
    const { image, read } = await written();
    expect(await read()).toEqual(image);
    expect(await read(true)).toEqual(image);
  });

  it("does not find an image that lacks a part, or whose tag leads elsewhere", async () => {
    for (const part of ["manifests", "blobs"]) {
      const { folder, read } = await written();
      const dir = join(folder, "v2/coredns/coredns", part);
      for (const name of await readdir(dir)) if (name.startsWith("sha256:")) await rm(join(dir, name));
      expect(await read()).toBeUndefined();
    }
    const { folder, read } = await written();
    await put(join(folder, "v2/coredns/coredns/manifests/v1.14.2"), "{}");
    expect(await read()).toBeUndefined();
  });

  it("finds a spoilt blob of the right size only when it reads it", async () => {
    const { image, read } = await written();
    const [, blob] = image.blobs;
    const bytes = await readFile(blob?.file ?? "");
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    await put(blob?.file ?? "", bytes);
    expect(await read()).toBeDefined();
    expect(await read(true)).toBeUndefined();
  });
});

describe("writeLayer", () => {
  it("is not made twice, and made again when the store's copy is spoilt", async () => {
    const store = await scratch();
    let made = 0;
    const write = (): Promise<Layer> =>
      writeLayer(store, "key", () => {
        made += 1;
        return tarOf([{ to: "a", text: "text" }]);
      });
    const first = await write();
    expect(await write()).toEqual(first);
    expect(made).toBe(1);
    await put(first.file, "spoilt");
    expect(await write()).toEqual(first);
    expect(made).toBe(2);
    expect(digestOf(await readFile(first.file))).toBe(first.digest);
  });

  it("leaves nothing when its tar fails", async () => {
    const store = await scratch();
    await expect(writeLayer(store, "key", () => tarOf([{ to: "a", from: join(store, "is-not-there") }]))).rejects.toThrow(/ENOENT/);
    expect(await readdir(store)).toEqual([]);
  });
});

it("imageArchive holds a layout in which a shared layer is there once", async () => {
  const folder = await scratch();
  const base = await layer(join(folder, "store"), "base");
  const images = [
    await writeImage(folder, "a.example/one:1", "amd64", [base], {}),
    await writeImage(folder, "a.example/two:2", "amd64", [base, await layer(join(folder, "store"), "top")], {}),
  ];
  const files = new Map<string, Buffer>();
  const tar = extract();
  tar.on("entry", (header, body, next) => {
    expect(files.has(header.name)).toBe(false);
    buffer(body).then((content) => {
      files.set(header.name, content);
      next();
    }, next);
  });
  await pipeline(imageArchive(images), tar);
  const index = JSON.parse(String(files.get("index.json"))) as { manifests: { digest: string; annotations: Record<string, string> }[] };
  expect(index.manifests.map((m) => m.annotations["io.containerd.image.name"])).toEqual(["a.example/one:1", "a.example/two:2"]);
  for (const [name, content] of files) if (name.startsWith("blobs/")) expect(name).toBe(`blobs/sha256/${sha256(content)}`);
  // two manifests, two configs, two layers
  expect([...files.keys()].filter((name) => name.startsWith("blobs/"))).toHaveLength(6);
});
