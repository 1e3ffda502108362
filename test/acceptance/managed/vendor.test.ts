// honest_cluster and a group on clouds of a vendor with a provider of its own: real terraform, the vendor's blocks in a world
// made of its provider's schema, which our provider drives as it would the plugin. Trust, boot and memberships stand in, so
// no machine joins anything here.
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { ObjectValue } from "../../../provider/framework/value.js";
import { honestCluster } from "../../../provider/resources/honest-cluster.js";
import { honestNodeGroup } from "../../../provider/resources/honest-node-group.js";
import { type StartPlugin, startInstalled } from "../../../provider/resources/managed/plugins.js";
import { makersOf } from "../../../provider/resources/managed/session.js";
import { inProcessVendor } from "../../../provider/shim/in-process.js";
import { standInHcloud } from "../../support/stand-in-hcloud.js";
import { standInHonest } from "../../support/stand-in-honest.js";
import { type Workspace, workspace } from "../../support/terraform.js";

const open: Workspace[] = [];
afterEach(async () => {
  delete process.env.TF_DATA_DIR;
  for (const w of open.splice(0)) await w.close();
});

interface Wanted {
  readonly cluster?: object;
  readonly group?: object;
}

const image = "debian-12";
const configuration = ({ cluster = {}, group = {} }: Wanted = {}) => ({
  terraform: { required_providers: { honest: { source: "honest-paas/honest" } } },
  resource: {
    honest_cluster: {
      this: {
        name: "demo",
        version: "1.36.3",
        iaas: { hcloud: { public_endpoint: "control_planes" } },
        access: { endpoint: "https://127.0.0.1:1" },
        vpc_config: { public_access_cidrs: ["203.0.113.0/24"] },
        control_plane: { replicas: 1, zones: ["fsn1"], instance_type: "cpx31", image, etcd_volume: { size_gib: 10 } },
        deletion_protection: false,
        ...cluster,
      },
    },
    honest_node_group: {
      web: {
        cluster: "$" + "{honest_cluster.this.handle}",
        name: "web",
        instance_types: ["cpx41"],
        image,
        zones: ["fsn1"],
        scaling_config: { desired_size: 1 },
        ...group,
      },
    },
  },
});

async function start(given?: StartPlugin) {
  const events: string[] = [];
  const vendor = standInHcloud((event, { name, id }: ObjectValue) => {
    events.push(`${event} ${String(name ?? id).replace(/(-\d+)-[0-9a-f]{5}$/, "$1")}`);
  });
  const { provider } = await standInHonest();
  const own = provider.resources.filter(({ name }) => !["honest_cluster", "honest_node_group"].includes(name));
  const starts: string[] = [];
  const inProcess: StartPlugin = async ({ source, versions }, log) => {
    starts.push(`${source} ${versions.from} ${versions.below}`);
    // its data source of the preflight is not in the schema that was kept
    const plugin = inProcessVendor(vendor.provider, log);
    return { ...plugin, readData: async () => ({ state: {}, private: new Uint8Array(), diagnostics: [] }) };
  };
  const makers = makersOf(own, given ?? inProcess);
  const w = await workspace({ provider: { ...provider, resources: [...own, honestCluster(makers), honestNodeGroup(makers)] } });
  process.env.TF_DATA_DIR = join(w.dir, ".terraform");
  open.push(w);
  const want = (wanted?: Wanted) => w.write({ "main.tf.json": configuration(wanted) });
  want();
  await w.init();
  return { w, want, events, starts, world: vendor.world };
}

interface Block {
  readonly name: string;
  readonly action: string;
}
async function blocks(w: Workspace): Promise<readonly string[]> {
  const { json } = await w.plan();
  return (json.resource_changes ?? [])
    .filter(({ change }) => change.actions.join() !== "no-op")
    .flatMap(({ change }) => ((change.after as { blocks?: readonly Block[] } | null)?.blocks ?? []) as readonly Block[])
    .filter(({ action }) => action !== "no-op")
    .map(({ action, name }) => `${action} ${name}`)
    .sort();
}

describe("a managed cluster on Hetzner Cloud", () => {
  it("is made of the vendor's blocks, scaled, rolled, mended and taken away whole", async () => {
    const { w, want, events, starts, world } = await start();
    const planned = await blocks(w);
    expect(planned).toContain("create cp/a/machine");
    expect(planned).toContain("create group/web/fsn1/0/machine");
    expect([...world.objects]).toEqual([]);
    await w.apply();
    expect(starts[0]).toBe("hetznercloud/hcloud 1.68.0 2.0.0");
    const servers = () =>
      [...world.objects.values()].filter(({ type }) => type === "hcloud_server").map(({ object }) => String(object.name));
    expect(servers().sort()).toEqual(["demo-cp-a", expect.stringMatching(/^demo-web-fsn1-0-[0-9a-f]{5}$/)]);
    expect([...world.objects.values()].filter(({ type }) => type.startsWith("hcloud_")).length).toBeGreaterThan(9);
    await w.expectEmptyPlan();

    want({ group: { scaling_config: { desired_size: 2 } } });
    expect(await blocks(w)).toContain("create group/web/fsn1/1/machine");
    await w.apply();
    expect(servers()).toHaveLength(3);
    await w.expectEmptyPlan();

    events.length = 0;
    want({ group: { image: "debian-13" } });
    expect((await blocks(w)).filter((line) => /machine$/.test(line))).toEqual([
      "delete group/web/fsn1/1/machine",
      "replace group/web/fsn1/0/machine",
    ]);
    await w.apply();
    const made = events.indexOf("create hcloud_server demo-web-fsn1-0");
    expect(made).toBeGreaterThan(-1);
    expect(events.indexOf("delete hcloud_server demo-web-fsn1-0")).toBeGreaterThan(made);
    await w.expectEmptyPlan();

    const [volume = ""] = [...world.objects].filter(([, { type }]) => type === "hcloud_volume_attachment").map(([key]) => key);
    world.vanish(volume);
    expect(await blocks(w)).toEqual(["create cp/a/machine-disk"]);
    await w.apply();
    await w.expectEmptyPlan();

    await w.destroy();
    expect([...world.objects.keys()].filter((key) => key.startsWith("hcloud_"))).toEqual([]);
  });

  it("tells which lines are missing when the vendor's provider is not part of the configuration", async () => {
    const { w } = await start(startInstalled);
    const { exitCode, text } = await w.plan([], { expectFail: true });
    expect(exitCode).toBe(1);
    expect(text).toContain('source  = "hetznercloud/hcloud"');
    expect(text).toContain('version = ">= 1.68.0, < 2.0.0"');
  });

  it("keeps everything in the state when the vendor cannot be had, and says why", async () => {
    let missing = false;
    const vendor = standInHcloud();
    const { w } = await start(async (_, log) => {
      if (missing) return startInstalled({ source: "hetznercloud/hcloud", versions: { from: "1.68.0", below: "2.0.0" } }, log);
      const plugin = inProcessVendor(vendor.provider, log);
      return { ...plugin, readData: async () => ({ state: {}, private: new Uint8Array(), diagnostics: [] }) };
    });
    await w.apply();
    missing = true;
    const before = vendor.world.objects.size;
    const { text } = await w.plan([], { expectFail: true });
    expect(text).toContain("hetznercloud/hcloud");
    missing = false;
    await w.expectEmptyPlan();
    expect(vendor.world.objects.size).toBe(before);
    await w.destroy();
    expect(vendor.world.objects.size).toBe(0);
  });
});
