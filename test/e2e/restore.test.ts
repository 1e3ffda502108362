// One control plane goes back to a snapshot after its machine and its etcd disk were lost, by one apply. The matrix with
// three is in restore.long.test.ts.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually, leftovers } from "../support/demo-project.js";
import { type RestoreCluster, restoreCluster, soon, whoItIs } from "../support/restore-cluster.js";

const name = "e2e-restore";

describe("one control plane, all of it lost", () => {
  let cluster: RestoreCluster;

  beforeAll(async () => {
    cluster = await restoreCluster(name, 1, 1);
  }, 300_000);

  afterAll(async () => {
    await cluster.close();
    expect(await leftovers(name)).toEqual([]);
  }, 120_000);

  it("goes back to a snapshot by one apply: what was there is there, what came later is gone, watchers begin anew", async () => {
    await cluster.kubectl("create", "configmap", "sentinel", "--from-literal=value=kept");
    await cluster.kubectl("create", "service", "clusterip", "web", "--tcp=80:8080");
    const before = await whoItIs(cluster);
    const taken = await cluster.snapshot();
    await cluster.kubectl("create", "configmap", "later", "--from-literal=value=lost");
    const future = await cluster.kubectl("get", "configmap", "later", "-o", "jsonpath={.metadata.resourceVersion}");
    await cluster.lose();

    const restore = { number: 1, sha256: taken.sha256, url: taken.url, notAfter: soon(60) };
    await cluster.synth(restore);
    const plan = await cluster.project.terraform(["plan", "-no-color", "-input=false"]);
    const words = `${plan.stdout}${plan.stderr}`.replace(/[\s│]+/g, " ");
    expect(words).toContain("goes back to a snapshot");
    expect(words).toContain("Everything that was written to the cluster after it is lost");
    const began = Date.now();
    await cluster.project.apply();
    console.log(`restore of one control plane: ${((Date.now() - began) / 1000).toFixed(1)} s`);

    expect(await whoItIs(cluster)).toEqual(before);
    await expect(cluster.kubectl("get", "configmap", "later")).rejects.toThrow(/not found/);
    await cluster.allReady();
    await eventually("number 1", 40, async () => ((await cluster.numbers()).join() === "1" ? true : undefined));
    // a revision of the lost future: the watcher is told to list again, and sees nothing of another time
    const watched = await cluster.kubectl(
      ...["get", "--raw", `/api/v1/namespaces/default/configmaps?watch=1&resourceVersion=${future}&timeoutSeconds=3`],
    );
    expect(JSON.parse(watched.trim().split("\n")[0] ?? "{}")).toMatchObject({ type: "ERROR", object: { code: 410 } });

    const empty = await cluster.project.terraform(["plan", "-detailed-exitcode", "-no-color", "-input=false"]);
    expect(empty.stdout + empty.stderr).toContain("No changes.");
    // when it is done only number and sha256 stay, and that changes no machine
    await cluster.synth({ number: 1, sha256: taken.sha256 });
    const kept = await cluster.project.terraform(["plan", "-no-color", "-input=false"]);
    expect(kept.stdout + kept.stderr).toContain("Plan: 0 to add, 1 to change, 0 to destroy.");
    const lower = await (async () => {
      await cluster.synth();
      return cluster.project.terraform(["plan", "-no-color", "-input=false"]);
    })();
    expect(`${lower.stdout}${lower.stderr}`.replace(/[\s│]+/g, " ")).toContain("A number is never lowered");
    // also a destroy plans first what the program says
    await cluster.synth({ number: 1, sha256: taken.sha256 });
  }, 300_000);
});
