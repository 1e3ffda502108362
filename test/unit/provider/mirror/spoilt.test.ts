// Whatever of a mirror is spoilt: verify names it, a thorough build mends it, and no machine image is made of it.
import { readdir, readFile, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { extract } from "tar-stream";
import { describe, expect, it, vi } from "vitest";
import { type BuildOptions, buildMirror, hostArchitecture } from "../../../../provider/mirror/build.js";
import { ensureMachineImage, type ImageEngine, machineImageTag } from "../../../../provider/mirror/machine-image.js";
import { digestOf, type Index, type Manifest } from "../../../../provider/mirror/oci.js";
import { verifyMirror } from "../../../../provider/mirror/verify.js";
import { openWorld } from "../../../support/open-world.js";
import { closed, never, put, scratch, upstream, version } from "./fixture.js";

// upstream is a server
openWorld("sockets");
// hundreds of small files a mirror: a busy computer takes seconds for them
vi.setConfig({ testTimeout: 60_000 });

const arch = hostArchitecture();
const kubelet = `dl.k8s.io/v1.36.3/bin/linux/${arch}/kubelet`;
const proxy = "v2/kube-proxy";

/** As a disk does it: one bit, and neither size nor time tell. */
async function flip(path: string): Promise<void> {
  const [bytes, { atime, mtime }] = await Promise.all([readFile(path), stat(path)]);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  await put(path, bytes);
  await utimes(path, atime, mtime);
}
const cut = async (path: string): Promise<void> => void (await put(path, (await readFile(path)).subarray(0, -2)));
const harms = { flip, cut, remove: (path: string) => rm(path) } as const;

async function filled(arches: readonly ("amd64" | "arm64")[] = [arch]) {
  const source = await upstream(version(), arches);
  const root = await scratch();
  const notes: string[] = [];
  const options: BuildOptions = {
    versions: [version()],
    source: "upstream",
    arch,
    root,
    upstreamBase: source.url,
    thorough: true,
    log: (p) => p.note && notes.push(p.note),
    signal: never(),
  };
  for (const one of arches) await buildMirror({ ...options, arch: one });
  return { root, options, notes, source, folder: join(root, "mirror") };
}
const faults = async (folder: string): Promise<readonly string[]> =>
  (await verifyMirror({ folder, signal: never() })).faults.map((f) => `${f.path} ${f.problem}`);

/** A file of each kind that a mirror has. */
async function kinds(folder: string): Promise<Readonly<Record<string, string>>> {
  const at = (...parts: string[]): string => join(folder, proxy, ...parts);
  const tag = await readFile(at("manifests/v1.36.3"), "utf8");
  const own = (JSON.parse(tag) as Index).manifests.find((m) => m.platform?.architecture === arch)?.digest ?? "";
  const { config, layers } = JSON.parse(await readFile(at("manifests", own), "utf8")) as Manifest;
  const index = digestOf(tag);
  const orphan = (await readdir(at("manifests"))).find((name) => name.startsWith("sha256:") && name !== index && !tag.includes(name));
  return {
    program: join(folder, kubelet),
    archive: join(folder, `github.com/containerd/containerd/releases/download/v2.3.7/containerd-2.3.7-linux-${arch}.tar.gz`),
    sum: join(folder, `${kubelet}.sha256`),
    tag: at("manifests/v1.36.3"),
    index: at("manifests", index),
    manifest: at("manifests", own),
    config: at("blobs", config.digest),
    layer: at("blobs", layers[0]?.digest ?? ""),
    "index of before the second architecture": at("manifests", orphan ?? "none"),
  };
}

describe("a mirror of two architectures", () => {
  it("has each kind of file named by verify and mended by build when a bit flips, when it is cut and when it is gone", async () => {
    const { options, folder, notes } = await filled(["amd64", "arm64"]);
    const files = await kinds(folder);
    const wrong: string[] = [];
    for (const [kind, path] of Object.entries(files)) {
      for (const [harm, spoil] of Object.entries(harms)) {
        // nothing leads there any more, so that a build throws it away instead of mending it
        if (harm !== "flip" && kind.startsWith("index of before")) continue;
        await spoil(path);
        notes.length = 0;
        if ((await faults(folder)).length === 0) wrong.push(`${harm} of ${kind}: not seen`);
        await buildMirror(options);
        if (!notes.some((note) => /missing or spoilt|is spoilt/.test(note))) wrong.push(`${harm} of ${kind}: mended without a word`);
        for (const fault of await faults(folder)) wrong.push(`${harm} of ${kind}: not mended: ${fault}`);
      }
    }
    expect(wrong).toEqual([]);
  }, 120_000);

  it.each([
    ["is cut", '{"schema": 1, "fi'],
    ["lost its lists", '{"schema": 1}'],
    ["is no list", "null"],
  ])("whose own list %s is no whole mirror, and is filled anew", async (_, list) => {
    const { options, folder } = await filled();
    await put(join(folder, "mirror.json"), list);
    expect(await faults(folder)).toEqual(["mirror.json is spoilt: it lists no files and images"]);
    await buildMirror(options);
    expect(await faults(folder)).toEqual([]);
  });

  it("whose list is of another release is not touched, with a word on what to do", async () => {
    const { options, folder } = await filled();
    const list = await readFile(join(folder, "mirror.json"), "utf8");
    await put(join(folder, "mirror.json"), list.replace('"schema": 1', '"schema": 9'));
    const words = /mirror.json was written by another release of honest-paas \(schema 9\); build into an empty folder/;
    await expect(faults(folder)).rejects.toThrow(words);
    await expect(buildMirror(options)).rejects.toThrow(words);
  });
});

describe("a machine image", () => {
  const tag = machineImageTag("1.36.3");

  function recorder() {
    const baked = new Map<string, string>();
    const engine: ImageEngine = {
      imageExists: async (name) => name.startsWith("honest-paas/base:"),
      importImage: async () => {},
      bakeImage: async (request) => {
        const tar = extract();
        tar.on("entry", (header, body, next) => {
          text(body).then((content) => {
            baked.set(header.name, content);
            next();
          }, next);
        });
        await pipeline(request.files(), tar);
      },
    };
    return { engine, baked };
  }
  /** `bake` asks upstream by its real name, which a unit test cannot stand in for: what is whole needs no upstream. */
  const ensure = (engine: ImageEngine, root: string, notes: string[]) =>
    ensureMachineImage({ engine, tag, root, source: "upstream", log: (p) => p.note && notes.push(p.note), signal: never() });

  it.each(["program", "archive", "layer", "manifest"])("is not made of a mirror with a spoilt %s", async (kind) => {
    const { root, folder, options } = await filled();
    const path = (await kinds(folder))[kind] ?? "";
    await flip(path);
    const { engine, baked } = recorder();
    const notes: string[] = [];
    const proxyBefore = process.env.HTTPS_PROXY;
    process.env.HTTPS_PROXY = await closed();
    try {
      await expect(ensure(engine, root, notes)).rejects.toThrow(/^https:\/\/.*(ECONNREFUSED|fetch failed)/);
      expect(baked.size).toBe(0);
      expect(notes.join("\n")).toMatch(/spoilt/);
      await buildMirror(options);
      await ensure(engine, root, notes);
      expect(baked.get("usr/local/bin/kubelet")).toMatch(/^kubelet 1.36.3/);
      expect(baked.get("usr/local/bin/containerd")).toMatch(/^containerd/);
    } finally {
      if (proxyBefore === undefined) delete process.env.HTTPS_PROXY;
      else process.env.HTTPS_PROXY = proxyBefore;
    }
  });
});
