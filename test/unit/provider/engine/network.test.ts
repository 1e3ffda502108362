import { afterEach, describe, expect, it } from "vitest";
import { createCore } from "../../../../provider/engine/core.js";
import { parseHost } from "../../../../provider/engine/host.js";
import { claimNetwork, createNetwork, deleteNetwork } from "../../../../provider/engine/network.js";
import { type FakeTable, fakeDocker, message } from "../../../support/fake-docker.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0)) await thing.close();
});
const engine = async (table: FakeTable) => {
  const fake = await fakeDocker({
    "GET /volumes/*": message(404, "no such volume"),
    "DELETE /volumes/*": message(404, "no such volume"),
    "GET /volumes": { json: { Volumes: null } },
    "GET /containers/json": { json: [] },
    "GET /networks": { json: [] },
    // no image of ours: then no device was ever made there
    "GET /images/json": { json: [] },
    ...table,
  });
  const core = createCore(parseHost(fake.host, {}));
  open.push(core, fake);
  return { fake, core };
};
const spec = { cluster: "demo", name: "net", cidr: "203.0.113.0/24", internal: true, mtu: 1400 };
const network = (change: object = {}) => ({
  Id: "n1",
  Name: "demo-net",
  Options: { "com.docker.network.bridge.enable_ip_masquerade": "false" },
  IPAM: { Config: [{ Subnet: "203.0.113.0/24", Gateway: "203.0.113.1" }] },
  Labels: {},
  Containers: {},
  ...change,
});

describe("createNetwork", () => {
  it("asks for what the spec says, with our labels", async () => {
    const { fake, core } = await engine({
      "GET /networks": { json: [] },
      "POST /networks/create": { json: { Id: "n1" } },
      "GET /networks/n1": { json: network() },
    });
    expect(await createNetwork(core, spec)).toEqual({
      id: "n1",
      engineName: "demo-net",
      cidr: "203.0.113.0/24",
      gateway: "203.0.113.1",
      internal: true,
    });
    expect(fake.seen.find((r) => r.path === "/networks/create")?.json()).toMatchObject({
      Name: "demo-net",
      IPAM: { Config: [{ Subnet: "203.0.113.0/24", Gateway: "203.0.113.1" }] },
      Options: { "com.docker.network.driver.mtu": "1400", "com.docker.network.bridge.enable_ip_masquerade": "false" },
      Labels: { "honest-paas.dev/owner": "honest-paas", "honest-paas.dev/cluster": "demo", "honest-paas.dev/kind": "network" },
    });
  });

  /** Labels that a create of the spec gives. */
  const ours = async (): Promise<Record<string, string>> => {
    const { fake, core } = await engine({
      "GET /networks": { json: [] },
      "POST /networks/create": { json: { Id: "n1" } },
      "GET /networks/n1": { json: network() },
    });
    await createNetwork(core, spec);
    return fake.seen.find((r) => r.path === "/networks/create")?.json<{ Labels: Record<string, string> }>().Labels ?? {};
  };

  it("takes up what a killed run has made", async () => {
    const { fake, core } = await engine({ "GET /networks": { json: [network({ Labels: await ours() })] } });
    expect((await createNetwork(core, spec)).id).toBe("n1");
    expect(fake.calls()).not.toContain("POST /networks/create");
  });

  it("makes it anew when the killed run wanted another range", async () => {
    const { fake, core } = await engine({
      "GET /networks": { json: [network({ Labels: await ours() })] },
      "DELETE /networks/n1": { status: 204 },
      "POST /networks/create": { json: { Id: "n2" } },
      "GET /networks/n2": { json: network({ Id: "n2" }) },
    });
    expect((await createNetwork(core, { ...spec, cidr: "198.51.100.0/24" })).id).toBe("n2");
    expect(fake.calls()).toContain("DELETE /networks/n1");
  });

  it("fails when a state owns it", async () => {
    const { core } = await engine({
      "GET /networks": { json: [network({ Labels: await ours() })] },
      "GET /volumes/demo.claimed.demo-net": { json: {} },
    });
    await expect(createNetwork(core, spec)).rejects.toThrow(/belongs to another state/);
  });

  it("fails when it is somebody else's, and leaves it alone", async () => {
    const { fake, core } = await engine({ "GET /networks": { json: [network()] } });
    await expect(createNetwork(core, spec)).rejects.toThrow(/belongs to somebody else.*does not carry our labels/);
    expect(fake.calls().every((c) => c.startsWith("GET"))).toBe(true);
  });

  it("fails when the range is taken, and names who has it", async () => {
    const other = network({ Name: "office", IPAM: { Config: [{ Subnet: "203.0.0.0/16" }] } });
    const { core } = await engine({
      "GET /networks": (request) => ({ json: request.query.has("filters") ? [] : [network({ Name: "x", IPAM: { Config: null } }), other] }),
      "POST /networks/create": message(403, "Pool overlaps with other one on this address space"),
    });
    await expect(createNetwork(core, spec)).rejects.toThrow(/203.0.113.0\/24 is taken.*"office" has 203.0.0.0\/16/);
  });
});

describe("claimNetwork", () => {
  it("marks what it finds, and nothing when it is gone", async () => {
    const found = await engine({ "GET /networks/n1": { json: network() }, "POST /volumes/create": { json: {} } });
    expect((await claimNetwork(found.core, "demo", "n1"))?.cidr).toBe("203.0.113.0/24");
    expect(found.fake.calls()).toContain("POST /volumes/create");
    const gone = await engine({ "GET /networks/n1": message(404, "no") });
    expect(await claimNetwork(gone.core, "demo", "n1")).toBeNull();
    expect(gone.fake.calls()).not.toContain("POST /volumes/create");
  });
});

describe("deleteNetwork", () => {
  it("is done when it is gone", async () => {
    const { core } = await engine({ "GET /networks/n1": message(404, "no") });
    await deleteNetwork(core, "demo", "n1");
  });

  it("fails when containers are on it, and names them", async () => {
    const { core } = await engine({
      "GET /networks/n1": { json: network({ Containers: { a: { Name: "stranger" } } }) },
      "DELETE /networks/n1": message(403, "network demo-net has active endpoints"),
    });
    await expect(deleteNetwork(core, "demo", "n1")).rejects.toThrow(/in use.*stranger/);
  });

  it("sweeps the data of machines that vanished, not of those that are there", async () => {
    const volume = (id: string) => ({ Name: `demo.${id}.kubelet`, Labels: { "honest-paas.dev/id": id } });
    const { fake, core } = await engine({
      "GET /networks/n1": { json: network() },
      "DELETE /networks/n1": { status: 204 },
      "GET /containers/json": (request) => ({
        json: request.query.get("filters")?.includes('kind=machine"') ? [{ Id: "c", Labels: { "honest-paas.dev/id": "i-2" } }] : [],
      }),
      "GET /volumes": (request) => ({
        json: { Volumes: request.query.get("filters")?.includes("machine-data") ? [volume("i-1"), volume("i-2")] : null },
      }),
      "DELETE /volumes/*": { status: 204 },
    });
    await deleteNetwork(core, "demo", "n1");
    expect(fake.calls().filter((c) => c.startsWith("DELETE /volumes"))).toEqual([
      "DELETE /volumes/demo.i-1.kubelet",
      "DELETE /volumes/demo.claimed.demo-net",
    ]);
  });
});
