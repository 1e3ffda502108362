// Birth under disorder: three machines that begin in any order, up to a minute apart, one of them rebooted half-way, two of
// them lost with their disks before there is a cluster. In the end there is exactly one.
//
// What else can go wrong before a birth has tests of its own:
//   ticket expired, another cluster's, none; clock not synchronised   cloud-init/tests/test_stages.py (test_ticket, test_no_ticket_...)
//   every answer of peers, 300 random orders of boots and lost disks  cloud-init/tests/test_birth.py
//   disk late, formatted once, taken over by a successor              cloud-init/tests/test_real_cloud_init.py (a real machine)
//   disk foreign: another cluster's, another node's, somebody's data  cloud-init/tests/test_real_cloud_init.py (a real machine)
//   disk that lost its data, empty disk without a ticket              cloud-init/tests/test_real_cloud_init.py (a real machine)
//   disk full                                                         cloud-init/tests/test_stages.py
//   the first apply killed at any moment                              test/e2e/interrupted.long.test.ts
import { afterEach, describe, expect, it } from "vitest";
import { type ControlPlaneCluster, controlPlaneCluster, etcdDisks, on, serversOwn } from "../support/control-plane-cluster.js";
import { eventually, leftovers, run } from "../support/demo-project.js";

const name = "e2e-birth";
const letters = ["a", "b", "c"];
let cluster: ControlPlaneCluster | undefined;

afterEach(async () => {
  await cluster?.destroy();
  expect(await leftovers(name)).toEqual([]);
}, 300_000);

const sleep = (seconds: number): Promise<void> => new Promise((wake) => setTimeout(wake, seconds * 1000));
const engine = async (...args: readonly string[]): Promise<void> => {
  const done = await run("docker", args);
  if (done.code !== 0) throw new Error(`docker ${args.join(" ")}: ${done.stderr}`);
};

/** The machine is frozen as soon as it is there; its first program has hardly begun. */
const frozen = (machine: string): Promise<true> =>
  eventually(`${machine} is frozen`, 120, async () => ((await run("docker", ["pause", machine])).code === 0 ? true : undefined));

const says = (machine: string, words: string): Promise<string> =>
  eventually(`${machine} says ${words}`, 180, async () => {
    const marker = await on(machine, "cat", "/var/lib/honest-paas/marker.json");
    if (!marker.includes(words)) throw new Error(marker);
    return marker;
  });

describe("the birth of three control planes", () => {
  it.each([
    { order: ["c", "a", "b"], delays: [0, 25, 60] },
    { order: ["b", "c", "a"], delays: [0, 40, 10] },
  ])("in the order $order, $delays seconds late", async ({ order, delays }) => {
    cluster = controlPlaneCluster(name);
    const { machine, project } = cluster;
    const [first, second, third] = order.map(machine) as [string, string, string];
    await project.synth({ iaas: { local: {} }, deletionProtection: false, controlPlane: { replicas: 3 } });

    // the first boots alone, so nothing can be born; then the apply is interrupted, and two machines are lost with their disks
    let interrupt = (): void => undefined;
    const cut = project.terraform(["apply", "-auto-approve", "-no-color", "-input=false"], {
      started: (child) => {
        interrupt = () => void child.kill("SIGINT");
      },
    });
    await Promise.all([second, third].map(frozen));
    expect(await says(first, "no answer from")).toContain("etcd birth");
    interrupt();
    expect((await cut).code).not.toBe(0);
    const [one = "", , two = ""] = order;
    await engine("rm", "-f", machine(one), machine(two));
    for (const letter of [one, two]) {
      const disks = await etcdDisks(name, letter);
      expect(disks).toHaveLength(1);
      await engine("volume", "rm", ...disks);
    }
    await engine("unpause", second);

    const apply = project.apply();
    const begun = Date.now();
    // those that are made anew wait for their moment
    await Promise.all(
      [first, third]
        .map(async (late) => {
          await frozen(late);
          await sleep(delays[order.indexOf(late.slice(-1))] ?? 0);
          await engine("unpause", late);
        })
        .concat(
          // the one that survived is rebooted in the middle of it
          (async () => {
            await says(second, "etcd birth");
            await sleep(delays[1] ?? 0);
            await engine("restart", "-t", "1", second);
          })(),
        ),
    );
    await apply;
    console.log(`${order.join(", ")}: born and handed over ${((Date.now() - begun) / 1000).toFixed(1)} s after the second apply began`);

    await cluster.mark();
    await cluster.whole(letters, 0);
    // each API server, asked directly, is of the same cluster
    const seen = await Promise.all(
      letters.map((letter) =>
        on(machine(letter), ...serversOwn(machine(letter)), "get", "namespace", "kube-system", "-o", "jsonpath={.metadata.uid}"),
      ),
    );
    expect(new Set(seen).size).toBe(1);
    const { numbers } = JSON.parse(await cluster.identity()) as { numbers: readonly number[] };
    expect(numbers).toEqual([0]);
  });
});
