import { describe, expect, it } from "vitest";
import { honestLocalDisk as disk } from "../../../../provider/resources/honest-local-disk.js";
import { fakeDocker, message } from "../../../support/fake-docker.js";
import { contextOf, planOf, problems, stateOf } from "../../../support/local-resource.js";

const config = { cluster: "demo", name: "etcd-a", size_gib: 8, zone: "z1" };
const state = stateOf(disk, config, { id: "disk-aa", device_id: "/dev/disk/by-id/honest-disk-aa" });
const labels = {
  "honest-paas.dev/owner": "honest-paas",
  "honest-paas.dev/cluster": "demo",
  "honest-paas.dev/kind": "disk",
  "honest-paas.dev/id": "disk-aa",
  "honest-paas.dev/name": "etcd-a",
  "honest-paas.dev/size-gib": "8",
  "honest-paas.dev/zone": "z1",
};
const volume = { Name: "demo.disk.etcd-a", Labels: labels };

describe("validate", () => {
  it("takes a good one", async () => expect(await problems(disk, config)).toEqual([]));
  it.each([
    [{ size_gib: 0 }, "Bad value of size_gib"],
    [{ size_gib: 1.5 }, "Bad value of size_gib"],
    [{ name: "-x" }, "Bad value of name"],
  ])("fails when %j", async (change, title) => expect(await problems(disk, { ...config, ...change })).toEqual([title]));
});

it("is replaced for another size or zone, and otherwise unchanged", async () => {
  expect((await planOf(disk, config, state)).planned).toEqual(state);
  expect((await planOf(disk, { ...config, size_gib: 9 }, state)).replace).toEqual(["size_gib"]);
  expect((await planOf(disk, { ...config, zone: "z2" }, state)).replace).toEqual(["zone"]);
});

describe("with an engine", () => {
  it("gives id and link, reads them back, and reads null when it is gone", async () => {
    let there = true;
    const fake = await fakeDocker({
      "POST /volumes/create": { json: volume },
      "GET /volumes/*": message(404, "no"),
      "GET /volumes": () => ({ json: { Volumes: there ? [volume] : null } }),
    });
    const context = contextOf(fake.host);
    const { state: made } = await disk.create({ prior: null, planned: stateOf(disk, config, {}), config, private: {} }, context);
    expect(made).toEqual(state);
    expect((await disk.read({ state, private: {} }, context)).state).toEqual(state);
    there = false;
    expect((await disk.read({ state, private: {} }, context)).state).toBeNull();
    await fake.close();
  });

  it("is imported by cluster and name", async () => {
    const fake = await fakeDocker({ "GET /volumes/demo.disk.etcd-a": { json: volume }, "GET /volumes/*": message(404, "no") });
    expect((await disk.importState?.("demo/etcd-a", contextOf(fake.host)))?.state).toEqual(state);
    expect(await disk.importState?.("demo/other", contextOf(fake.host))).toMatchObject({
      state: null,
      diagnostics: [{ summary: "There is no such disk", detail: expect.stringContaining("CLUSTER/NAME") }],
    });
    await fake.close();
  });

  it("keeps the state when the engine answers with an error", async () => {
    const fake = await fakeDocker({ "GET /volumes": message(500, "the daemon is confused") });
    expect(await disk.read({ state, private: {} }, contextOf(fake.host))).toMatchObject({
      state,
      diagnostics: [{ severity: "error", detail: expect.stringContaining("the daemon is confused") }],
    });
    await fake.close();
  });
});
