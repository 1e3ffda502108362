import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FlagValues, type Io, UserError } from "../../../../../provider/cli/command.js";
import { nextNumber, snapshotRestore } from "../../../../../provider/cli/snapshot/restore.js";
import { putSnapshot, type StandInS3, sha256, standInS3 } from "../../../../support/stand-in-s3.js";

const folder = mkdtempSync(join(tmpdir(), "honest-restore-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(flags: Readonly<Record<string, string>>, env: Io["env"] = {}): Promise<{ out: string; said: string }> {
  let [out, said] = ["", ""];
  const io: Io = {
    out: (text) => {
      out += text;
    },
    say: (line) => {
      said += line;
    },
    env,
    cwd: folder,
    signal: AbortSignal.timeout(5_000),
    terminal: false,
  };
  const values: FlagValues = Object.fromEntries(Object.entries(flags).map(([name, value]) => [name, [value]]));
  expect(await snapshotRestore.run(values, io)).toBe(0);
  return { out, said };
}

describe("of a file", () => {
  it.each([
    ["plain", "bolt", false],
    ["sealed", "HPSEAL1\nsalt", true],
  ])("%s: prints the lines of the spec, and says what is lost", async (name, text, sealed) => {
    writeFileSync(join(folder, name), text);
    const { out, said } = await run({ file: name, url: "http://10.0.0.1/s.db", number: "2", hours: "1" });
    expect(out).toMatch(/^restore: \{\n {2}number: 2,\n/);
    expect(out).toContain(`sha256: "${createHash("sha256").update(text).digest("hex")}"`);
    expect(out).toContain('url: "http://10.0.0.1/s.db"');
    expect(out.includes("passphrase: process.env.HONEST_PAAS_PASSPHRASE")).toBe(sealed);
    expect(out).toMatch(/notAfter: "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/);
    expect(said).toContain("Everything that was written to the cluster after this snapshot is lost");
  });
});

it.each([
  [{ file: "s.db" }, "--file one"],
  [{ url: "http://10.0.0.1/s.db" }, "--url one"],
  [{ file: "s.db", url: "http://10.0.0.1/s.db" }, "--file and --url one"],
])("refuses to choose between a snapshot at the target and %j", async (more, words) => {
  const asked = run({ id: "20261130T120000Z-demo-cp-a", number: "2", ...more });
  await expect(asked).rejects.toThrow(UserError);
  await expect(asked).rejects.toThrow(`${words} that is not there. Give --id alone, or --file with --url.`);
});

describe("of a target", () => {
  const id = "20261130T120000Z-demo-cp-a";
  const keys = { HONEST_PAAS_S3_ACCESS_KEY_ID: "id", HONEST_PAAS_S3_SECRET_ACCESS_KEY: "secret" };
  let s3: StandInS3;
  beforeEach(async () => {
    s3 = await standInS3("b");
  });
  afterEach(() => s3.close());
  const flags = () => ({ endpoint: s3.endpoint, bucket: "b", prefix: "clusters", number: "2", hours: "1" });

  it("prints a URL at which the sealed object can be fetched with nothing else, its sum, and where the passphrase comes from", async () => {
    putSnapshot(s3, "clusters/demo/u/", id, "correct horse battery");
    putSnapshot(s3, "clusters/demo/u/", "20261130T180000Z-demo-cp-a", "correct horse battery");
    const { out, said } = await run({ ...flags(), id }, keys);
    const sealed = s3.objects.get(`clusters/demo/u/${id}/etcd.sealed`) as Buffer;
    expect(out).toContain(`sha256: "${sha256(sealed)}"`);
    expect(out).toContain("passphrase: process.env.HONEST_PAAS_PASSPHRASE");
    const url = new URL(/url: "(.*)"/.exec(out)?.[1] ?? "");
    expect(url.pathname).toBe(`/b/clusters/demo/u/${id}/etcd.sealed`);
    expect(url.searchParams.get("X-Amz-Expires")).toBe("3600");
    expect(Buffer.from(await (await fetch(url)).arrayBuffer())).toEqual(sealed);
    expect(said).toContain("the snapshot of 20261130T120000Z (Kubernetes 1.36.3, revision 7, 5 keys)");
  });

  it("takes the target's own authority", async () => {
    putSnapshot(s3, "clusters/demo/u/", id, "correct horse battery");
    writeFileSync(join(folder, "ca.pem"), "");
    expect((await run({ ...flags(), id, ca: "ca.pem" }, keys)).out).toContain("number: 2");
  });

  it.each([
    ["is not there", () => undefined, `There is no snapshot "${id}" below clusters/ in b. honest-paas snapshot list names them.`],
    [
      "cannot be used",
      () => void s3.objects.set(`clusters/${id}/manifest.json`, Buffer.from('{"format":2}')),
      `${id}: its manifest has format 2; this version of the tool reads format 1. Take another one.`,
    ],
  ])("refuses one that %s", async (_, prepare, words) => {
    prepare();
    await expect(run({ ...flags(), id }, keys)).rejects.toThrow(words);
  });
});

it.each([
  [{ number: "1" }, /Name the snapshot: --file FILE and --url URL/],
  [{ number: "1", file: "none", url: "http://a/b" }, /--file none cannot be read/],
  [{ number: "1", file: "none", url: "ftp://a/b" }, /--url is "ftp:\/\/a\/b"/],
  [{ number: "0", file: "none", url: "http://a/b" }, /--number is "0"/],
  [{ number: "1", hours: "169", file: "none", url: "http://a/b" }, /--hours is "169"/],
  [{ number: "1", id: "i", endpoint: "https://s3" }, /--endpoint and --bucket go together/],
  [{ number: "1", id: "i", endpoint: "s3", bucket: "b" }, /--endpoint is "s3"/],
  [{ number: "1", id: "i", endpoint: "https://s3", bucket: "b" }, /keys are missing/],
] as const)("refuses %j", async (flags, words) => {
  const failed = await run(flags as unknown as Readonly<Record<string, string>>).catch((cause: unknown) => cause);
  expect(failed).toBeInstanceOf(UserError);
  expect((failed as Error).message).toMatch(words);
});

it("counts on from what the machines were made with", () => {
  const boot = (etcd_number: number | null) => ({ type: "honest_boot", instances: [{ attributes: { etcd_number } }] });
  expect(nextNumber({ resources: [] } as never)).toBe(1);
  expect(nextNumber({ resources: [boot(null), boot(2), boot(1), { type: "honest_pki", instances: [{ attributes: {} }] }] } as never)).toBe(
    3,
  );
});
