// Snapshots of a real cluster: taken each minute, tried by a restore, sent sealed to a real S3 server on the cluster's own
// network, listed and verified by the tool. The target comes later than the cluster, so what a change does is seen too.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually, leftovers, run } from "../support/demo-project.js";
import { programProject } from "../support/program-project.js";
import { type S3Server, s3Program, startS3 } from "../support/s3-server.js";

const name = "e2e-backup";
const node = `${name}-cp-a`;
/** Of the machines' network on this computer. */
const gateway = "10.213.91.1";
const passphrase = "correct horse battery staple";
const project = programProject(name, "1.36.3");
const { missing, path } = await s3Program(() => undefined);
let s3: S3Server | undefined;

const props = (target?: object) => ({
  iaas: { local: {} },
  deletionProtection: false,
  vpcConfig: { cidr: "10.213.91.0/24" },
  nodeGroups: { w: { scalingConfig: { desiredSize: 1 } } },
  backup: { schedule: "1m", keep: 3, drillEvery: "1m", ...(target ? { target } : {}) },
});
interface Said {
  readonly last: { readonly name: string; readonly keys: number; readonly at: number } | null;
  readonly held: readonly unknown[];
  readonly uploaded: { readonly id: string } | null;
  readonly drill: { readonly objects: number } | null;
  readonly problem: string | null;
}
async function said(): Promise<Said> {
  const got = await project.kubectl(["get", "node", node, "-o", "jsonpath={.metadata.annotations.honest-paas\\.dev/snapshots}"]);
  if (got.code !== 0) throw new Error(got.stderr);
  return JSON.parse(got.stdout) as Said;
}
const tool = (...words: readonly string[]) => project.tool(words);
const plan = () => project.terraform(["plan", "-detailed-exitcode", "-no-color", "-input=false"]);
const onMachine = async (script: string): Promise<string> => {
  const done = await run("docker", ["exec", node, "/bin/sh", "-c", script]);
  return done.stdout + done.stderr;
};

describe.skipIf(missing)("backups", () => {
  beforeAll(async () => {
    await project.synth(props());
    await project.apply();
  }, 300_000);
  afterAll(async () => {
    await s3?.close();
    await project.destroy();
    expect(await leftovers(name)).toEqual([]);
  }, 120_000);

  it("are taken and tried on the etcd disk, also without a target", async () => {
    const first = await eventually("a snapshot and a drill", 90, async () => {
      const now = await said();
      return now.last && now.drill ? now : undefined;
    });
    expect(first.drill?.objects).toBeGreaterThan(50);
    expect(first).toMatchObject({ uploaded: null, problem: null });
    const empty = await plan();
    expect(empty.code, empty.stdout + empty.stderr).toBe(0);
    expect(empty.stdout + empty.stderr).not.toContain("Snapshots of cluster");
  }, 120_000);

  it("go to a target that is given later, which changes the barrier alone and shows no key", async () => {
    s3 = await startS3(path, gateway);
    const keys = { accessKeyId: s3.accessKeyId, secretAccessKey: s3.secretAccessKey };
    await project.synth(props({ s3: { endpoint: s3.endpoint, bucket: s3.bucket, prefix: "clusters", ...keys }, passphrase }));
    const planned = await plan();
    expect(planned.code).toBe(2);
    expect(planned.stdout.match(/# \S+ will be .*/g)).toEqual([expect.stringMatching(/^# honest_barrier\.\S+ will be updated in-place$/)]);
    const applied = await project.apply();
    for (const secret of [passphrase, s3.secretAccessKey]) expect(planned.stdout + applied.stdout).not.toContain(secret);
    const sent = await eventually("an upload", 90, async () => {
      const now = await said();
      return now.uploaded ? now : undefined;
    });
    expect(sent.problem).toBeNull();
    expect(sent.held.length).toBeLessThanOrEqual(3);
  }, 150_000);

  it("are listed and verified by the tool, by etcd's own reader too", async () => {
    const listed = await tool("snapshot", "list", "--json");
    expect(listed.code, listed.stdout + listed.stderr).toBe(0);
    const list = JSON.parse(listed.stdout) as { snapshots: { id: string; on_disk: boolean; at_target: boolean }[] };
    expect(list).toMatchObject({ disks: null, target: null });
    expect(list.snapshots.some((one) => one.on_disk && one.at_target)).toBe(true);
    const verified = await tool("snapshot", "verify", "--json");
    expect(verified.code, verified.stderr).toBe(0);
    expect(JSON.parse(verified.stdout)).toMatchObject({ node, version: "1.36.3", read_by: ["sums", "seal", "etcdutl"] });
    const status = await tool("status");
    expect(status.stdout).toMatch(new RegExp(`${node} +\\d+ s +\\d+\\.\\d MiB`));
  }, 60_000);

  it("are a metric, and their keys are nowhere on a machine but in etcd", async () => {
    expect(await onMachine("cat /var/lib/honest-paas/metrics/snapshots.prom")).toMatch(/^honest_paas_snapshot_drill_objects \d+$/m);
    const found = await onMachine(
      `grep -rlE '${passphrase}|${s3?.secretAccessKey}' /var/lib/honest-paas /var/lib/cloud /etc /run/honest* 2>/dev/null | grep -v /etcd-disk/`,
    );
    expect(found).toBe("");
  }, 60_000);
});
