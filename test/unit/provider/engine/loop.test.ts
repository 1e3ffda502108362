import { afterEach, describe, expect, it } from "vitest";
import { createCore } from "../../../../provider/engine/core.js";
import { parseHost } from "../../../../provider/engine/host.js";
import { attachLoops, imageFile, parseLoops } from "../../../../provider/engine/loop.js";
import { fakeDocker, message } from "../../../support/fake-docker.js";

describe("parseLoops", () => {
  const listing = [
    "loop0 /demo.disk-aa.img",
    "loop1 /var/lib/docker/volumes/demo.disk.etcd/_data/demo.disk-bb.img (deleted)",
    "loop2 /var/lib/snapd/snaps/core.snap",
    "loop3 /demo-two.disk-cc.img",
    "loop4 ",
  ].join("\n");
  it("finds a cluster's own devices, whatever stands before the file's name", () => {
    expect(parseLoops(listing, "demo")).toEqual([
      { id: "disk-aa", device: "loop0" },
      { id: "disk-bb", device: "loop1" },
    ]);
  });
  it("does not take a cluster whose name begins alike", () => {
    expect(parseLoops(listing, "demo-two")).toEqual([{ id: "disk-cc", device: "loop3" }]);
    expect(imageFile("demo-two", "disk-cc")).toBe("demo-two.disk-cc.img");
  });
});

describe("attachLoops", () => {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const thing of open.splice(0)) await thing.close();
  });
  const run = async (code: number, text: string) => {
    const body = Buffer.from(text);
    const head = Buffer.alloc(8);
    head[0] = code === 0 ? 1 : 2;
    head.writeUInt32BE(body.length, 4);
    const fake = await fakeDocker({
      "GET /containers/json": { json: [] },
      "POST /containers/create": { json: { Id: "h" } },
      "POST /containers/*/start": { status: 204 },
      "POST /containers/*/wait": { json: { StatusCode: code } },
      "GET /containers/*/logs": { bytes: Buffer.concat([head, body]) },
      "DELETE /containers/*": { status: 204 },
    });
    const core = createCore(parseHost(fake.host, {}));
    open.push(core, fake);
    return { fake, core };
  };
  const disks = [{ id: "disk-aa", volume: "demo.disk.etcd", sizeGib: 3 }];

  it("mounts the disk's volume, asks for its size in bytes, removes the helper", async () => {
    const { fake, core } = await run(0, "disk-aa 7 4\n");
    expect(await attachLoops(core, "demo", "img", disks)).toEqual([{ id: "disk-aa", major: 7, minor: 4 }]);
    const body = fake.seen
      .find((r) => r.path === "/containers/create")
      ?.json<{
        Cmd: string[];
        Labels: Record<string, string>;
        HostConfig: { Binds: string[]; NetworkMode: string };
      }>();
    expect(body?.Cmd).toEqual(["disk-aa", "/disks/disk-aa", "demo.disk-aa.img", String(3 * 2 ** 30)]);
    expect(body?.HostConfig).toMatchObject({ NetworkMode: "none", Binds: ["/dev:/dev", "demo.disk.etcd:/disks/disk-aa"] });
    expect(body?.Labels).toMatchObject({ "honest-paas.dev/kind": "helper", "honest-paas.dev/cluster": "demo" });
    expect(fake.calls().at(-1)).toMatch(/^DELETE \/containers\/demo-helper-/);
  });

  it("fails with the helper's words, and removes it too", async () => {
    const { fake, core } = await run(3, "losetup: no free device");
    await expect(attachLoops(core, "demo", "img", disks)).rejects.toThrow(/loop device: losetup: no free device/);
    expect(fake.calls().at(-1)).toMatch(/^DELETE/);
  });

  it("asks nothing for no disks", async () => {
    const { fake, core } = await run(0, "");
    expect(await attachLoops(core, "demo", "img", [])).toEqual([]);
    expect(fake.calls()).toEqual([]);
  });

  it("removes the helper when the engine fails in the middle", async () => {
    const fake = await fakeDocker({
      "GET /containers/json": { json: [] },
      "POST /containers/create": { json: { Id: "h" } },
      "POST /containers/*/start": message(500, "no more memory"),
      "GET /containers/*/json": { json: { State: { Status: "created" } } },
      "DELETE /containers/*": { status: 204 },
    });
    const core = createCore(parseHost(fake.host, {}));
    open.push(core, fake);
    await expect(attachLoops(core, "demo", "img", disks)).rejects.toThrow(/no more memory/);
    expect(fake.calls().at(-1)).toMatch(/^DELETE/);
  });
});
