// honest-paas snapshot as a program, with the target that a real terraform's state names.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { SnapshotList } from "../../../provider/cli/snapshot/list.js";
import { putSnapshot, type StandInS3, standInS3 } from "../../support/stand-in-s3.js";
import { type Tool, tool } from "./fixture.js";

const passphrase = "correct horse battery";
const id = "20261130T120000Z-demo-cp-a";
interface State {
  readonly resources: readonly {
    readonly type: string;
    readonly instances: readonly { readonly attributes: { readonly uid?: string } }[];
  }[];
}
let s3: StandInS3;
let t: Tool;
beforeAll(async () => {
  // no etcdutl of this computer: what is put there is no database
  vi.stubEnv("HONEST_PAAS_CACHE", "/nowhere");
  s3 = await standInS3("backups");
  const to = { endpoint: s3.endpoint, bucket: "backups", prefix: "eu", accessKeyId: "id", secretAccessKey: "a secret key" };
  t = await tool({ controlPlanes: 1, workers: 1, props: { backup: { target: { s3: to, passphrase } } } });
  const state = JSON.parse(await readFile(join(t.w.dir, "terraform.tfstate"), "utf8")) as State;
  const [pki] = state.resources.filter(({ type }) => type === "honest_pki");
  const uid = pki?.instances[0]?.attributes.uid;
  putSnapshot(s3, `eu/demo/${uid}/`, id, passphrase);
  putSnapshot(s3, "eu/other/u/", id, passphrase);
  const held = [
    ["20261130T120000Z", 18, 7, 5],
    ["20261130T180000Z", 18, 9, 6],
  ];
  const target = { collection: "api/v1/nodes", apiVersion: "v1", kind: "Node", name: "demo-cp-a" };
  const node = t.cloud.cluster.store.get(target);
  if (!node) throw new Error("no node demo-cp-a");
  const annotations = { ...node.metadata.annotations, "honest-paas.dev/snapshots": JSON.stringify({ held }) };
  t.cloud.cluster.store.put(target, { ...node, metadata: { ...node.metadata, annotations } });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await t.close();
  await s3.close();
});

const list = async () => {
  const ran = await t.run(["snapshot", "list", "--json"]);
  return { ...ran, found: JSON.parse(ran.stdout) as SnapshotList };
};

it("list has what is on the disks and what this cluster has at the target, and no other's", async () => {
  const { code, found, stderr } = await list();
  expect(code, stderr).toBe(0);
  expect(found).toMatchObject({ format: 1, disks: null, target: null });
  expect(found.snapshots.map((one) => [one.id, one.on_disk, one.at_target])).toEqual([
    ["20261130T180000Z-demo-cp-a", true, false],
    [id, true, true],
  ]);
});

it("list works without the cluster, and says which place it has not seen", async () => {
  t.cloud.cluster.reachable = false;
  const { code, found } = await list();
  expect(code).toBe(0);
  expect(found.disks).toContain("the Kubernetes API does not answer");
  expect(found.snapshots.map((one) => one.id)).toEqual([id]);
  s3.refusal = { status: 403, code: "AccessDenied" };
  const both = await list();
  s3.refusal = null;
  t.cloud.cluster.reachable = true;
  expect(both.code).toBe(1);
  expect(both.found).toMatchObject({ snapshots: [], target: expect.stringContaining("s3:ListBucket") });
});

it("verify opens it with the state's passphrase; what it says has no key in it, nor has a plan", async () => {
  const ran = await t.run(["snapshot", "verify"]);
  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.stdout).toContain(`${id} is good: 5 keys at revision 7`);
  const shown = await t.w.run(["show", "-no-color"]);
  for (const secret of [passphrase, "a secret key"]) expect(ran.stdout + ran.stderr + shown.stdout).not.toContain(secret);
});
