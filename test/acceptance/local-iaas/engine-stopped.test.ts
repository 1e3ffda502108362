// The engine is stopped in the middle of an apply, at several moments: terraform says so and how to go on; with the engine
// back the next apply finishes, nothing is there twice and no data is lost. The steps build on each other, in order.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DyingProxy, dyingProxy } from "../../support/dying-proxy.js";
import { type Change, type Lab, noEngine, openLab, until } from "./fixture.js";

const reason = await noEngine();
const flat = (text: string): string => text.replace(/[│╷╵\s]+/g, " ");

describe.skipIf(reason !== null)(`an engine that is stopped in mid-apply${reason ? ` (skipped: ${reason})` : ""}`, () => {
  let lab: Lab;
  let proxy: DyingProxy;
  beforeAll(async () => {
    lab = await openLab(11);
    proxy = await dyingProxy(lab.engine.host.replace("unix://", ""));
  });
  afterAll(async () => {
    await proxy?.close();
    await lab?.close();
  });

  const userData = (text: string): string => Buffer.from(`#cloud-config\nlocale: false\n# ${text}\n`).toString("base64");
  const parts = (text: string): Change => ({
    host: proxy.host,
    machine: { user_data_base64: userData(text) },
    worker: { user_data_base64: userData(text) },
    balancer: {},
  });
  const kinds = async (): Promise<readonly string[]> => (await lab.engine.listOwned(lab.cluster)).map((o) => o.kind).sort();
  const machineIds = async () =>
    (await lab.tf.resources()).filter((r) => r.type === "honest_local_machine").map((r) => String(r.values.id));
  const inside = async (script: string): Promise<string> => {
    const done = await lab.engine.execIn(`${lab.cluster}-cp-a`, ["sh", "-c", script]);
    expect(done.code, done.stderr).toBe(0);
    return done.stdout.trim();
  };

  /** Runs it with the engine stopped after each of the numbers of changes; then once more to its end. How often it was stopped. */
  async function stoppedAt(moments: readonly number[], command: "apply" | "destroy"): Promise<number> {
    const args = [command, "-no-color", "-auto-approve", "-input=false"];
    let stops = 0;
    for (const changes of moments) {
      await proxy.start();
      proxy.stopAfter(changes);
      const ended = await lab.tf.run(args, { expectFail: true }).catch((cause: Error) => {
        // with what earlier rounds have done, a late moment may come after the end
        if (/ended with 0/.test(cause.message)) return undefined;
        throw cause;
      });
      if (!ended) break;
      stops += 1;
      expect(flat(ended.stderr)).toMatch(
        /No Docker engine answers.*Start the engine.*run the same command again: what was made is found again/,
      );
    }
    await proxy.start();
    await lab.tf.run(args);
    return stops;
  }

  // two machines with two volumes each; marks are of the network and the disk
  const whole = [
    ...["balancer", "balancer-network", "disk", "disk", "machine", "machine"],
    ...["machine-data", "machine-data", "machine-data", "machine-data", "mark", "mark", "network"],
  ];

  it("create", async () => {
    lab.tf.write({ "main.tf.json": lab.config(parts("first")) });
    expect(await stoppedAt([0, 2, 5, 9, 14, 20], "apply")).toBeGreaterThanOrEqual(4);
    await lab.tf.expectEmptyPlan();
    expect(await kinds()).toEqual(whole);
    await until(
      "cloud-init is done",
      60,
      async () => (await lab.engine.execIn(`${lab.cluster}-cp-a`, ["test", "-e", "/run/cloud-init/result.json"])).code === 0,
    );
    const device = (await lab.resource("honest_local_disk.etcd")).values.device_id as string;
    await inside(`mkfs.ext4 -q ${device} && mkdir -p /mnt/d && mount ${device} /mnt/d && echo kept > /mnt/d/note && sync`);
  });

  it("replace", async () => {
    const before = await machineIds();
    const disk = (await lab.resource("honest_local_disk.etcd")).values;
    lab.tf.write({ "main.tf.json": lab.config(parts("second")) });
    expect(await stoppedAt([0, 1, 4, 9, 14], "apply")).toBeGreaterThanOrEqual(4);
    await lab.tf.expectEmptyPlan();
    expect(await kinds()).toEqual(whole);
    expect((await machineIds()).filter((id) => before.includes(id))).toEqual([]);
    expect((await lab.resource("honest_local_disk.etcd")).values.id).toBe(disk.id);
    await until(
      "device",
      30,
      async () => (await lab.engine.execIn(`${lab.cluster}-cp-a`, ["test", "-e", String(disk.device_id)])).code === 0,
    );
    expect(await inside(`mkdir -p /mnt/d; mount ${disk.device_id as string} /mnt/d && cat /mnt/d/note && umount /mnt/d`)).toBe("kept");
  });

  it("destroy", async () => {
    expect(await stoppedAt([0, 1, 3, 5], "destroy")).toBeGreaterThanOrEqual(3);
    expect(await kinds()).toEqual([]);
  });
});
