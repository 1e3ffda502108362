// The agent's own S3 client, seal and layout against a real S3 server, and the tool that reads what it has left there.
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { S3Place } from "../../../provider/backup/s3.js";
import { storedSnapshots } from "../../../provider/backup/target.js";
import { run } from "../../support/demo-project.js";
import { type S3Server, s3Program, startS3 } from "../../support/s3-server.js";

const agent = resolve(import.meta.dirname, "../../../cloud-init/honest_agent");
const cli = resolve(import.meta.dirname, "../../../dist/cli/honest-paas.js");
const passphrase = "correct horse battery";
const { missing, path } = await s3Program(() => undefined);
let s3: S3Server;

/** What an agent's process does with one snapshot; the file is no database, which only etcdutl would mind. */
const send = (name: string, over: object = {}) =>
  run("python3", ["-c", script], { input: JSON.stringify({ agent, name, target: { ...target(), ...over } }) });
const script = `
import json, os, sys, tempfile
task = json.load(sys.stdin)
sys.path.insert(0, task["agent"])
import s3, snapshots, target
folder = tempfile.mkdtemp()
file = os.path.join(folder, task["name"] + ".db")
with open(file, "wb") as f:
    f.write(os.urandom(3000001))
proof = {"name": task["name"], "cluster_uid": "u", "number": 0, "node": "a", "version": "1.36.3", "etcd_version": "3.6.16"}
proof.update(size=3000001, sha256=snapshots.sha256(file), revision=7, keys=5)
doc = {"cluster": {"name": "demo", "uid": "u"}, "node": {"name": "a"}, "pki": {"ca_key": "KEY"}}
try:
    print(json.dumps(target.send(task["target"], doc, proof, folder=folder)))
except s3.S3Error as cause:
    print(json.dumps({"error": str(cause), "status": cause.status, "code": cause.code}))
`;
const target = () => ({
  endpoint: s3.endpoint,
  bucket: s3.bucket,
  prefix: "clusters/",
  region: "us-east-1",
  ca: null,
  keep: 2,
  access_key_id: s3.accessKeyId,
  secret_access_key: s3.secretAccessKey,
  passphrase,
});
const place = (): S3Place => ({
  endpoint: s3.endpoint,
  bucket: s3.bucket,
  region: "us-east-1",
  accessKeyId: s3.accessKeyId,
  secretAccessKey: s3.secretAccessKey,
  ca: null,
});
const outcome = async (sending: ReturnType<typeof send>): Promise<Record<string, unknown>> => {
  const done = await sending;
  if (done.code !== 0) throw new Error(done.stderr);
  return JSON.parse(done.stdout) as Record<string, unknown>;
};

describe.skipIf(missing)("a real S3 server", () => {
  beforeAll(async () => {
    s3 = await startS3(path);
  });
  afterAll(() => s3?.close());

  it("takes what an agent sends, and keeps as many as it is told", async () => {
    for (const hour of ["10", "11", "12"])
      expect(await outcome(send(`20261130T${hour}0000Z`))).toMatchObject({ id: `20261130T${hour}0000Z-a`, problem: null });
    const stored = await storedSnapshots(place(), "clusters/", new AbortController().signal);
    expect(stored.map(({ id }) => id)).toEqual(["20261130T110000Z-a", "20261130T120000Z-a"]);
    expect((await readdir(join(s3.folder, "clusters/demo/u/20261130T120000Z-a"))).sort()).toEqual([
      "etcd.sealed",
      "manifest.json",
      "set.sealed",
    ]);
  });

  it("gives them back to the tool, which opens and proves them without a cluster", async () => {
    const env = {
      HONEST_PAAS_S3_ACCESS_KEY_ID: s3.accessKeyId,
      HONEST_PAAS_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
      HONEST_PAAS_PASSPHRASE: passphrase,
      // no etcdutl: what was sent is no database
      HONEST_PAAS_CACHE: "/nowhere",
    };
    const flags = ["--endpoint", s3.endpoint, "--bucket", s3.bucket, "--prefix", "clusters"];
    const listed = await run(process.execPath, [cli, "snapshot", "list", ...flags, "--json"], { env });
    expect(listed.code, listed.stderr).toBe(0);
    expect(JSON.parse(listed.stdout)).toMatchObject({ snapshots: [{ id: "20261130T120000Z-a", keys: 5 }, {}] });
    const verified = await run(process.execPath, [cli, "snapshot", "verify", ...flags], { env });
    expect(verified.code, verified.stderr).toBe(0);
    expect(verified.stdout).toContain("20261130T120000Z-a is good: 5 keys at revision 7");
    const wrong = await run(process.execPath, [cli, "snapshot", "verify", ...flags], {
      env: { ...env, HONEST_PAAS_PASSPHRASE: "x".repeat(16) },
    });
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain("most likely the passphrase");
  });

  it.each([
    ["another secret", { secret_access_key: "x" }, 403, "SignatureDoesNotMatch", "the secret access key is another one"],
    ["another key", { access_key_id: "x" }, 404, "XAdminUserNotFound", "does not know the access key id"],
    ["another bucket", { bucket: "nowhere" }, 404, "NoSuchBucket", "make the bucket, or correct"],
  ])("refuses %s in words that say what to do", async (_, over, status, code, words) => {
    const said = await outcome(send("20261130T130000Z", over));
    expect(said).toMatchObject({ status, code });
    expect(said.error).toContain(words);
  });
});
