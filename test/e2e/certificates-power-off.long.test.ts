// All machines off for longer than their certificates live: the control plane comes back by itself, the worker by an apply
// that changes nothing else.
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually, leftovers, run } from "../support/demo-project.js";
import { certificatesOf, isReady, type ShortLived, shortLivedCluster } from "../support/short-lived-cluster.js";

const name = "e2e-off";
let cluster: ShortLived | undefined;

beforeAll(async () => {
  cluster = await shortLivedCluster(name, 1, 1);
}, 900_000);

afterAll(async () => {
  await cluster?.close();
  expect(await leftovers(name)).toEqual([]);
}, 300_000);

it("comes back after all machines were off past the end of every certificate", async () => {
  if (!cluster) throw new Error("there is no cluster");
  const { project, controlPlane, workers, nodes, plan } = cluster;
  const machines = [controlPlane, ...workers];
  const docker = async (...args: readonly string[]): Promise<void> => {
    const done = await run("docker", args);
    expect(done.code, done.stderr).toBe(0);
  };
  await eventually("every agent's report", 60, async () =>
    (await nodes()).every((node) => certificatesOf(node) !== null) ? true : undefined,
  );
  await docker("stop", "-t", "5", ...machines);
  await new Promise((wake) => setTimeout(wake, 190_000));
  const started = Date.now();
  await docker("start", ...machines);
  await eventually("the control plane", 180, async () => {
    const node = (await nodes()).find((each) => each.metadata.name === controlPlane);
    const end = node && certificatesOf(node)?.items["kubelet-client"]?.not_after;
    return node && isReady(node) && Date.parse(end ?? "") > Date.now() ? true : undefined;
  });
  console.log(`control plane back after ${Math.round((Date.now() - started) / 1000)} s`);

  const planned = await eventually("the worker locked out", 90, async () => {
    const done = await plan();
    return /"locked out" -> "member"/.test(done.stdout) ? done : undefined;
  });
  expect(planned.code, planned.stdout + planned.stderr).toBe(2);
  const words = planned.stdout.replace(/\s*│?\s*\n│?\s*/g, " ");
  for (const worker of workers) expect(words).toContain(`${worker}: kubelet-client ended`);
  expect(words).toMatch(/Plan: 0 to add, 1 to change, 0 to destroy/);
  await project.apply();
  expect((await nodes()).map((node) => [node.metadata.name, isReady(node)])).toEqual([...machines].sort().map((each) => [each, true]));
  const secrets = await project.kubectl(["-n", "kube-system", "get", "secrets", "-o", "name"]);
  expect(secrets.stdout).not.toMatch(/bootstrap-token/);
  const again = await plan();
  expect(again.code, again.stdout + again.stderr).toBe(0);
});
