import { chmod, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { type BuildOptions, buildMirror, hostArchitecture, mirroredBinary, type Progress } from "../../../../provider/mirror/build.js";
import { readContents } from "../../../../provider/mirror/contents.js";
import { itemsOf } from "../../../../provider/mirror/plan.js";
import { verifyMirror } from "../../../../provider/mirror/verify.js";
import { openWorld } from "../../../support/open-world.js";
import { atEnd, closed, never, put, scratch, upstream, version } from "./fixture.js";

// upstream is a server
openWorld("sockets");
// hundreds of small files a mirror: a busy computer takes seconds for them
vi.setConfig({ testTimeout: 60_000 });

const kubelet = "dl.k8s.io/v1.36.3/bin/linux/amd64/kubelet";
const other = hostArchitecture() === "amd64" ? "arm64" : "amd64";

async function setup(url: string) {
  const root = await scratch();
  const seen: Progress[] = [];
  const options: BuildOptions = {
    versions: [version()],
    source: "upstream",
    arch: "amd64",
    root,
    upstreamBase: url,
    log: (progress) => seen.push(progress),
    signal: never(),
  };
  return { root, seen, options, folder: join(root, "mirror"), notes: () => seen.flatMap((p) => p.note ?? []) };
}
const faults = async (folder: string) => (await verifyMirror({ folder, signal: never() })).faults;

describe("buildMirror from upstream", () => {
  it("fills files and images of both architectures; a second run asks for nothing", async () => {
    const source = await upstream(version(), ["amd64", "arm64"]);
    const { options, folder, seen } = await setup(source.url);
    const built = await buildMirror(options);
    expect(built.images.get("1.36.3")).toHaveLength(8);
    await buildMirror({ ...options, arch: "arm64" });
    expect(await faults(folder)).toEqual([]);
    const total = itemsOf(version(), "amd64").length;
    expect(seen.at(-1)).toMatchObject({ stage: "images", done: total, total });
    expect(await readFile(join(folder, `${kubelet}.sha256`), "utf8")).toMatch(/^[0-9a-f]{64}\n$/);
    const asked = source.requests.length;
    await buildMirror({ ...options, thorough: true });
    await buildMirror({ ...options, source: "auto" });
    expect(source.requests).toHaveLength(asked);
  });

  it("gives programs that can be run", async () => {
    const source = await upstream(version(), [hostArchitecture()]);
    const { options, folder } = await setup(source.url);
    await buildMirror({ ...options, arch: hostArchitecture() });
    const kubectl = await mirroredBinary(version(), "kubectl", folder);
    expect((await stat(kubectl ?? "")).mode & 0o111).toBe(0o111);
    expect(await mirroredBinary(version(), "etcd", folder)).toBeUndefined();
    expect(await mirroredBinary(version("1.37.2"), "kubectl", folder)).toBeUndefined();
  });

  it("goes on where it was stopped", async () => {
    const source = await upstream();
    const { options, folder } = await setup(source.url);
    const stop = new AbortController();
    const log = (p: Progress): void => {
      if (p.done === 9) stop.abort();
    };
    await expect(buildMirror({ ...options, log, signal: stop.signal })).rejects.toMatchObject({ name: "AbortError" });
    expect(Object.keys((await readContents(folder)).files).length).toBeGreaterThan(5);
    const before = source.requests.filter((line) => line.includes("kubelet")).length;
    await buildMirror(options);
    expect(source.requests.filter((line) => line.includes("kubelet"))).toHaveLength(before);
    expect(await faults(folder)).toEqual([]);
  });

  it("mends what is missing at once, and what is spoilt when it reads everything", async () => {
    const source = await upstream();
    const { options, folder } = await setup(source.url);
    await buildMirror(options);
    await rm(join(folder, kubelet));
    await rm(join(folder, "v2/pause/manifests/3.10.2"));
    expect(await faults(folder)).toHaveLength(2);
    await buildMirror(options);
    expect(await faults(folder)).toEqual([]);
    const blobs = join(folder, "v2/kube-proxy/blobs");
    for (const path of [join(folder, kubelet), ...(await readdir(blobs)).map((name) => join(blobs, name))]) {
      const bytes = await readFile(path);
      bytes[0] = (bytes[0] ?? 0) ^ 1;
      await put(path, bytes);
    }
    expect((await faults(folder)).map((f) => f.problem.replace(/:.*/, ""))).toEqual(["is spoilt", "is spoilt", "is spoilt"]);
    await buildMirror({ ...options, thorough: true });
    expect(await faults(folder)).toEqual([]);
  });

  it("two at once share the work", async () => {
    const source = await upstream();
    const { options, folder, notes } = await setup(source.url);
    await Promise.all([buildMirror(options), buildMirror(options)]);
    expect(notes()).toEqual(["another process builds this mirror; waiting for it"]);
    expect(source.requests.filter((line) => line === `GET /${kubelet} 200`)).toHaveLength(1);
    expect(await faults(folder)).toEqual([]);
  });

  it("fills a folder elsewhere that can be served without the cache", async () => {
    const source = await upstream();
    const { options, root } = await setup(source.url);
    const folder = await scratch();
    expect((await buildMirror({ ...options, folder })).folder).toBe(folder);
    await rm(root, { recursive: true });
    expect(await faults(folder)).toEqual([]);
    expect((await readdir(folder)).sort()).toEqual(["dl.k8s.io", "github.com", "mirror.json", "v2"]);
  });

  it("fails when a file is not what its checksum says, and names it", async () => {
    const source = await upstream();
    const { options, folder } = await setup(source.url);
    await put(join(source.folder, kubelet), "something else");
    await expect(buildMirror(options)).rejects.toThrow(/kubelet: sha256 is .* published is .*thrown away/);
    expect(await readdir(join(folder, kubelet, ".."))).not.toContain("kubelet");
  });

  it("fails when a checksum is not published for a file", async () => {
    const source = await upstream();
    const { options } = await setup(source.url);
    await put(join(source.folder, `${kubelet}.sha256`), "<html>sorry</html>");
    await expect(buildMirror(options)).rejects.toThrow(/kubelet.sha256 names no checksum/);
  });

  it.skipIf(process.getuid?.() === 0)("says when the folder cannot be written", async () => {
    const source = await upstream();
    const { options } = await setup(source.url);
    const folder = await scratch();
    await chmod(folder, 0o500);
    atEnd(() => chmod(folder, 0o700));
    await expect(buildMirror({ ...options, folder })).rejects.toThrow(/EACCES/);
  });
});

describe("buildMirror auto", () => {
  it("says once a host why upstream cannot be used, and why it cannot build either", async () => {
    const { options, notes } = await setup(await closed());
    const work = buildMirror({ ...options, source: "auto", arch: other });
    await expect(work).rejects.toThrow(
      new RegExp(`upstream cannot be used .*ECONNREFUSED.*, and ${other} cannot be built on this computer`),
    );
    expect(notes()).toHaveLength(1);
    expect(notes()[0]).toMatch(/^upstream cannot be used \(http:.*ECONNREFUSED.*\); building from Go modules instead$/);
  });

  it("goes on asking a host that answers and lacks one thing", async () => {
    const source = await upstream();
    const { options, notes, folder } = await setup(source.url);
    await rm(join(source.folder, kubelet));
    await expect(buildMirror({ ...options, source: "auto", arch: "amd64" }).finally(() => {})).rejects.toThrow();
    expect(notes()[0]).toMatch(/kubelet: HTTP 404/);
    expect(Object.keys((await readContents(folder)).images)).toHaveLength(8);
  });

  it("asks for its tools only when it has to build, and names those that are still missing", async () => {
    const source = await upstream(version(), [hostArchitecture()]);
    const { options, folder } = await setup(source.url);
    let asked = 0;
    const prepare = async (): Promise<void> => {
      asked += 1;
    };
    const path = process.env.PATH;
    try {
      process.env.PATH = "/nowhere";
      await buildMirror({ ...options, source: "auto", arch: hostArchitecture(), prepare });
      expect(asked).toBe(0);
      await rm(join(folder, kubelet.replace("amd64", hostArchitecture())));
      const work = buildMirror({ ...options, source: "gomod", arch: hostArchitecture(), prepare });
      await expect(work).rejects.toThrow(/^--source gomod was asked for, and building from Go modules needs go, gcc, pkg-config, /);
      expect(asked).toBe(1);
    } finally {
      process.env.PATH = path;
    }
  });

  it("upstream alone fails instead of building", async () => {
    const { options, notes } = await setup(await closed());
    await expect(buildMirror(options)).rejects.toThrow(/ECONNREFUSED/);
    expect(notes()).toEqual([]);
  });
});
