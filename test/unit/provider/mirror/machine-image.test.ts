import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { extract } from "tar-stream";
import { describe, expect, it, vi } from "vitest";
import { bakeScript } from "../../../../provider/mirror/bake-script.js";
import { buildMirror, hostArchitecture } from "../../../../provider/mirror/build.js";
import {
  type BakeRequest,
  ensureMachineImage,
  type ImageEngine,
  machineImageTag,
  recipeLabel,
  versionOfTag,
} from "../../../../provider/mirror/machine-image.js";
import { openWorld } from "../../../support/open-world.js";
import { never, scratch, upstream, version } from "./fixture.js";

// upstream is a server
openWorld("sockets");
// hundreds of small files a mirror: a busy computer takes seconds for them
vi.setConfig({ testTimeout: 60_000 });

const tag = machineImageTag("1.36.3");

/** An engine that has Debian already, and remembers what it is asked. */
function engineWith(images: Record<string, Record<string, string>> = {}, bake: (request: BakeRequest) => Promise<void> = async () => {}) {
  const calls: string[] = [];
  const engine: ImageEngine = {
    imageExists: async (name) => name in images || name.startsWith("honest-paas/base:"),
    imageLabels: async (name) => images[name] ?? null,
    importImage: async (_, name) => void calls.push(`import ${name}`),
    bakeImage: async (request) => {
      calls.push(`bake ${request.tag}`);
      await bake(request);
      const labels = request.changes.map((change) => /^LABEL (.*)=(.*)$/.exec(change) ?? []).filter(([all]) => all);
      images[request.tag] = Object.fromEntries(labels.map(([, name = "", value = ""]) => [name, value]));
    },
  };
  return { engine, images, calls };
}

async function filled() {
  const root = await scratch();
  const source = await upstream(version(), [hostArchitecture()]);
  await buildMirror({ versions: [version()], source: "upstream", root, upstreamBase: source.url, log: () => {}, signal: never() });
  return root;
}

const ensure = (engine: ImageEngine, root: string, notes: string[] = []): Promise<void> =>
  ensureMachineImage({ engine, tag, root, log: (p) => p.note && notes.push(p.note), signal: never() });

describe("ensureMachineImage", () => {
  it("bakes once, with binaries, files and images; then finds it", async () => {
    const root = await filled();
    const entries = new Map<string, string>();
    const { engine, calls } = engineWith({}, async (request) => {
      const tar = extract();
      tar.on("entry", (header, body, next) => {
        text(body).then((content) => {
          entries.set(`${(header.mode ?? 0).toString(8)} ${header.name}`, content);
          next();
        }, next);
      });
      await pipeline(request.files(), tar);
    });
    await ensure(engine, root);
    await ensure(engine, root);
    expect(calls).toEqual([`bake ${tag}`]);
    expect(entries.get("755 usr/local/bin/kubelet")).toMatch(/^kubelet 1.36.3/);
    expect(entries.get("755 usr/local/bin/etcdutl")).toMatch(/^etcdutl/);
    expect(entries.get("755 opt/cni/bin/host-local")).toMatch(/^host-local/);
    expect(entries.has("755 usr/local/bin/kube-apiserver")).toBe(false);
    expect(JSON.parse(entries.get("644 etc/honest-paas/image.json") ?? "")).toEqual(version());
    expect(entries.has("644 bake-input/images.tar")).toBe(true);
    expect(entries.get("755 bake-input/bake.sh")).toBe(bakeScript);
    expect(await readdir(join(root, "bake"))).toEqual([]);
  });

  it("makes an image of another recipe again and says so, and keeps one whose engine cannot tell", async () => {
    const root = await filled();
    const old = engineWith({ [tag]: { [recipeLabel]: "older" } });
    const notes: string[] = [];
    await ensure(old.engine, root, notes);
    expect(old.calls).toEqual([`bake ${tag}`]);
    expect(notes[0]).toMatch(/was made by another release of honest-paas/);
    const { imageLabels, ...mute } = engineWith({ [tag]: {} }).engine;
    expect(imageLabels).toBeDefined();
    await ensure(mute, await scratch());
  });

  it("two at once bake once", async () => {
    const root = await filled();
    const { engine, calls } = engineWith();
    const notes: string[] = [];
    await Promise.all([ensure(engine, root, notes), ensure(engine, root, notes)]);
    expect(calls).toEqual([`bake ${tag}`]);
    expect(notes).toContain("another process builds images; waiting for it");
  });

  it("fails when baking fails, leaves no work behind, and works the next time", async () => {
    const root = await filled();
    let broken = true;
    const { engine, calls } = engineWith({}, async () => {
      if (broken) throw new Error("its container ended with code 1: no space left on device");
    });
    await expect(ensure(engine, root)).rejects.toThrow("no space left on device");
    expect(await readdir(join(root, "bake"))).toEqual([]);
    broken = false;
    await ensure(engine, root);
    expect(calls).toHaveLength(2);
  });

  it("has the engine build Debian where mmdebstrap is missing", async () => {
    const root = await filled();
    const path = process.env.PATH;
    const { engine } = engineWith();
    const built: string[] = [];
    const bare: ImageEngine = {
      ...engine,
      imageExists: async () => false,
      buildImage: async (context, name, { network }) => {
        built.push(name, network, await text(context));
      },
    };
    try {
      process.env.PATH = "/nowhere";
      await ensure(bare, root);
    } finally {
      process.env.PATH = path;
    }
    expect(built.slice(0, 2)).toEqual([expect.stringMatching(/^honest-paas\/base:[0-9a-f]{12}$/), "default"]);
    expect(built[2]).toMatch(/FROM debian:bookworm-slim\n/);
    expect(built[2]).toMatch(/cloud-init .*haproxy/);
  });

  it("has mmdebstrap installed where the engine cannot build Debian either, and fails with the name of what is missing", async () => {
    const root = await filled();
    const path = process.env.PATH;
    const { engine } = engineWith();
    const bare: ImageEngine = { ...engine, imageExists: async () => false, buildImage: () => Promise.reject(new Error("no registry")) };
    const notes: string[] = [];
    const asked: string[] = [];
    const log = (p: { note?: string }) => p.note && notes.push(p.note);
    const prepare = async (): Promise<void> => void asked.push("prepare");
    try {
      process.env.PATH = "/nowhere";
      await expect(ensureMachineImage({ engine: bare, tag, root, prepare, log, signal: never() })).rejects.toThrow(
        /needs mmdebstrap, missing/,
      );
      await expect(ensure(bare, root)).rejects.toThrow("no registry");
    } finally {
      process.env.PATH = path;
    }
    expect(asked).toEqual(["prepare"]);
    expect(notes).toContain("the engine cannot (no registry)");
  });

  it("fails for a version that is not in the table, unless the engine has the image", async () => {
    const { engine } = engineWith({ "mine:1": {} });
    const base = { engine, root: await scratch(), log: () => {}, signal: never() };
    await expect(ensureMachineImage({ ...base, tag: machineImageTag("1.20.0") })).rejects.toThrow(
      /no recipe for the image honest-paas\/machine:1.20.0: images are built for Kubernetes 1\.35/,
    );
    await ensureMachineImage({ ...base, tag: "mine:1" });
  });
});

it.each([
  ["honest-paas/machine:1.36.3", "1.36.3"],
  ["honest-paas/machine:1.36", undefined],
  ["other/machine:1.36.3", undefined],
  ["honest-paas/machine:1.36.3-x", undefined],
])("versionOfTag(%s)", (name, expected) => expect(versionOfTag(name)).toBe(expected));
