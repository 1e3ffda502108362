import { afterEach, describe, expect, it } from "vitest";
import { createCore } from "../../../../provider/engine/core.js";
import { createDisk, deleteDisk, mustFindDisks } from "../../../../provider/engine/disk.js";
import { parseHost } from "../../../../provider/engine/host.js";
import { packTar } from "../../../../provider/engine/tar.js";
import { type FakeRequest, type FakeTable, fakeDocker, message } from "../../../support/fake-docker.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0)) await thing.close();
});
const engine = async (table: FakeTable) => {
  const fake = await fakeDocker({
    "GET /volumes/*": message(404, "no such volume"),
    "DELETE /volumes/*": { status: 204 },
    "GET /images/json": { json: [] },
    ...table,
  });
  const core = createCore(parseHost(fake.host, {}));
  open.push(core, fake);
  return { fake, core };
};
const spec = { cluster: "demo", name: "etcd-a", sizeGib: 2, zone: "z1" };
const labels = (change: object = {}) => ({
  "honest-paas.dev/owner": "honest-paas",
  "honest-paas.dev/cluster": "demo",
  "honest-paas.dev/kind": "disk",
  "honest-paas.dev/id": "disk-aa",
  "honest-paas.dev/name": "etcd-a",
  "honest-paas.dev/size-gib": "2",
  "honest-paas.dev/zone": "z1",
  ...change,
});
const volume = (change: object = {}) => ({ Name: "demo.disk.etcd-a", Labels: labels(change) });
const echo = (request: FakeRequest) => ({ json: request.json<object>() });

describe("createDisk", () => {
  it("makes a labelled volume", async () => {
    const { core } = await engine({ "POST /volumes/create": echo });
    const disk = await createDisk(core, spec);
    expect(disk).toMatchObject({ ...spec, volume: "demo.disk.etcd-a" });
    expect(disk.id).toMatch(/^disk-[0-9a-f]{10}$/);
  });

  it("takes up the one of a killed run, with its id", async () => {
    const { core } = await engine({ "POST /volumes/create": { json: volume() } });
    expect((await createDisk(core, spec)).id).toBe("disk-aa");
  });

  it.each([
    ["it is somebody else's", { json: { Name: "demo.disk.etcd-a", Labels: null } }, /belongs to somebody else/],
    ["it is another cluster's", { json: volume({ "honest-paas.dev/cluster": "other" }) }, /disk of the cluster "other"/],
    ["its size differs", { json: volume({ "honest-paas.dev/size-gib": "5" }) }, /has 5 GiB in zone z1; wanted are 2 GiB/],
  ])("fails when %s, and removes nothing", async (_, answer, words) => {
    const { fake, core } = await engine({ "POST /volumes/create": answer });
    await expect(createDisk(core, spec)).rejects.toThrow(words);
    expect(fake.calls().some((c) => c.startsWith("DELETE"))).toBe(false);
  });

  it("fails when a state owns it, and says how to take it over", async () => {
    const { core } = await engine({
      "POST /volumes/create": { json: volume() },
      "GET /volumes/demo.claimed.demo.disk.etcd-a": { json: {} },
    });
    await expect(createDisk(core, spec)).rejects.toMatchObject({ fix: expect.stringContaining("terraform import ADDRESS demo/etcd-a") });
  });
});

describe("deleteDisk", () => {
  const row = { Id: "c1", Labels: { "honest-paas.dev/id": "i-1", "honest-paas.dev/name": "demo-cp-a" } };
  const record = async (ids: string[]) => ({
    bytes: await packTar([{ path: "/disks.json", content: JSON.stringify(ids.map((id) => ({ id, major: 7, minor: 0 }))) }]),
  });

  it("is done when it is gone", async () => {
    const { core } = await engine({ "GET /volumes": { json: { Volumes: null } } });
    await deleteDisk(core, "demo", "disk-aa");
  });

  it("fails when a machine has it, a stopped one too", async () => {
    const { fake, core } = await engine({
      "GET /volumes": { json: { Volumes: [volume()] } },
      "GET /containers/json": { json: [row] },
      "GET /containers/c1/archive": await record(["disk-aa"]),
    });
    await expect(deleteDisk(core, "demo", "disk-aa")).rejects.toThrow(/is attached.*"demo-cp-a" holds/);
    expect(fake.calls().some((c) => c.startsWith("DELETE"))).toBe(false);
  });

  it("removes volume and mark when no machine has it", async () => {
    const { fake, core } = await engine({
      "GET /volumes": { json: { Volumes: [volume()] } },
      "GET /containers/json": { json: [row] },
      "GET /containers/c1/archive": await record(["disk-bb"]),
    });
    await deleteDisk(core, "demo", "disk-aa");
    expect(fake.calls().filter((c) => c.startsWith("DELETE"))).toEqual([
      "DELETE /volumes/demo.claimed.demo.disk.etcd-a",
      "DELETE /volumes/demo.disk.etcd-a",
    ]);
  });

  it("fails when a container uses the volume", async () => {
    const { core } = await engine({
      "GET /volumes": { json: { Volumes: [volume()] } },
      "GET /containers/json": { json: [] },
      "DELETE /volumes/*": message(409, "volume is in use - [abc]"),
    });
    await expect(deleteDisk(core, "demo", "disk-aa")).rejects.toThrow(/in use/);
  });
});

it("fails when a wanted disk does not exist", async () => {
  const { core } = await engine({ "GET /volumes": { json: { Volumes: null } } });
  await expect(mustFindDisks(core, "demo", ["disk-aa"])).rejects.toThrow(/"disk-aa" does not exist/);
});
