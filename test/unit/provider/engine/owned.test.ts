import { afterEach, describe, expect, it } from "vitest";
import { createCore } from "../../../../provider/engine/core.js";
import { parseHost } from "../../../../provider/engine/host.js";
import { listOwned, ownedClusters, removeOwned } from "../../../../provider/engine/owned.js";
import { type FakeTable, fakeDocker, message } from "../../../support/fake-docker.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0)) await thing.close();
});
const labels = (kind: string, name: string) => ({
  "honest-paas.dev/cluster": "demo",
  "honest-paas.dev/kind": kind,
  "honest-paas.dev/name": name,
});
const engine = async (table: FakeTable = {}) => {
  const fake = await fakeDocker({
    "GET /images/json": { json: [] },
    "GET /containers/json": { json: [{ Id: "c1", Names: ["/demo-cp-a"], Labels: labels("machine", "demo-cp-a") }] },
    "GET /volumes": { json: { Volumes: [{ Name: "demo.disk.etcd-a", Labels: labels("disk", "etcd-a") }] } },
    "GET /networks": { json: [{ Id: "n1", Name: "demo-net", Labels: labels("network", "net") }] },
    "GET /networks/n1": { json: { Containers: { foreign: {} } } },
    "POST /networks/n1/disconnect": { status: 200 },
    "DELETE /containers/*": { status: 204 },
    "DELETE /volumes/*": { status: 204 },
    "DELETE /networks/*": { status: 204 },
    ...table,
  });
  const core = createCore(parseHost(fake.host, {}));
  open.push(core, fake);
  return { fake, core };
};

it("lists what the engine holds of a cluster", async () => {
  const { fake, core } = await engine();
  expect((await listOwned(core, "demo")).map((o) => `${o.type} ${o.name} (${o.kind})`)).toEqual([
    "container demo-cp-a (machine)",
    "volume demo.disk.etcd-a (disk)",
    "network demo-net (network)",
  ]);
  const filters = fake.seen.find((r) => r.path === "/volumes")?.query.get("filters");
  expect(filters).toContain("honest-paas.dev/owner=honest-paas");
  expect(filters).toContain("honest-paas.dev/cluster=demo");
});

describe("removeOwned", () => {
  it("removes containers first, networks last, and only lets a stranger go from the network", async () => {
    const { fake, core } = await engine();
    await removeOwned(core, "demo");
    expect(fake.calls().filter((c) => !c.startsWith("GET"))).toEqual([
      "DELETE /containers/c1",
      "DELETE /volumes/demo.disk.etcd-a",
      "POST /networks/n1/disconnect",
      "DELETE /networks/n1",
    ]);
  });

  it("is done when everything is gone meanwhile", async () => {
    const gone = message(404, "gone");
    const { core } = await engine({
      "DELETE /containers/*": gone,
      "DELETE /volumes/*": gone,
      "DELETE /networks/*": gone,
      "GET /networks/n1": gone,
    });
    expect(await removeOwned(core, "demo")).toHaveLength(3);
  });
});

it("names the clusters that have anything", async () => {
  const { core } = await engine();
  expect(await ownedClusters(core)).toEqual(["demo"]);
});
