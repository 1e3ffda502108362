// What the tests of the local IaaS share: a provider with its four resources, a configuration to vary, and an engine to
// look at (and to break things in) behind Terraform's back.
import { randomBytes } from "node:crypto";
import { createEngine, type Engine } from "../../../provider/engine/engine.js";
import type { Provider } from "../../../provider/framework/resource.js";
import { honestLocalBalancer } from "../../../provider/resources/honest-local-balancer.js";
import { honestLocalDisk } from "../../../provider/resources/honest-local-disk.js";
import { honestLocalMachine } from "../../../provider/resources/honest-local-machine.js";
import { honestLocalNetwork } from "../../../provider/resources/honest-local-network.js";
import { ensureTestBaseImage } from "../../support/base-image.js";
import { type StateResource, type Workspace, workspace } from "../../support/terraform.js";

export const provider: Provider = {
  version: "0.1.0",
  schema: {
    version: 0,
    description: "The local IaaS alone.",
    attributes: {
      docker_host: { type: "string", optional: true, description: "Engine." },
      cache_dir: { type: "string", optional: true, description: "Cache." },
    },
  },
  resources: [honestLocalNetwork, honestLocalDisk, honestLocalMachine, honestLocalBalancer],
  dataSources: [],
  ephemeralResources: [],
};

/** Why these tests cannot run here, or null. */
export async function noEngine(): Promise<string | null> {
  const engine = createEngine();
  try {
    await engine.probe();
    return null;
  } catch (cause) {
    return `no Docker engine is reachable: ${(cause as Error).message}`;
  } finally {
    await engine.close();
  }
}

export interface Lab {
  readonly cluster: string;
  readonly image: string;
  readonly engine: Engine;
  readonly tf: Workspace;
  /** The whole configuration, with parts replaced. */
  config(change?: Change): object;
  apply(change?: Change): Promise<void>;
  resource(address: string): Promise<StateResource>;
  close(): Promise<void>;
}

export interface Change {
  readonly host?: string;
  readonly network?: object;
  readonly machine?: object | null;
  readonly worker?: object | null;
  readonly disks?: readonly string[];
  readonly balancer?: object | null;
}

/** A range for each lab, so that two test files never meet. */
export async function openLab(third: number): Promise<Lab> {
  const image = await ensureTestBaseImage();
  const cluster = `acc-${randomBytes(3).toString("hex")}`;
  const engine = createEngine();
  const tf = await workspace({ provider });
  const userData = (text: string): string => Buffer.from(`#cloud-config\nlocale: false\n# ${text}\n`).toString("base64");
  const config = (change: Change = {}): object => {
    const disks = change.disks ?? ["etcd"];
    const machine = {
      cluster,
      name: `${cluster}-cp-a`,
      network_id: "${honest_local_network.net.id}",
      address: `10.212.${third}.11`,
      zone: "a",
      image,
      instance_type: "local.cpu1.mem512",
      user_data_base64: userData("first"),
      disk_ids: disks.map((name) => `\${honest_local_disk.${name}.id}`),
    };
    const worker = {
      cluster,
      name: `${cluster}-blue-a-0`,
      network_id: "${honest_local_network.net.id}",
      image,
      instance_type: "1x512",
      user_data_base64: userData("worker"),
      lifecycle: { create_before_destroy: true },
    };
    const balancer = {
      cluster,
      name: "api",
      network_id: "${honest_local_network.net.id}",
      address: `10.212.${third}.10`,
      image,
      port: 6443,
      backends: { "cp-a": `10.212.${third}.11:6443` },
    };
    return {
      terraform: { required_providers: { honest: { source: "honest-paas/honest" } } },
      provider: { honest: change.host ? { docker_host: change.host } : {} },
      resource: {
        honest_local_network: { net: { cluster, name: "net", cidr: `10.212.${third}.0/24`, ...change.network } },
        ...(disks.length > 0
          ? { honest_local_disk: Object.fromEntries(disks.map((name) => [name, { cluster, name, size_gib: 1, zone: "a" }])) }
          : {}),
        ...(change.machine === null
          ? {}
          : {
              honest_local_machine: {
                cp: { ...machine, ...change.machine },
                ...(change.worker ? { worker: { ...worker, ...change.worker } } : {}),
              },
            }),
        ...(change.balancer ? { honest_local_balancer: { api: { ...balancer, ...change.balancer } } } : {}),
      },
    };
  };
  const lab: Lab = {
    cluster,
    image,
    engine,
    tf,
    config,
    async apply(change) {
      tf.write({ "main.tf.json": config(change) });
      await tf.apply();
      await tf.expectEmptyPlan();
    },
    async resource(address) {
      const found = (await tf.resources()).find((r) => r.address === address);
      if (!found) throw new Error(`${address} is not in the state`);
      return found;
    },
    async close() {
      await engine.removeOwned(cluster);
      await engine.close();
      await tf.close();
    },
  };
  tf.write({ "main.tf.json": config() });
  await tf.init();
  return lab;
}

/** Polls until true. */
export async function until(what: string, seconds: number, check: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; ) {
    if (await check()) return;
    await new Promise((wake) => setTimeout(wake, 300));
  }
  throw new Error(`${what}: not within ${seconds} s`);
}
