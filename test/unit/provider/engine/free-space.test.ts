import { afterEach, describe, expect, it } from "vitest";
import { createCore } from "../../../../provider/engine/core.js";
import { EngineError } from "../../../../provider/engine/error.js";
import { engineFolder, freeAt, isNoSpace, wordBytes, wordNoSpace } from "../../../../provider/engine/free-space.js";
import { parseHost } from "../../../../provider/engine/host.js";
import type { Resource } from "../../../../provider/framework/resource.js";
import { honestLocalDisk } from "../../../../provider/resources/honest-local-disk.js";
import { honestLocalMachine } from "../../../../provider/resources/honest-local-machine.js";
import { honestLocalNetwork } from "../../../../provider/resources/honest-local-network.js";
import { type FakeTable, fakeDocker, message } from "../../../support/fake-docker.js";
import { complete, contextOf } from "../../../support/local-resource.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0)) await thing.close();
});
const engine = async (table: FakeTable) => {
  const fake = await fakeDocker(table);
  const core = createCore(parseHost(fake.host, {}));
  open.push(core, fake);
  return { fake, core };
};

it("free space is that of the nearest folder that exists", async () => {
  expect(await freeAt("/no/such/folder")).toMatchObject({ device: (await freeAt("/")).device });
  expect((await freeAt("/")).bytes).toBeGreaterThan(0);
});

it.each([
  [999, "1.0 kB"],
  [12_345, "12 kB"],
  [820e6, "820 MB"],
  [1.4e9, "1.4 GB"],
  [10e9, "10 GB"],
])("%d bytes are %s", (bytes, words) => expect(wordBytes(bytes)).toBe(words));

it.each([
  [Object.assign(new Error("write"), { code: "ENOSPC" }), true],
  [new Error("go build ended with 1: write /tmp/x: no space left on device"), true],
  [new Error("mkdir: Disk quota exceeded"), true],
  [new Error("no route to host"), false],
  ["ENOSPC", false],
])("%s is no space: %s", (cause, is) => expect(isNoSpace(cause)).toBe(is));

it("an engine's folder that is not on this computer has no known free space", async () => {
  const { core } = await engine({ "GET /info": { json: { DockerRootDir: "/no/such/folder" } } });
  expect(await engineFolder(core)).toEqual({ path: "/no/such/folder", free: null });
  const cause = new EngineError("answer", { what: "The Docker engine refuses", detail: "no space left on device" });
  expect((await wordNoSpace(core, cause, null)).detail).toBe(
    "no space left on device. The engine keeps its data in /no/such/folder of its own host.",
  );
});

describe("a resource on an engine whose disk is full", () => {
  const full = message(500, "write /var/lib/docker/x: no space left on device");
  const machine = {
    cluster: "demo",
    name: "demo-cp-a",
    network_id: "n1",
    address: "10.98.0.11",
    image: "img",
    instance_type: "1x512",
    user_data_base64: "aGVsbG8=",
  };
  const network = { Id: "n1", Name: "demo-net", IPAM: { Config: [{ Subnet: "10.98.0.0/24" }] }, Labels: {} };
  const cases: readonly (readonly [Resource, object, string])[] = [
    [honestLocalDisk, { cluster: "demo", name: "etcd", size_gib: 8 }, "8.6 GB (8589934592 bytes) are wanted"],
    [honestLocalMachine, machine, "500 MB (500000000 bytes) are wanted"],
    [honestLocalNetwork, { cluster: "demo", name: "net", cidr: "203.0.113.0/24" }, ""],
  ];
  it.each(cases)(
    "$name: the error names the folder, what is free there and what is wanted; no state is left",
    async (resource, config, wants) => {
      const { fake } = await engine({
        "GET /info": { json: { DockerRootDir: "/", CgroupVersion: "2" } },
        "GET /images/img/json": { json: {} },
        "GET /networks": { json: [] },
        "GET /networks/n1": { json: network },
        "GET /containers/json": { json: [] },
        "GET /containers/*/json": message(404, "no"),
        "GET /volumes": { json: { Volumes: [] } },
        "GET /volumes/*": message(404, "no"),
        "DELETE /volumes/*": message(404, "no"),
        "POST /volumes/create": full,
        "POST /networks/create": full,
      });
      const planned = complete(resource, config as never);
      const { state, diagnostics } = await resource.create({ prior: null, planned, config: planned, private: {} }, contextOf(fake.host));
      expect(state).toBeNull();
      const [told] = diagnostics ?? [];
      expect(told?.detail).toMatch(/no space left on device\. \/ has [\d.]+ .B free \(\d+ bytes\)/);
      expect(told?.detail).toContain(wants);
      expect(told?.detail).toContain("Free space there (docker system df shows what takes it), then apply again");
    },
  );
});
