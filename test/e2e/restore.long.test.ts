// Three control planes that lose machines and etcd disks at once and go back to a snapshot by one apply, with a client at
// work all the time; then the living cluster goes back once more.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { imageNames } from "../../provider/mirror/images.js";
import { componentsOf, defaultVersion } from "../../provider/mirror/versions.js";
import { startWriter } from "../support/api-writer.js";
import { etcdctl } from "../support/control-plane-cluster.js";
import { eventually, leftovers, run } from "../support/demo-project.js";
import { type RestoreCluster, restoreCluster, type Snapshot, soon, whoItIs } from "../support/restore-cluster.js";

const name = "e2e-restore3";
const components = componentsOf(defaultVersion);
if (!components) throw new Error("the default version is not in the table");
const image = imageNames(components).agnhost;

const workload = (replicas: number): string =>
  JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "default" },
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: {
          terminationGracePeriodSeconds: 1,
          containers: [{ name: "web", image, imagePullPolicy: "IfNotPresent", args: ["netexec", "--http-port=8080"] }],
        },
      },
    },
  });

describe("three control planes", () => {
  let cluster: RestoreCluster;
  let taken: Snapshot;
  let before: object;
  let future = "";

  const apply = async (manifest: string): Promise<void> => {
    const done = await cluster.project.kubectl(["apply", "-f", "-"], { input: manifest });
    expect(done.code, done.stderr).toBe(0);
  };
  const serves = (): Promise<true> =>
    eventually("two pods behind the Service answer", 120, async () => {
      const ready = await cluster.kubectl("get", "deployment", "web", "-o", "jsonpath={.spec.replicas} {.status.readyReplicas}");
      if (ready !== "2 2") return undefined;
      await cluster.kubectl("exec", "deploy/web", "--", "/agnhost", "connect", "--timeout=3s", "web:80");
      return true;
    });
  const isBack = async (number: number): Promise<void> => {
    expect(await whoItIs(cluster)).toEqual(before);
    await expect(cluster.kubectl("get", "configmap", "later")).rejects.toThrow(/not found/);
    expect(await cluster.kubectl("get", "configmap", "doomed", "-o", "jsonpath={.data.value}")).toBe("back");
    await cluster.allReady();
    await serves();
    await eventually(`number ${number}`, 40, async () =>
      (await cluster.numbers()).join() === [number, number, number].join() ? true : undefined,
    );
    const health = await etcdctl(cluster.machines[0] ?? "", "endpoint", "health", "--cluster", "-w", "json");
    expect((JSON.parse(health.stdout) as { health: boolean }[]).map((member) => member.health)).toEqual([true, true, true]);
    const plan = await cluster.project.terraform(["plan", "-detailed-exitcode", "-no-color", "-input=false"]);
    expect(plan.stdout + plan.stderr).toContain("No changes.");
  };
  const timed = async (what: string): Promise<void> => {
    const began = Date.now();
    await cluster.project.apply();
    console.log(`${what}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
  };

  beforeAll(async () => {
    cluster = await restoreCluster(name, 3, 1);
    await cluster.kubectl("create", "configmap", "sentinel", "--from-literal=value=kept");
    await cluster.kubectl("create", "configmap", "doomed", "--from-literal=value=back");
    await cluster.kubectl("create", "service", "clusterip", "web", "--tcp=80:8080");
    await apply(workload(2));
    await serves();
    before = await whoItIs(cluster);
    taken = await cluster.snapshot();
    await cluster.kubectl("create", "configmap", "later", "--from-literal=value=lost");
    await cluster.kubectl("delete", "configmap", "doomed");
    await apply(workload(1));
    future = await cluster.kubectl("get", "configmap", "later", "-o", "jsonpath={.metadata.resourceVersion}");
  }, 400_000);

  afterAll(async () => {
    await cluster.close();
    expect(await leftovers(name)).toEqual([]);
  }, 200_000);

  it("go back by one apply when all machines and etcd disks are lost", async () => {
    const writer = startWriter(cluster.client);
    await cluster.lose();
    await cluster.synth({ number: 1, sha256: taken.sha256, url: taken.url, notAfter: soon(60) });
    await timed("restore of three control planes, disks lost");
    await isBack(1);
    const watched = await cluster.kubectl(
      ...["get", "--raw", `/api/v1/namespaces/default/configmaps?watch=1&resourceVersion=${future}&timeoutSeconds=3`],
    );
    expect(JSON.parse(watched.trim().split("\n")[0] ?? "{}")).toMatchObject({ type: "ERROR", object: { code: 410 } });
    const said = await writer.stop();
    console.log(JSON.stringify(said));
    expect(said.lost).toEqual([]);
    expect(said.writes).toBeGreaterThan(10);
  }, 600_000);

  it("go back once more while they live: what their disks hold is set aside", async () => {
    await cluster.kubectl("create", "configmap", "later", "--from-literal=value=lost");
    await cluster.kubectl("delete", "configmap", "doomed");
    await cluster.synth({ number: 2, sha256: taken.sha256, url: taken.url, notAfter: soon(60) });
    await timed("restore of three living control planes");
    await isBack(2);
    for (const machine of cluster.machines) {
      const listed = await run("docker", [
        "exec",
        machine,
        "ls",
        "/var/lib/honest-paas/etcd-disk",
        "/var/lib/honest-paas/etcd-disk/number-1",
      ]);
      expect(listed.stdout).toMatch(/number-1/);
      expect(listed.stdout).toMatch(/had-quorum[\s\S]*etcd|etcd[\s\S]*had-quorum/);
    }
  }, 600_000);
});
