// What is somebody else's already: a published port, a range. The error says whose, and how to choose another; nothing of
// theirs is touched.
import { execFileSync } from "node:child_process";
import { createServer } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createBalancer } from "../../../provider/engine/balancer.js";
import { createNetwork } from "../../../provider/engine/network.js";
import { type Lab, noEngine, openLab } from "./fixture.js";

const reason = await noEngine();
const flat = (text: string): string => text.replace(/[│╷╵\s]+/g, " ");

/** A route that the engine knows nothing of, as a VPN makes one; why it cannot be made here, or null. */
function routed(range: string): string | null {
  try {
    execFileSync("ip", ["route", "add", range, "dev", "lo"], { stdio: "pipe" });
    return null;
  } catch (cause) {
    return `this host lets us make no route: ${(cause as Error).message}`;
  }
}

describe.skipIf(reason !== null)(`taken by somebody else${reason ? ` (skipped: ${reason})` : ""}`, () => {
  let lab: Lab;
  let other: Lab;
  const undo: (() => void)[] = [];
  beforeAll(async () => {
    lab = await openLab(13);
    other = await openLab(14);
  });
  afterEach(() => {
    for (const step of undo.splice(0)) step();
  });
  afterAll(async () => {
    await lab?.close();
    await other?.close();
  });
  const fails = async (config: object): Promise<string> => {
    lab.tf.write({ "main.tf.json": config });
    return flat((await lab.tf.apply([], { expectFail: true })).stderr);
  };
  const withPort = (port: number): object => lab.config({ disks: [], machine: null, balancer: { published_port: port } });

  it("a port that another cluster publishes, then one that is free", async () => {
    const network = await createNetwork(other.engine, {
      cluster: other.cluster,
      name: "net",
      cidr: "10.212.14.0/24",
      internal: true,
      mtu: null,
    });
    const { publishedPort, container } = await createBalancer(
      other.engine,
      {
        cluster: other.cluster,
        name: "api",
        networkId: network.id,
        address: "10.212.14.10",
        image: other.image,
        port: 6443,
        backends: { a: "10.212.14.11:6443" },
        publishedPort: null,
        publishedAddress: "127.0.0.1",
      },
      "lb-other",
    );
    const told = await fails(withPort(publishedPort));
    expect(told).toContain(`The port ${publishedPort} is taken`);
    expect(told).toContain(`the container "${container}" publishes it; its labels say: balancer of the cluster "${other.cluster}"`);
    expect(told).toContain("iaas.local.published_port");
    expect((await lab.engine.listOwned(lab.cluster)).filter((o) => /balancer/.test(o.kind))).toEqual([]);
    await lab.apply({ disks: [], machine: null, balancer: {} });
    await lab.tf.destroy();
  });

  it("a port on which a process listens", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((wake) => server.once("listening", wake));
    undo.push(() => server.close());
    const { port } = server.address() as { port: number };
    const told = await fails(withPort(port));
    expect(told).toMatch(new RegExp(`The port ${port} is taken.*a process of the engine's host listens there.*published_port`));
    await lab.tf.destroy();
  });

  it("a range to which the host has a route", async (context) => {
    const impossible = routed("10.212.77.0/25");
    if (impossible === null) undo.push(() => void execFileSync("ip", ["route", "delete", "10.212.77.0/25", "dev", "lo"]));
    if (impossible) context.skip(impossible);
    const told = await fails(lab.config({ disks: [], machine: null, network: { cidr: "10.212.77.0/24" } }));
    expect(told).toMatch(
      /The range 10\.212\.77\.0\/24 is taken.*host has a route to 10\.212\.77\.0\/25 by lo.*vpc_config\.cidr.*HONEST_DEMO_NAME/,
    );
    expect(await lab.engine.listOwned(lab.cluster)).toEqual([]);
  });
});
