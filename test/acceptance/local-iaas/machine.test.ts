// A machine and its disk through a real terraform on a real engine: made, unchanged, stopped, lost, replaced. Each step
// ends with an empty plan. The steps build on each other, in order.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readMachineFile } from "../../../provider/engine/archive.js";
import { type Lab, noEngine, openLab, until } from "./fixture.js";

const reason = await noEngine();
const cp = "honest_local_machine.cp";

describe.skipIf(reason !== null)(`machine and disk${reason ? ` (skipped: ${reason})` : ""}`, () => {
  let lab: Lab;
  const name = (): string => `${lab.cluster}-cp-a`;
  const inside = async (script: string): Promise<string> => {
    const done = await lab.engine.execIn(name(), ["sh", "-c", script]);
    expect(done.code, done.stderr).toBe(0);
    return done.stdout.trim();
  };
  const booted = (): Promise<void> =>
    until(
      "cloud-init is done",
      60,
      async () => (await lab.engine.execIn(name(), ["test", "-e", "/run/cloud-init/result.json"])).code === 0,
    );
  const post = async (path: string): Promise<void> => void (await (await lab.engine.call(path, { method: "POST" })).bytes());

  beforeAll(async () => {
    lab = await openLab(1);
  });
  afterAll(() => lab?.close());

  it("is made: limits, zone, address, seed, disk", async () => {
    await lab.apply();
    await booted();
    const { values } = await lab.resource(cp);
    expect(values).toMatchObject({ ip_address: "10.212.1.11", running: true });
    expect(values.id).toMatch(/^i-[0-9a-f]{12}$/);
    expect(await inside("cat /var/lib/cloud/data/instance-id; cat /etc/resolv.conf; hostname")).toBe(
      `${values.id}\nnameserver 10.212.1.1\n${name()}`,
    );
    const made = await lab.engine.json<{ HostConfig: { Memory: number; CpuQuota: number }; Config: { Labels: Record<string, string> } }>(
      `/containers/${name()}/json`,
    );
    expect(made.HostConfig).toMatchObject({ Memory: 512 * 2 ** 20, CpuQuota: 100_000 });
    expect(made.Config.Labels).toMatchObject({ "honest-paas.dev/zone": "a", "honest-paas.dev/kind": "machine" });
    const device = (await lab.resource("honest_local_disk.etcd")).values.device_id as string;
    expect(await inside(`blockdev --getsize64 ${device}`)).toBe(String(2 ** 30));
    await inside(`mkfs.ext4 -q ${device} && mkdir -p /mnt/d && mount ${device} /mnt/d && echo kept > /mnt/d/note && sync`);
  });

  it("comes back from a reboot with its disk's link", async () => {
    await post(`/containers/${name()}/restart`);
    await booted();
    const device = (await lab.resource("honest_local_disk.etcd")).values.device_id as string;
    expect(await inside(`mkdir -p /mnt/d; mount ${device} /mnt/d && cat /mnt/d/note`)).toBe("kept");
    await inside("umount /mnt/d");
    await lab.tf.expectEmptyPlan();
  });

  it("comes back from a reboot from inside", async () => {
    const before = await inside("cat /proc/1/stat | cut -d' ' -f22");
    await lab.engine.execIn(name(), ["systemctl", "reboot"]);
    await until("rebooted", 40, async () => {
      const now = await lab.engine.execIn(name(), ["sh", "-c", "cat /proc/1/stat | cut -d' ' -f22"]).catch(() => null);
      return now !== null && now.code === 0 && now.stdout.trim() !== before;
    });
    await booted();
    await lab.tf.expectEmptyPlan();
  });

  it("is started again when stopped behind Terraform's back", async () => {
    await post(`/containers/${name()}/stop?t=20`);
    const plan = await lab.tf.plan();
    const change = plan.json.resource_changes?.find((c) => c.address === cp)?.change;
    expect(change?.actions).toEqual(["update"]);
    expect(change?.before?.running).toBe(false);
    await lab.apply();
    expect((await lab.resource(cp)).values).toMatchObject({ ip_address: "10.212.1.11", running: true });
  });

  it("gets its devices again after they were lost with the host's", async () => {
    await post(`/containers/${name()}/stop?t=20`);
    const { detachLoops } = await import("../../../provider/engine/loop.js");
    const disk = (await lab.resource("honest_local_disk.etcd")).values;
    await detachLoops(lab.engine, lab.cluster, lab.image, [disk.id as string]);
    await lab.apply();
    await booted();
    expect(await inside(`mount ${disk.device_id as string} /mnt/d && cat /mnt/d/note && umount /mnt/d`)).toBe("kept");
  });

  it("is made anew when removed behind Terraform's back, with its disk", async () => {
    const before = (await lab.resource(cp)).values.id;
    await lab.engine.drop(`/containers/${name()}`, { force: true });
    const plan = await lab.tf.plan();
    expect(plan.json.resource_changes?.find((c) => c.address === cp)?.change.actions).toEqual(["create"]);
    await lab.apply();
    await booted();
    expect((await lab.resource(cp)).values.id).not.toBe(before);
    const device = (await lab.resource("honest_local_disk.etcd")).values.device_id as string;
    expect(await inside(`mkdir -p /mnt/d; mount ${device} /mnt/d && cat /mnt/d/note && umount /mnt/d`)).toBe("kept");
  });

  it("is replaced for other user data, and the disk survives", async () => {
    const before = await lab.resource(cp);
    const disk = (await lab.resource("honest_local_disk.etcd")).values;
    await lab.apply({ machine: { user_data_base64: Buffer.from("#cloud-config\nlocale: false\n# second\n").toString("base64") } });
    await booted();
    const after = await lab.resource(cp);
    expect(after.values.id).not.toBe(before.values.id);
    expect(after.values.ip_address).toBe("10.212.1.11");
    expect((await lab.resource("honest_local_disk.etcd")).values.id).toBe(disk.id);
    expect(await inside(`mkdir -p /mnt/d; mount ${disk.device_id as string} /mnt/d && cat /mnt/d/note`)).toBe("kept");
    expect(await readMachineFile(lab.engine, name(), "/var/lib/cloud/seed/nocloud/user-data")).toContain("# second");
  });

  const second = { user_data_base64: Buffer.from("#cloud-config\nlocale: false\n# second\n").toString("base64") };

  it("takes a second disk late, in front of the first", async () => {
    lab.tf.write({ "main.tf.json": lab.config({ disks: ["log", "etcd"], machine: second }) });
    await lab.apply({ disks: ["log", "etcd"], machine: second });
    const device = (await lab.resource("honest_local_disk.log")).values.device_id as string;
    expect(await inside(`blockdev --getsize64 ${device}`)).toBe(String(2 ** 30));
    expect(await inside("cat /mnt/d/note")).toBe("kept");
  });

  it("fails when a mounted disk is to be detached, and says where it is mounted", async () => {
    lab.tf.write({
      "main.tf.json": lab.config({ disks: ["log", "etcd"], machine: { ...second, disk_ids: ["${honest_local_disk.log.id}"] } }),
    });
    const { stderr } = await lab.tf.apply([], { expectFail: true });
    expect(stderr.replace(/[│\s]+/g, " ")).toMatch(/is mounted.*has it mounted on \/mnt\/d.*umount \/mnt\/d/);
    expect(await inside("cat /mnt/d/note")).toBe("kept");
    await inside("umount /mnt/d");
    await lab.tf.apply();
    await lab.tf.expectEmptyPlan();
    const etcd = (await lab.resource("honest_local_disk.etcd")).values;
    expect(await inside("ls /dev/disk/by-id")).not.toContain(etcd.id);
    expect((await lab.engine.listOwned(lab.cluster)).filter((o) => o.type === "loop device")).toHaveLength(1);
  });

  it("fails when an attached disk is deleted", async () => {
    const { deleteDisk } = await import("../../../provider/engine/disk.js");
    const log = (await lab.resource("honest_local_disk.log")).values.id as string;
    await expect(deleteDisk(lab.engine, lab.cluster, log)).rejects.toThrow(/is attached.*holds the disk/);
  });

  it("leaves nothing after destroy", async () => {
    await lab.tf.destroy();
    expect(await lab.engine.listOwned(lab.cluster)).toEqual([]);
  });

  it("leaves nothing after a destroy when the machine had vanished", async () => {
    await lab.apply();
    await lab.engine.drop(`/containers/${name()}`, { force: true });
    await lab.tf.destroy();
    expect(await lab.engine.listOwned(lab.cluster)).toEqual([]);
  });

  it("leaves no device after a destroy when machine and disk had vanished", async () => {
    await lab.apply();
    const owned = await lab.engine.listOwned(lab.cluster);
    await lab.engine.drop(`/containers/${name()}`, { force: true });
    for (const { id, kind } of owned) if (kind === "disk" && !id.startsWith("disk-")) await lab.engine.drop(`/volumes/${id}`);
    expect((await lab.engine.listOwned(lab.cluster)).map(({ type }) => type)).toContain("loop device");
    await lab.tf.destroy();
    expect(await lab.engine.listOwned(lab.cluster)).toEqual([]);
  });
});
