// The synthesized stack of a local cluster against the real provider: terraform accepts every argument of it, plans it
// without an engine, and a protected cluster cannot be planned away.
import { type App, TerraformStack, Testing } from "cdktf";
import { afterEach, describe, expect, it } from "vitest";
import { Cluster, type ClusterProps } from "../../../constructs/index.js";
import { loadProvider } from "../../../provider/provider.js";
import { type Workspace, workspace } from "../../support/terraform.js";

const open: Workspace[] = [];
afterEach(async () => {
  for (const w of open.splice(0)) await w.close();
});

function synth(props: Partial<ClusterProps>, workers = 2): object {
  const stack = new TerraformStack(Testing.app() as App, "demo");
  const cluster = new Cluster(stack, "demo", { version: "1.36.3", iaas: { local: {} }, ...props });
  if (workers) cluster.addNodeGroup("workers", { scalingConfig: { desiredSize: workers }, zones: ["a", "b"] });
  return JSON.parse(Testing.synth(stack, true)) as object;
}

async function stackOf(json: object): Promise<Workspace> {
  const w = await workspace({ provider: await loadProvider() });
  open.push(w);
  w.write({ "cdk.tf.json": json });
  await w.init();
  return w;
}

const counts = (changes: readonly { type: string }[] | undefined): Record<string, number> => {
  const found: Record<string, number> = {};
  for (const { type } of changes ?? []) found[type] = (found[type] ?? 0) + 1;
  return found;
};

describe("a local stack", () => {
  it("is valid and plans three control planes and two workers", async () => {
    const w = await stackOf(synth({ controlPlane: { replicas: 3 } }));
    const plan = await w.plan();
    expect(plan.exitCode, plan.text).toBe(2);
    expect(counts(plan.json.resource_changes)).toEqual({
      honest_pki: 1,
      honest_boot: 5,
      honest_node: 5,
      honest_barrier: 1,
      honest_local_network: 1,
      honest_local_disk: 3,
      honest_local_machine: 5,
      honest_local_balancer: 1,
    });
  });

  it("knows each machine's shape at plan, by way of its boot resource", async () => {
    const w = await stackOf(synth({}));
    const plan = await w.plan();
    const shapes = (plan.json.resource_changes ?? [])
      .filter((change) => change.type === "honest_local_machine")
      .map((change) => (change.change.after as { instance_type?: string; image?: string }) ?? {});
    expect(shapes.map((after) => [after.instance_type, after.image])).toEqual(
      Array.from({ length: 3 }, () => ["local.cpu2.mem2048", "honest-paas/machine:1.36.3"]),
    );
  });

  it("gives every machine the release that its neighbours expect of it", async () => {
    const w = await stackOf(synth({ controlPlane: { replicas: 3, componentFlags: { "kubelet.v": "$" + "{2}" } } }));
    const plan = await w.plan();
    const boots = (plan.json.resource_changes ?? [])
      .filter((change) => change.type === "honest_boot")
      .map((change) => change.change.after as unknown as { spec: { name: string }; release: string; roster: Record<string, string> });
    expect(boots).toHaveLength(5);
    for (const boot of boots) expect(boot.roster[boot.spec.name]).toBe(boot.release);
  });

  it("takes no workers, a window and flags", async () => {
    const w = await stackOf(
      synth(
        {
          upgradePolicy: {
            roll: "in_one_apply",
            maintenanceWindow: { days: ["saturday"], hour: 2, durationHours: 3, timezone: "Europe/Berlin" },
          },
          iaas: { local: { mtu: 1400, publishedPort: 24_000 } },
          mirror: { images: "http://10.0.0.1:5000" },
        },
        0,
      ),
    );
    expect((await w.plan()).exitCode).toBe(2);
  });
});
