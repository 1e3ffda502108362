// What the local IaaS refuses, what it takes up again, and what it does when the engine is silent.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createMachine } from "../../../provider/engine/machine-create.js";
import { createNetwork } from "../../../provider/engine/network.js";
import { type Lab, noEngine, openLab, until } from "./fixture.js";

const reason = await noEngine();
const flat = (text: string): string => text.replace(/[│╷╵\s]+/g, " ");

describe.skipIf(reason !== null)(`refusals and interruptions${reason ? ` (skipped: ${reason})` : ""}`, () => {
  let lab: Lab;
  const fails = async (config: object): Promise<string> => {
    lab.tf.write({ "main.tf.json": config });
    const { stderr } = await lab.tf.apply([], { expectFail: true });
    return flat(stderr);
  };
  const ids = async (): Promise<readonly string[]> =>
    (await lab.engine.listOwned(lab.cluster)).filter((o) => o.kind === "machine").map((o) => o.id);

  beforeAll(async () => {
    lab = await openLab(3);
  });
  // Foreign objects that a test made; gone before the destroy, also when the test failed.
  const foreign: (() => Promise<unknown>)[] = [];
  const remove = async (): Promise<void> => {
    for (const undo of foreign.splice(0)) await undo();
  };
  afterEach(async () => {
    await remove();
    lab.tf.write({ "main.tf.json": lab.config() });
    await lab.tf.destroy();
    expect(await lab.engine.listOwned(lab.cluster)).toEqual([]);
  });
  afterAll(() => lab?.close());

  it("fails when a container of the name belongs to somebody else, and leaves it alone", async () => {
    const name = `${lab.cluster}-cp-a`;
    const { Id } = await lab.engine.json<{ Id: string }>("/containers/create", {
      method: "POST",
      query: { name },
      json: { Image: lab.image, Cmd: ["true"] },
    });
    foreign.push(() => lab.engine.drop(`/containers/${Id}`, { force: true }));
    expect(await fails(lab.config({ disks: [] }))).toMatch(/belongs to somebody else.*does not carry our labels.*docker rm -f/);
    expect(await lab.engine.find(`/containers/${Id}/json`)).not.toBeNull();
  });

  it("fails when a volume or network of the name belongs to somebody else", async () => {
    await lab.engine.json("/volumes/create", { method: "POST", json: { Name: `${lab.cluster}.disk.etcd` } });
    foreign.push(() => lab.engine.drop(`/volumes/${lab.cluster}.disk.etcd`));
    expect(await fails(lab.config({ machine: null }))).toMatch(/The volume ".*" belongs to somebody else/);
    await remove();
    await lab.tf.destroy();
    const { Id } = await lab.engine.json<{ Id: string }>("/networks/create", { method: "POST", json: { Name: `${lab.cluster}-net` } });
    foreign.push(() => lab.engine.drop(`/networks/${Id}`));
    expect(await fails(lab.config())).toMatch(/The network ".*" belongs to somebody else/);
  });

  it("fails when the range is taken, and names the network that has it", async () => {
    const { Id } = await lab.engine.json<{ Id: string }>("/networks/create", {
      method: "POST",
      json: { Name: `${lab.cluster}-foreign`, IPAM: { Config: [{ Subnet: "10.212.3.0/25" }] } },
    });
    foreign.push(() => lab.engine.drop(`/networks/${Id}`));
    expect(await fails(lab.config())).toMatch(new RegExp(`The range 10.212.3.0/24 is taken.*"${lab.cluster}-foreign" has 10.212.3.0/25`));
  });

  it("fails when the address is taken or outside, or the image is not there, and leaves no machine", async () => {
    const address = lab.config({ disks: [], machine: { address: "10.99.0.1" } });
    expect(await fails(address)).toMatch(/10.99.0.1 is not in the network/);
    const taken = lab.config({ disks: [], worker: { address: "10.212.3.11" } });
    expect(await fails(taken)).toMatch(/The address 10.212.3.11 is taken/);
    await lab.tf.destroy();
    expect(await fails(lab.config({ disks: [], machine: { image: "honest-test/nothing:1" } }))).toMatch(
      /The image "honest-test\/nothing:1" is not in the engine/,
    );
    expect(await ids()).toEqual([]);
  });

  it("fails with the console's words when the machine ends at once", async () => {
    const broken = `honest-test/${lab.cluster}:broken`;
    const { packTar } = await import("../../../provider/engine/tar.js");
    await lab.engine.buildImage(
      await packTar([
        {
          path: "/Dockerfile",
          content: `FROM ${lab.image}\nRUN printf '#!/bin/sh\\necho no way up\\nexit 3\\n' > /s && chmod 755 /s && rm /lib/systemd/systemd && mv /s /lib/systemd/systemd\n`,
        },
      ]),
      broken,
    );
    expect(await fails(lab.config({ disks: [], machine: { image: broken } }))).toMatch(/ended at once.*no way up/);
    expect(await ids()).toEqual([]);
    const { removeImage } = await import("../../../provider/engine/image.js");
    await removeImage(lab.engine, broken);
  });

  it("fails when a second state wants the same cluster", async () => {
    await lab.apply();
    const { workspace } = await import("../../support/terraform.js");
    const { provider } = await import("./fixture.js");
    const other = await workspace({ provider });
    other.write({ "main.tf.json": lab.config() });
    await other.init();
    const { stderr } = await other.apply([], { expectFail: true });
    expect(flat(stderr)).toMatch(/belongs to another state/);
    await other.destroy();
    await other.close();
    await lab.tf.expectEmptyPlan();
  });

  it("takes up what a killed run has made, and does not make it twice", async () => {
    lab.tf.write({ "main.tf.json": lab.config() });
    // Terraform dies as soon as the machine's container is there: nothing of it is in the state.
    const died = lab.tf.run(["apply", "-no-color", "-auto-approve"], {
      expectFail: true,
      started: (pid) => {
        void until("the container is there", 30, async () => (await ids()).length > 0).then(() => process.kill(pid, "SIGKILL"));
      },
    });
    await died;
    await new Promise((wake) => setTimeout(wake, 3000));
    await lab.apply();
    expect(await ids()).toHaveLength(1);
  });

  it("takes up a whole machine that is in no state, and removes one for other inputs", async () => {
    const network = await createNetwork(lab.engine, {
      cluster: lab.cluster,
      name: "net",
      cidr: "10.212.3.0/24",
      internal: true,
      mtu: null,
    });
    const spec = {
      cluster: lab.cluster,
      name: `${lab.cluster}-cp-a`,
      networkId: network.id,
      address: "10.212.3.11",
      zone: "a",
      image: lab.image,
      shape: { cpus: 1, memoryMib: 512 },
      userData: Buffer.from("#cloud-config\nlocale: false\n# first\n"),
      hostname: null,
      diskIds: [],
      nameFor: (id: string) => id,
    };
    const first = await createMachine(lab.engine, spec);
    expect((await createMachine(lab.engine, spec)).id).toBe(first.id);
    const other = await createMachine(lab.engine, { ...spec, userData: Buffer.from("#cloud-config\n# other\n") });
    expect(other.id).not.toBe(first.id);
    await lab.apply({ disks: [] });
    expect(await ids()).toHaveLength(1);
  });

  it("makes a worker's successor beside it", async () => {
    await lab.apply({ disks: [], worker: {} });
    const before = (await lab.resource("honest_local_machine.worker")).values;
    await lab.tf.apply(["-replace=honest_local_machine.worker"]);
    const after = (await lab.resource("honest_local_machine.worker")).values;
    expect(after.id).not.toBe(before.id);
    expect(after.ip_address).not.toBe(before.ip_address);
    await lab.tf.expectEmptyPlan();
    expect(await ids()).toHaveLength(2);
  });

  it("keeps the state with a warning when the engine is silent, and fails to apply", async () => {
    await lab.apply();
    const silent = lab.config({ host: "unix:///nowhere/docker.sock" });
    lab.tf.write({ "main.tf.json": silent });
    const plan = await lab.tf.plan();
    expect(plan.exitCode).toBe(0);
    expect(flat(plan.text)).toMatch(/could not be read.*its socket does not exist.*nothing is taken for gone/);
    const change = lab.config({ host: "unix:///nowhere/docker.sock", disks: ["etcd", "log"] });
    lab.tf.write({ "main.tf.json": change });
    const { stderr } = await lab.tf.apply([], { expectFail: true });
    expect(flat(stderr)).toMatch(/No Docker engine answers.*Start the engine/);
    await lab.apply();
  });

  it("removes a machine whose create was interrupted by ctrl-C", async () => {
    lab.tf.write({ "main.tf.json": lab.config() });
    await lab.tf
      .run(["apply", "-no-color", "-auto-approve"], {
        expectFail: true,
        started: (pid) => {
          void until("the network is there", 30, async () =>
            (await lab.engine.listOwned(lab.cluster)).some((o) => o.type === "volume"),
          ).then(() => process.kill(pid, "SIGINT"));
        },
      })
      .catch((cause: Error) => {
        // It may have been done before the signal came.
        if (!/ended with 0/.test(cause.message)) throw cause;
      });
    await lab.apply();
    expect(await ids()).toHaveLength(1);
  });
});
