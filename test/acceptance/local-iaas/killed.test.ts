// A provider that dies at any call to the engine: the next run takes up what is there and ends with one whole machine.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readMachineFile } from "../../../provider/engine/archive.js";
import { createBalancer } from "../../../provider/engine/balancer.js";
import { createCore } from "../../../provider/engine/core.js";
import { createDisk, deleteDisk } from "../../../provider/engine/disk.js";
import { EngineError } from "../../../provider/engine/error.js";
import { parseHost } from "../../../provider/engine/host.js";
import { createMachine } from "../../../provider/engine/machine-create.js";
import { deleteMachine } from "../../../provider/engine/machine-delete.js";
import { readMachine } from "../../../provider/engine/machine-read.js";
import { createNetwork } from "../../../provider/engine/network.js";
import { type DyingProxy, dyingProxy } from "../../support/dying-proxy.js";
import { type Lab, noEngine, openLab } from "./fixture.js";

const reason = await noEngine();

describe.skipIf(reason !== null)(`killed at any call${reason ? ` (skipped: ${reason})` : ""}`, () => {
  let lab: Lab;
  let proxy: DyingProxy;
  beforeAll(async () => {
    lab = await openLab(4);
    proxy = await dyingProxy(lab.engine.host.replace("unix://", ""));
  });
  afterAll(async () => {
    await proxy?.close();
    await lab?.close();
  });

  /** Runs it with 0, 1, 2, … requests let through until it is done; gives how many times it died. */
  async function untilDone<T>(work: (core: ReturnType<typeof createCore>) => Promise<T>): Promise<{ result: T; deaths: number }> {
    for (let calls = 0; calls < 200; calls++) {
      const core = createCore(parseHost(proxy.host, {}));
      proxy.allow(calls);
      try {
        return { result: await work(core), deaths: calls };
      } catch (cause) {
        if (!(cause instanceof EngineError) || cause.kind !== "unreachable") throw cause;
      } finally {
        await core.close();
      }
    }
    throw new Error("never done");
  }

  it("machine and disk", async () => {
    const network = await createNetwork(lab.engine, {
      cluster: lab.cluster,
      name: "net",
      cidr: "10.212.4.0/24",
      internal: true,
      mtu: null,
    });
    const disk = await untilDone((core) => createDisk(core, { cluster: lab.cluster, name: "etcd", sizeGib: 1, zone: null }));
    const spec = {
      cluster: lab.cluster,
      name: `${lab.cluster}-cp-a`,
      networkId: network.id,
      address: "10.212.4.11",
      zone: null,
      image: lab.image,
      shape: { cpus: 1, memoryMib: 512 },
      userData: Buffer.from("#cloud-config\nlocale: false\n"),
      hostname: null,
      diskIds: [disk.result.id],
      nameFor: (id: string) => id,
    };
    const { result, deaths } = await untilDone((core) => createMachine(core, spec));
    expect(deaths).toBeGreaterThan(15);
    const owned = await lab.engine.listOwned(lab.cluster);
    expect(owned.filter((o) => o.kind === "machine")).toHaveLength(1);
    expect(owned.filter((o) => o.kind === "machine-data")).toHaveLength(2);
    expect(owned.filter((o) => o.type === "loop device")).toHaveLength(1);
    expect(await readMachine(lab.engine, lab.cluster, result.id)).toMatchObject({
      running: true,
      diskIds: [disk.result.id],
      address: "10.212.4.11",
    });
    expect(await readMachineFile(lab.engine, result.container, "/var/lib/cloud/seed/nocloud/meta-data")).toContain(result.id);
    await untilDone((core) => deleteMachine(core, lab.cluster, result.id));
    await untilDone((core) => deleteDisk(core, lab.cluster, disk.result.id));
    const left = (await lab.engine.listOwned(lab.cluster)).filter((o) => o.kind !== "helper");
    expect(left.map((o) => `${o.type} ${o.kind}`)).toEqual(["network network"]);
  });

  it("balancer", async () => {
    const network = await createNetwork(lab.engine, {
      cluster: lab.cluster,
      name: "net",
      cidr: "10.212.4.0/24",
      internal: true,
      mtu: null,
    });
    const spec = {
      cluster: lab.cluster,
      name: "api",
      networkId: network.id,
      address: "10.212.4.10",
      image: lab.image,
      port: 6443,
      backends: { a: "10.212.4.11:6443" },
      publishedPort: null,
      publishedAddress: "127.0.0.1",
    };
    let n = 0;
    const { result } = await untilDone((core) => createBalancer(core, spec, `lb-${n++}`));
    expect(result.running).toBe(true);
    expect((await lab.engine.listOwned(lab.cluster)).filter((o) => o.kind === "balancer")).toHaveLength(1);
  });
});
