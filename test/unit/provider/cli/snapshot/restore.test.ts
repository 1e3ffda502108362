import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type FlagValues, type Io, UserError } from "../../../../../provider/cli/command.js";
import { presign } from "../../../../../provider/cli/snapshot/presign.js";
import { nextNumber, snapshotRestore } from "../../../../../provider/cli/snapshot/restore.js";

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

it("signs as Amazon's own example", () => {
  const signer = { region: "us-east-1", accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" };
  const url = presign("https://examplebucket.s3.amazonaws.com/test.txt", signer, 86_400, new Date("2013-05-24T00:00:00Z"));
  expect(url).toBe(
    "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
  );
});

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
  [{ number: "1" }, /Name the snapshot: --file FILE and --url URL/],
  [{ number: "1", file: "none", url: "http://a/b" }, /--file none cannot be read/],
  [{ number: "1", file: "none", url: "ftp://a/b" }, /--url is "ftp:\/\/a\/b"/],
  [{ number: "0", file: "none", url: "http://a/b" }, /--number is "0"/],
  [{ number: "1", hours: "169", file: "none", url: "http://a/b" }, /--hours is "169"/],
  [{ number: "1", object: "p/c/u/i" }, /--object needs --endpoint and --bucket/],
  [{ number: "1", object: "p", endpoint: "s3", bucket: "b" }, /--endpoint is "s3"/],
  [{ number: "1", object: "p", endpoint: "https://s3", bucket: "b" }, /keys are missing/],
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
