// The commands from word to exit code; the real program on a real mirror is in test/e2e/mirror.test.ts.
import { readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { Io } from "../../../../provider/cli/command.js";
import { commands } from "../../../../provider/cli/commands.js";
import { main } from "../../../../provider/cli/main.js";
import { buildMirror } from "../../../../provider/mirror/build.js";
import { openWorld } from "../../../support/open-world.js";
import { atEnd, never, put, scratch, upstream, version } from "../mirror/fixture.js";

// mirrors are servers
openWorld("sockets");
// hundreds of small files a mirror: a busy computer takes seconds for them
vi.setConfig({ testTimeout: 60_000 });

async function call(...argv: readonly string[]) {
  const out: string[] = [];
  const said: string[] = [];
  const io: Io = {
    out: (text) => out.push(text),
    say: (line) => said.push(line),
    env: {},
    cwd: "/",
    signal: new AbortController().signal,
    terminal: false,
  };
  return { code: await main(commands, argv, io, "1"), out: out.join(""), said: said.join("\n") };
}

async function filled(): Promise<string> {
  const source = await upstream();
  const root = await scratch();
  const options = { versions: [version()], source: "upstream", arch: "amd64", root, upstreamBase: source.url } as const;
  return (await buildMirror({ ...options, log: () => {}, signal: never() })).folder;
}

describe("mirror verify", () => {
  it("is content with a whole mirror, and fails with the names of what is spoilt or missing in another", async () => {
    const folder = await filled();
    expect(await call("mirror", "verify", "--folder", folder)).toMatchObject({
      code: 0,
      out: "",
      said: expect.stringMatching(/ 12 files, 8 images, \d+ layers and manifests, 0 faults$/),
    });
    const kubectl = "dl.k8s.io/v1.36.3/bin/linux/amd64/kubectl";
    await put(join(folder, kubectl), (await readFile(join(folder, kubectl), "utf8")).replace("k", "K"));
    await rm(join(folder, "v2/pause/manifests/3.10.2"));
    const { code, out, said } = await call("mirror", "verify", "--folder", folder);
    expect(code).toBe(1);
    expect(out).toMatch(
      new RegExp(`^${kubectl}: is spoilt: its sha256 is not [0-9a-f]{64}\nregistry.k8s.io/pause:3.10.2: its tag "3.10.2" is missing\n$`),
    );
    expect(said).toMatch(/2 faults\nhonest-paas mirror build makes what is broken anew$/);
  });
});

describe("problems that were foreseen", () => {
  it("are shown without a stack: a port that is taken, a mirror of another release", async () => {
    const taken = createServer();
    await new Promise<void>((done) => taken.listen(0, "127.0.0.1", done));
    atEnd(() => new Promise((done) => taken.close(done)));
    const { port } = taken.address() as AddressInfo;
    const folder = await scratch();
    expect(await call("mirror", "serve", "--folder", folder, "--port", String(port))).toEqual({
      code: 1,
      out: "",
      said: `error: 127.0.0.1:${port} is in use by another program; choose another port`,
    });
    await put(join(folder, "mirror.json"), '{"schema": 9, "files": {}, "images": {}}');
    expect(await call("mirror", "verify", "--folder", folder)).toEqual({
      code: 1,
      out: "",
      said: `error: ${folder}/mirror.json was written by another release of honest-paas (schema 9); build into an empty folder`,
    });
  });
});
