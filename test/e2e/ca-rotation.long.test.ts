// Three control planes and a worker whose authorities are rotated while a client writes: create, promote, a control plane's
// machine and a worker's deleted by hand in the middle, everybody onto new documents, retire. The steps build on each other.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Access } from "../../provider/kube/access.js";
import { connect, type KubeClient } from "../../provider/kube/client.js";
import { issueClient } from "../../provider/pki/issue.js";
import { startWriter } from "../support/api-writer.js";
import { eventually, leftovers, run } from "../support/demo-project.js";
import { programProject } from "../support/program-project.js";

const name = process.env.HONEST_CA_NAME ?? "e2e-ca";
const replicas = Number(process.env.HONEST_CA_CONTROL_PLANES ?? 3);
const project = programProject(name, "1.36.3");
const letters = ["a", "b", "c"].slice(0, replicas);
const machine = (letter: string) => `${name}-cp-${letter}`;
type Rotation = { readonly number: number; readonly state: string };

const synth = (rotation?: Rotation) =>
  project.synth({
    iaas: { local: {} },
    deletionProtection: false,
    controlPlane: { replicas },
    ...(rotation ? { certificates: { rotation } } : {}),
    nodeGroups: { w: { scalingConfig: { desiredSize: 1 } } },
  });
const terraform = (...args: string[]) => project.terraform([...args, "-no-color", "-input=false"]);

async function access(): Promise<Access> {
  const output = await project.terraform(["output", "-json", "honest_access"]);
  return JSON.parse(output.stdout.trim()) as Access;
}
const clientOf = (how: Access): KubeClient => connect(how, { issue: issueClient });

/** Ids of the machines: none of them may be another after a step that rolls nothing. */
async function machines(): Promise<readonly string[]> {
  const listed = await run("docker", ["ps", "-q", "--no-trunc", "--filter", `label=honest-paas.dev/cluster=${name}`]);
  return listed.stdout.split("\n").filter(Boolean).sort();
}
async function nothingLeft(): Promise<void> {
  const plan = await terraform("plan", "-detailed-exitcode");
  expect(plan.code, plan.stdout + plan.stderr).toBe(0);
}
async function trustOf(): Promise<
  Readonly<Record<string, { readonly state: string; readonly waits: string | null; readonly trusts: string[] }>>
> {
  const listed = await clientOf(await access()).list("v1", "Node", {});
  if (!listed.ok) throw new Error(listed.failure.message);
  return Object.fromEntries(
    listed.value.map((node) => [node.metadata.name, JSON.parse(node.metadata.annotations?.["honest-paas.dev/trust"] ?? "null")]),
  );
}
async function applied(what: string): Promise<string> {
  const begun = Date.now();
  const done = await terraform("apply", "-auto-approve");
  expect(done.code, `${done.stdout}\n${done.stderr}`).toBe(0);
  console.log(`${what}: ${((Date.now() - begun) / 1000).toFixed(1)} s`);
  return done.stdout;
}

let first: Access;
let writer: ReturnType<typeof startWriter> | undefined;
let writing: KubeClient | undefined;

beforeAll(async () => {
  await synth();
  await project.apply();
  first = await access();
}, 900_000);

afterAll(async () => {
  if (process.env.HONEST_CA_KEEP) return;
  await project.destroy();
  expect(await leftovers(name)).toEqual([]);
}, 300_000);

beforeEach(async () => {
  writing = clientOf(await access());
  writer = startWriter(writing);
});

afterEach(async ({ task }) => {
  const said = await writer?.stop();
  await writing?.close();
  console.log(`${task.name}: ${JSON.stringify(said)}`);
  expect(said?.lost).toEqual([]);
  expect(said?.writes).toBeGreaterThan(10);
}, 60_000);

describe("authorities", () => {
  it("are created beside the old ones: every node trusts both, no machine changes", async () => {
    const before = await machines();
    await synth({ number: 1, state: "create" });
    await applied("create");
    expect(await machines()).toEqual(before);
    for (const [node, said] of Object.entries(await trustOf()))
      expect([node, said.state, said.waits, said.trusts.length]).toEqual([node, "create", null, 2]);
    await nothingLeft();
  }, 600_000);

  it("are not retired before they were promoted", async () => {
    await synth({ number: 1, state: "retire" });
    const plan = await terraform("plan");
    expect(plan.code).toBe(1);
    expect(plan.stderr.replace(/\s*\n│\s*/g, " ")).toContain('set { number = 1, state = "promote" }');
  }, 60_000);

  it("are promoted: everything is signed by the new ones, no machine changes, and documents follow", async () => {
    const before = await machines();
    await synth({ number: 1, state: "promote" });
    await applied("promote");
    expect(await machines()).toEqual(before);
    for (const [node, said] of Object.entries(await trustOf())) expect([node, said.state, said.waits]).toEqual([node, "promote", null]);
    for (const letter of letters) {
      const served = await run("docker", [
        "exec",
        machine(letter),
        "sh",
        "-c",
        "openssl s_client -connect 127.0.0.1:6443 -showcerts </dev/null 2>/dev/null",
      ]);
      // the leaf, and with it the certificate by which the old authority vouches for the new one
      expect(served.stdout.match(/ s:.*cluster CA 1\n {3}i:.*cluster CA\n/g), served.stdout).toHaveLength(1);
    }
  }, 900_000);

  it("let a control plane's and a worker's machine that were deleted by hand in the middle join", async () => {
    const worker = Object.keys(await trustOf()).find((node) => !node.includes("-cp-")) ?? "";
    const gone = replicas > 1 ? [machine("b"), worker] : [worker];
    const ids = await run("docker", ["ps", "--format", "{{.Names}}", "--filter", `label=honest-paas.dev/cluster=${name}`]);
    const containers = ids.stdout.split("\n").filter((container) => gone.some((node) => node.startsWith(container) && container !== ""));
    await run("docker", ["rm", "-f", ...containers]);
    await applied(`machines ${containers.join(", ")} deleted`);
    await eventually("every node on the new authorities", 180, async () => {
      const all = Object.values(await trustOf());
      return all.length === replicas + 1 && all.every((said) => said?.waits === null && said.state === "promote") ? true : undefined;
    });
  }, 900_000);

  it("come into every boot document, a machine at a time", async () => {
    const begun = Date.now();
    for (let applies = 0; applies < 12; applies += 1) {
      const plan = await terraform("plan", "-detailed-exitcode");
      if (plan.code === 0) break;
      expect(plan.code, plan.stdout + plan.stderr).toBe(2);
      await applied("roll");
    }
    await nothingLeft();
    console.log(`every document: ${((Date.now() - begun) / 1000).toFixed(1)} s`);
  }, 1_800_000);

  it("are retired: the old ones are trusted nowhere", async () => {
    // in the middle both are good; afterwards only who has the new ones gets in
    await writer?.stop();
    const before = await machines();
    await synth({ number: 1, state: "retire" });
    writer = startWriter(clientOf(await access()));
    await applied("retire");
    expect(await machines()).toEqual(before);
    const old = join(project.dir, "old.crt");
    writeFileSync(old, first.ca_bundle);
    for (const [node, said] of Object.entries(await trustOf()))
      expect([node, said.state, said.waits, said.trusts.length]).toEqual([node, "retire", null, 1]);
    const stranger = await clientOf({ ...first, ca_bundle: (await access()).ca_bundle }).list("v1", "Node", {});
    expect(stranger).toMatchObject({ ok: false, failure: { status: 401 } });
    const believer = await clientOf({ ...(await access()), ca_bundle: first.ca_bundle }).list("v1", "Node", {});
    expect(believer).toMatchObject({ ok: false, failure: { kind: "unreachable" } });
    for (const letter of letters) {
      const kept = await run("docker", [
        "exec",
        machine(letter),
        "sh",
        "-c",
        "cat /etc/kubernetes/pki/*.crt /etc/kubernetes/pki/etcd/*.crt",
      ]);
      const body = first.ca_bundle.split("\n").slice(1, 4).join("\n");
      expect(kept.stdout).not.toContain(body);
    }
    await nothingLeft();
  }, 900_000);
});
