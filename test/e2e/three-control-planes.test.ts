// Three control planes and two workers of the newest minor: birth by ticket in two steps, an interrupted first run that
// resumes, one etcd member per machine, reboot of everything, nothing left at the end.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { demoProject, eventually, leftovers, run } from "../support/demo-project.js";

const name = "e2e-three";
const version = "1.37.2";
const project = demoProject(name);
const wanted = ["--control-planes", "3", "--workers", "2", "--version", version];

async function expectEmptyPlan(): Promise<void> {
  const plan = await project.terraform(["plan", "-detailed-exitcode", "-no-color", "-input=false"]);
  expect(plan.code, plan.stdout + plan.stderr).toBe(0);
}

async function etcdMembers(): Promise<readonly string[]> {
  const listed = await run("docker", [
    "ps",
    "--format",
    "{{.Names}}",
    "--filter",
    `label=honest-paas.dev/cluster=${name}`,
    "--filter",
    "label=honest-paas.dev/kind=machine",
  ]);
  const first = listed.stdout.split("\n").find((row) => /-cp-/.test(row)) ?? "";
  const pki = "/etc/kubernetes/pki/etcd";
  const got = await run("docker", [
    "exec",
    first,
    "etcdctl",
    `--cacert=${pki}/ca.crt`,
    `--cert=${pki}/healthcheck-client.crt`,
    `--key=${pki}/healthcheck-client.key`,
    "member",
    "list",
    "-w",
    "json",
  ]);
  if (got.code !== 0) throw new Error(got.stderr);
  return (JSON.parse(got.stdout) as { members: { name: string; isLearner?: boolean }[] }).members.map((m) => m.name).sort();
}

beforeAll(async () => {
  // ended in the middle of the apply, as by a closed laptop; the second run has to finish what the first began
  const cut = await project.demo(wanted, { started: (child) => setTimeout(() => child.kill("SIGKILL"), 25_000) });
  expect(cut.code).not.toBe(0);
  const made = await project.demo(wanted);
  if (made.code !== 0) throw new Error(`demo: ${made.stdout}\n${made.stderr}`);
}, 900_000);

afterAll(async () => {
  await project.destroy();
  expect(await leftovers(name)).toEqual([]);
}, 300_000);

describe("3 control planes, 2 workers", () => {
  it("is one cluster of three etcd members and five Ready nodes, and the second plan is empty", async () => {
    const nodes = await eventually("5 nodes Ready", 120, async () => {
      const all = await project.nodes();
      return all.length === 5 && all.every((n) => n.ready) ? all : undefined;
    });
    expect(nodes.filter((n) => n.controlPlane)).toHaveLength(3);
    expect(nodes.every((n) => n.version === `v${version}`)).toBe(true);
    expect(await etcdMembers()).toEqual(["a", "b", "c"].map((letter) => `${name}-cp-${letter}`));
    await expectEmptyPlan();
  });

  it("keeps its identity and data over a reboot of every machine", async () => {
    const uid = await project.kubectl(["get", "namespace", "kube-system", "-o", "jsonpath={.metadata.uid}"]);
    expect((await project.kubectl(["create", "configmap", "sentinel", "--from-literal=value=kept"])).code).toBe(0);
    const listed = await run("docker", [
      "ps",
      "-q",
      "--filter",
      `label=honest-paas.dev/cluster=${name}`,
      "--filter",
      "label=honest-paas.dev/kind=machine",
    ]);
    expect((await run("docker", ["restart", ...listed.stdout.split("\n").filter(Boolean)])).code).toBe(0);
    await eventually("API and nodes back", 240, async () => {
      const all = await project.nodes();
      return all.length === 5 && all.every((n) => n.ready) ? true : undefined;
    });
    const after = await project.kubectl(["get", "namespace", "kube-system", "-o", "jsonpath={.metadata.uid}"]);
    expect(after.stdout).toBe(uid.stdout);
    expect((await project.kubectl(["get", "configmap", "sentinel", "-o", "jsonpath={.data.value}"])).stdout).toBe("kept");
    expect(await etcdMembers()).toHaveLength(3);
    await expectEmptyPlan();
  });

  it("survives the loss of one control-plane machine: the API answers and an apply brings the member back with its disk", async () => {
    const before = await etcdMembers();
    expect((await run("docker", ["rm", "-f", await machineOf("cp-b")])).code).toBe(0);
    await eventually("API answers without it", 20, async () =>
      (await project.kubectl(["get", "--raw", "/readyz"])).code === 0 ? true : undefined,
    );
    const done = await project.terraform(["apply", "-auto-approve", "-no-color", "-input=false"]);
    expect(done.code, done.stdout + done.stderr).toBe(0);
    await eventually("5 nodes Ready", 120, async () => {
      const all = await project.nodes();
      return all.length === 5 && all.every((n) => n.ready) ? true : undefined;
    });
    expect(await etcdMembers()).toEqual(before);
    await expectEmptyPlan();
  });
});

async function machineOf(suffix: string): Promise<string> {
  const listed = await run("docker", [
    "ps",
    "--format",
    "{{.Names}}",
    "--filter",
    `label=honest-paas.dev/cluster=${name}`,
    "--filter",
    "label=honest-paas.dev/kind=machine",
  ]);
  return listed.stdout.split("\n").find((row) => row.includes(suffix)) ?? "";
}
