// Machines that mend themselves: each part of a machine is stopped or frozen, etcd is filled to its quota, on a cluster of
// three control planes and a worker with a client at work. With self_heal false the same is only said.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { controlPlaneCluster, etcdctl, journal, on } from "../support/control-plane-cluster.js";
import { eventually, leftovers, run } from "../support/demo-project.js";
import { breakages, fillEtcd, healthOf, mended, runs } from "../support/self-heal.js";
import { writingDuringEach } from "../support/writing.js";

const name = "e2e-heal";
const cluster = controlPlaneCluster(name);
const everyone = ["a", "b", "c"];
let worker = "";

const synth = (selfHeal: boolean): Promise<void> =>
  cluster.project.synth({
    iaas: { local: {} },
    deletionProtection: false,
    controlPlane: { replicas: 3, selfHeal, componentFlags: { "etcd.quota-backend-bytes": "50331648" } },
    nodeGroups: { w: { scalingConfig: { desiredSize: 1 } } },
  });

beforeAll(async () => {
  await synth(true);
  await cluster.project.apply();
  await cluster.mark();
  await cluster.whole(everyone, 1);
  worker = (await cluster.nodes()).find((node) => !node.controlPlane)?.name ?? "";
}, 900_000);

afterAll(async () => {
  await cluster.destroy();
  expect(await leftovers(name)).toEqual([]);
}, 300_000);

writingDuringEach(cluster, async (_, task) => {
  if (task.result?.state === "fail") for (const one of everyone) console.log(one, await journal(cluster.machine(one), "honest-agent"));
});

describe("with self_heal", () => {
  it.each(["stopped", "hangs"] as const)(
    "a part that %s on each machine at once is mended, one control plane after another",
    async (how) => {
      const [a, b, c] = everyone.map(cluster.machine) as [string, string, string];
      const mending = [
        [a, `kubelet ${how}`],
        [b, `containerd ${how}`],
        [c, `etcd ${how}`],
        [worker, how === "hangs" ? "containerd hangs" : "kubelet stopped"],
      ] as const;
      const took = await Promise.all(mending.map(([node, what]) => mended(cluster, node, what)));
      mending.forEach(([node, what], n) => void console.log(`${what} on ${node}: ran again after ${((took[n] ?? 0) / 1000).toFixed(1)} s`));
      await cluster.whole(everyone, 1);
    },
  );

  it("two members of etcd that hang at once are mended one after the other", async () => {
    for (const letter of ["a", "c"]) await breakages["etcd hangs"].breakIt(cluster.machine(letter));
    // nobody answers: that is waited for first, three minutes
    await eventually("both run again", 420, async () =>
      (await runs(cluster.machine("a"), "honest-etcd")) && (await runs(cluster.machine("c"), "honest-etcd")) ? true : undefined,
    );
    await cluster.whole(everyone, 1);
  }, 900_000);

  it("a machine in maintenance is left alone", async () => {
    const node = cluster.machine("c");
    const begin = await cluster.project.kubectl(["annotate", "node", node, "honest-paas.dev/maintenance=new memory, Ann"]);
    expect(begin.code, begin.stderr).toBe(0);
    await on(node, "systemctl", "stop", "kubelet");
    await eventually("said, and why nobody mends it", 90, async () => {
      const report = await healthOf(cluster, node);
      return report?.problems.includes("kubelet is not mended: in maintenance: new memory, Ann") ? true : undefined;
    });
    await new Promise((wake) => setTimeout(wake, 30_000));
    expect(await runs(node, "kubelet")).toBe(false);
    await cluster.project.kubectl(["annotate", "node", node, "honest-paas.dev/maintenance-"]);
    await eventually("kubelet runs again", 60, async () => ((await runs(node, "kubelet")) ? true : undefined));
    await cluster.whole(everyone, 1);
  });

  it("a disk that is nearly full is said, as an event too, until there is room again", async () => {
    const node = cluster.machine("b");
    const disk = "/var/lib/honest-paas/etcd-disk";
    // allocated and not written: the disk's sparse file does not grow on the engine's host
    await on(node, "sh", "-c", `cd ${disk} && fallocate -l $(( $(stat -f -c %a .) * $(stat -f -c %S .) - 200 * 1048576 )) filler`);
    const full = /^the disk of \S*etcd\S* is nearly full: less than 5 % or 256 MiB of its \d+ MiB are free$/;
    const told = await eventually("said", 120, async () => {
      const report = await healthOf(cluster, node);
      return report?.problems.find((words) => full.test(words));
    });
    await eventually("the event", 60, async () =>
      (await cluster.events(node)).some((event) => event.type === "Warning" && event.message === told) ? true : undefined,
    );
    await on(node, "rm", `${disk}/filler`);
    await eventually("no longer said", 120, async () => ((await healthOf(cluster, node))?.problems.length === 0 ? true : undefined));
    await cluster.whole(everyone, 1);
  });

  it("etcd without space gives up its history, is made smaller one member after another, and takes writes again", async () => {
    const writes = await fillEtcd(cluster);
    const begun = Date.now();
    await eventually("etcd takes writes", 180, async () => {
      const wrote = await cluster.project.kubectl(["annotate", "--overwrite", "configmap", "sentinel", `now=${Date.now()}`]);
      if (wrote.code !== 0) throw new Error(wrote.stderr);
      return true;
    });
    console.log(`NOSPACE after ${writes} writes, mended after ${((Date.now() - begun) / 1000).toFixed(1)} s`);
    const alarms = await etcdctl(cluster.machine("a"), "alarm", "list");
    expect(alarms.stdout.trim()).toBe("");
    const told = await eventually("the events", 60, async () => {
      const events = (await cluster.events(cluster.machine("a"))).map((event) => event.message);
      return events.some((words) => words === "etcd: there is room again, etcd takes writes") ? events : undefined;
    });
    const shrunk = told.flatMap((words) => /^etcd: (\S+) of \d+ MiB, \d+ in use, defragmented$/.exec(words)?.[1] ?? []);
    expect([...shrunk].sort()).toEqual(everyone.map(cluster.machine));
    await cluster.whole(everyone, 1);
  });
});

describe("without self_heal", () => {
  it("is only said: on the Node, as an event, by the plan", async () => {
    await synth(false);
    const planned = await cluster.plan();
    expect(planned.stdout).toMatch(/Plan: 0 to add, 1 to change, 0 to destroy/);
    await cluster.project.apply();
    const node = cluster.machine("b");
    await eventually("the agent knows", 60, async () => ((await healthOf(cluster, node))?.self_heal === false ? true : undefined));
    await on(node, "systemctl", "stop", "kubelet");
    await eventually("said", 90, async () => {
      const report = await healthOf(cluster, node);
      return report?.problems.includes("kubelet is not mended: self_heal is off") ? true : undefined;
    });
    await new Promise((wake) => setTimeout(wake, 45_000));
    expect(await runs(node, "kubelet")).toBe(false);
    expect((await cluster.events(node)).map((event) => event.message)).toContain("kubelet is not mended: self_heal is off");
    const plan = await cluster.plan();
    expect(plan.stdout + plan.stderr).toMatch(/not well/);
    await on(node, "systemctl", "start", "kubelet");
    expect((await run("docker", ["exec", node, "systemctl", "is-active", "kubelet"])).stdout.trim()).toBe("active");
    await cluster.whole(everyone, 1);
  });
});
