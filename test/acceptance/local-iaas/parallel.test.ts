// Many at once, as Terraform does it: addresses, loop devices and disks never collide. On Debian 13, whose systemd and
// cloud-init are the newer ones.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDisk, deleteDisk } from "../../../provider/engine/disk.js";
import { labelsOf, nameLabel } from "../../../provider/engine/labels.js";
import { createMachine, type MachineSpec } from "../../../provider/engine/machine-create.js";
import { deleteMachine } from "../../../provider/engine/machine-delete.js";
import { holderOf } from "../../../provider/engine/machine-find.js";
import { createNetwork } from "../../../provider/engine/network.js";
import { ensureTestBaseImage } from "../../support/base-image.js";
import { type Lab, noEngine, openLab, until } from "./fixture.js";

const reason = await noEngine();

describe.skipIf(reason !== null)(`many machines at once${reason ? ` (skipped: ${reason})` : ""}`, () => {
  let lab: Lab;
  let image: string;
  beforeAll(async () => {
    lab = await openLab(5);
    image = await ensureTestBaseImage("trixie");
  }, 300_000);
  afterAll(() => lab?.close());

  it("gives each its own address and its own disk", async () => {
    const { cluster, engine } = lab;
    const network = await createNetwork(engine, { cluster, name: "net", cidr: "10.212.5.0/24", internal: true, mtu: null });
    const names = ["a", "b", "c", "d"];
    const disks = await Promise.all(names.map((name) => createDisk(engine, { cluster, name, sizeGib: 1, zone: null })));
    const spec = (n: number): MachineSpec => ({
      cluster,
      name: `${cluster}-blue-${names[n]}`,
      networkId: network.id,
      address: null,
      zone: null,
      image,
      shape: { cpus: 1, memoryMib: 512 },
      userData: Buffer.from("#cloud-config\nlocale: false\n"),
      hostname: null,
      diskIds: [disks[n]?.id ?? ""],
      nameFor: (id) => `${cluster}-blue-${names[n]}-${id.slice(-5)}`,
    });
    const machines = await Promise.all(names.map((_, n) => createMachine(engine, spec(n))));
    expect(machines.map((m) => m.address).sort()).toEqual(["10.212.5.128", "10.212.5.129", "10.212.5.130", "10.212.5.131"]);
    for (const [n, machine] of machines.entries()) {
      await until(
        "cloud-init is done",
        60,
        async () => (await engine.execIn(machine.container, ["test", "-e", "/run/cloud-init/result.json"])).code === 0,
      );
      const { stdout } = await engine.execIn(machine.container, ["sh", "-c", "ls /dev/disk/by-id; cat /run/cloud-init/result.json"]);
      expect(stdout).toContain(`honest-${disks[n]?.id}\n`);
      expect(JSON.parse(stdout.slice(stdout.indexOf("{")))).toMatchObject({ v1: { errors: [] } });
    }
    const other = { ...spec(0), name: `${cluster}-red-a`, nameFor: (id: string) => `${cluster}-red-a-${id.slice(-5)}` };
    await expect(createMachine(engine, other)).rejects.toThrow(/"a" is attached elsewhere.*one disk serves one machine/);
    await Promise.all(machines.map((m) => deleteMachine(engine, cluster, m.id)));
    await Promise.all(disks.map((d) => deleteDisk(engine, cluster, d.id)));
    expect((await engine.listOwned(cluster)).map((o) => o.type)).toEqual(["network"]);
  });

  it("disks are looked up and deleted while machines are on their way out", async () => {
    const { cluster, engine } = lab;
    let looks = 0;
    for (let round = 0; round < 4; round++) {
      const disk = await createDisk(engine, { cluster, name: `round-${round}`, sizeGib: 1, zone: null });
      const machines = await Promise.all(
        ["a", "b", "c"].map((name) =>
          engine.json<{ Id: string }>("/containers/create", {
            method: "POST",
            json: { Image: image, Entrypoint: ["sleep", "600"], Labels: labelsOf(cluster, "machine", name, { [nameLabel]: name }) },
          }),
        ),
      );
      for (const { Id } of machines) await (await engine.call(`/containers/${Id}/start`, { method: "POST" })).bytes();
      let going = machines.length;
      const gone = machines.map(async ({ Id }) => {
        await engine.drop(`/containers/${Id}`, { force: true, v: true });
        going -= 1;
      });
      const look = async (): Promise<void> => {
        for (; going > 0; looks++) expect(await holderOf(engine, cluster, disk.id)).toBeNull();
      };
      await Promise.all([...gone, look(), look(), look(), deleteDisk(engine, cluster, disk.id)]);
    }
    expect(looks).toBeGreaterThan(20);
  });
});
