import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { commands } from "../../../../../provider/cli/commands.js";
import { main } from "../../../../../provider/cli/main.js";
import { putSnapshot, type StandInS3, standInS3 } from "../../../../support/stand-in-s3.js";

// a seal is slow on purpose
vi.setConfig({ testTimeout: 90_000 });
const passphrase = "correct horse battery";
const id = "20261130T120000Z-demo-cp-a";
const below = "clusters/demo/u/";
const keys = { HONEST_PAAS_S3_ACCESS_KEY_ID: "id", HONEST_PAAS_S3_SECRET_ACCESS_KEY: "secret", HONEST_PAAS_PASSPHRASE: passphrase };
let s3: StandInS3;
// what is left behind is looked for: others on this computer verify at the same time
const temporary = mkdtempSync(join(tmpdir(), "snapshot-command-"));
afterAll(() => rmSync(temporary, { recursive: true }));
beforeEach(async () => {
  // no etcdutl of this computer: it would not read what is no database
  vi.stubEnv("HONEST_PAAS_CACHE", "/nowhere");
  vi.stubEnv("TMPDIR", temporary);
  s3 = await standInS3("b");
});
afterEach(() => {
  vi.unstubAllEnvs();
  return s3.close();
});

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly said: string;
}
async function run(words: string, env: Readonly<Record<string, string>> = keys): Promise<Ran> {
  const [out, said]: [string[], string[]] = [[], []];
  const io = {
    out: (text: string) => void out.push(text),
    say: (line: string) => void said.push(line),
    env: { PATH: "", ...env },
    cwd: "/",
    signal: new AbortController().signal,
    terminal: false,
  };
  const code = await main(commands, words.split(" "), io, "1");
  return { code, out: out.join(""), said: said.join("\n") };
}
const target = (): string => `--endpoint ${s3.endpoint} --bucket b --prefix clusters`;

describe("snapshot list, without state or cluster", () => {
  it("shows what is there, newest first", async () => {
    putSnapshot(s3, below, id, passphrase);
    putSnapshot(s3, below, "20261130T180000Z-demo-cp-b", passphrase);
    const { code, out } = await run(`snapshot list ${target()}`);
    expect(code).toBe(0);
    expect(out).toBe(
      "SNAPSHOT                    TAKEN                 KUBERNETES  SIZE     KEYS  REVISION  WHERE\n" +
        "20261130T180000Z-demo-cp-b  2026-11-30T18:00:00Z  1.36.3      0.0 MiB  5     7         target\n" +
        "20261130T120000Z-demo-cp-a  2026-11-30T12:00:00Z  1.36.3      0.0 MiB  5     7         target\n",
    );
    expect(JSON.parse((await run(`snapshot list ${target()} --json`)).out)).toMatchObject({
      format: 1,
      target: null,
      snapshots: [{ id: "20261130T180000Z-demo-cp-b", at_target: true, on_disk: false, number: 0 }, { id }],
    });
  });

  it("names one that cannot be used, and says so by its exit code", async () => {
    s3.objects.set(`${below}${id}/manifest.json`, Buffer.from('{"format":2}'));
    const { code, out } = await run(`snapshot list ${target()}`);
    expect(code).toBe(2);
    expect(out).toContain("target (NOT USABLE: its manifest has format 2");
  });

  it("says that there is none, and why a target cannot be read", async () => {
    expect(await run(`snapshot list ${target()}`)).toMatchObject({ code: 0, out: "no snapshots\n" });
    s3.refusal = { status: 403, code: "SignatureDoesNotMatch" };
    const { code, out } = await run(`snapshot list ${target()}`);
    expect(code).toBe(1);
    expect(out).toContain("! target: GET http");
    expect(out).toContain("the secret access key is another one than the server's");
  });

  it.each([
    ["snapshot list --endpoint http://x", "--endpoint and --bucket go together"],
    ["snapshot list --endpoint nowhere --bucket b", '--endpoint is "nowhere". Write a URL'],
    ["snapshot list --secret-access-key x", '"--secret-access-key" is not known here'],
  ])("%s is refused", async (words, said) => {
    const ran = await run(words);
    expect(ran.code).toBe(1);
    expect(ran.said).toContain(said);
  });

  it("asks for keys by the names of their variables", async () => {
    expect((await run(`snapshot list ${target()}`, {})).said).toContain(
      "HONEST_PAAS_S3_ACCESS_KEY_ID and HONEST_PAAS_S3_SECRET_ACCESS_KEY",
    );
    putSnapshot(s3, below, id, passphrase);
    const aws = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" };
    expect((await run(`snapshot list ${target()}`, aws)).code).toBe(0);
  });
});

describe("snapshot verify", () => {
  const folders = (): readonly string[] => readdirSync(temporary);

  it("fetches, opens and proves the newest, and leaves nothing behind", async () => {
    putSnapshot(s3, below, "20261130T110000Z-demo-cp-a", "an older passphrase");
    putSnapshot(s3, below, id, passphrase);
    const before = folders();
    const ran = await run(`snapshot verify ${target()}`);
    expect(ran).toMatchObject({
      code: 0,
      out: `${id} is good: 5 keys at revision 7, Kubernetes 1.36.3, taken by demo-cp-a; read by sums, seal\n`,
    });
    expect(folders()).toEqual(before);
  });

  const wrong: readonly (readonly [string, () => void, string])[] = [
    [
      "another passphrase",
      () => putSnapshot(s3, below, id, "the one before it"),
      "most likely the passphrase: give the one that backup.target had",
    ],
    [
      "a truncated object",
      () => {
        putSnapshot(s3, below, id, passphrase);
        const key = `${below}${id}/etcd.sealed`;
        s3.objects.set(key, (s3.objects.get(key) as Buffer).subarray(0, -9));
      },
      "it is cut off or another one. Take another snapshot",
    ],
    [
      "a changed object",
      () => {
        putSnapshot(s3, below, id, passphrase);
        (s3.objects.get(`${below}${id}/set.sealed`) as Buffer)[40] = 0;
        (s3.objects.get(`${below}${id}/set.sealed`) as Buffer)[41] = 0;
      },
      "has another sha256 than its manifest says: it was changed at the target",
    ],
    [
      "an object that is gone",
      () => {
        putSnapshot(s3, below, id, passphrase);
        s3.objects.delete(`${below}${id}/etcd.sealed`);
      },
      "there is no such object",
    ],
    [
      "a database of another snapshot",
      () => putSnapshot(s3, below, id, passphrase, { sealedProof: { sha256: "of another" } }),
      "its manifest says something else than its sealed set",
    ],
    [
      "a set of another snapshot",
      () => putSnapshot(s3, below, id, passphrase, { set: { id: "another" } }),
      "somebody has mixed the objects of two snapshots",
    ],
    [
      "a manifest of a later kit",
      () => s3.objects.set(`${below}${id}/manifest.json`, Buffer.from('{"format":2}')),
      "reads format 1. Take another one",
    ],
    ["nothing", () => undefined, "There is no snapshot below clusters/ in b"],
  ];
  it.each(wrong)("says of %s what it is and what to do", async (_, prepare, words) => {
    prepare();
    const before = folders();
    const ran = await run(`snapshot verify ${target()}`);
    expect(ran.code).toBe(1);
    expect(ran.said).toContain(words);
    expect(ran.said).not.toContain("    at ");
    expect(folders()).toEqual(before);
  });

  it("names the one that it does not find, and the missing passphrase", async () => {
    putSnapshot(s3, below, id, passphrase);
    expect((await run(`snapshot verify ${target()} --id x`)).said).toContain('There is no snapshot "x" below clusters/ in b.');
    expect((await run(`snapshot verify ${target()}`, { ...keys, HONEST_PAAS_PASSPHRASE: "" })).said).toContain(
      "put it into HONEST_PAAS_PASSPHRASE",
    );
  });
});
