import { describe, expect, it } from "vitest";
import { type ObjectValue, unknown } from "../../../../../provider/framework/value.js";
import { backupKeys, backupPolicy, backupProblems } from "../../../../../provider/resources/barrier/backup.js";

const s3 = { endpoint: "https://s3.example.com/", bucket: "etcd", access_key_id: "id", secret_access_key: "secret" };
const to = (over: ObjectValue = {}, more: ObjectValue = {}): ObjectValue => ({
  backup: { target: { s3: { ...s3, ...over }, passphrase: "correct horse battery", ...more } },
});

describe("what agents are told", () => {
  it("has defaults when nothing is said: snapshots on the disk alone", () => {
    const wanted = { every_seconds: 21_600, keep: 8, drill_seconds: 86_400, target: null };
    for (const value of [{}, { backup: null }, { backup: {} }, { backup: { schedule: null } }]) expect(backupPolicy(value)).toEqual(wanted);
    expect(backupKeys({})).toBeUndefined();
  });

  it("has no keys in it; those go apart", () => {
    const value = to({ prefix: "eu" }, { keep: 5 });
    expect(backupPolicy(value).target).toEqual({
      endpoint: "https://s3.example.com",
      bucket: "etcd",
      prefix: "eu/",
      region: "us-east-1",
      ca: null,
      keep: 5,
    });
    expect(backupKeys(value)).toEqual({ access_key_id: "id", secret_access_key: "secret", passphrase: "correct horse battery" });
  });

  it("off is zero seconds", () => {
    expect(backupPolicy({ backup: { schedule: "off", drill_every: "off" } })).toMatchObject({ every_seconds: 0, drill_seconds: 0 });
  });
});

describe("what is wrong with it", () => {
  it.each<[string, ObjectValue, readonly string[], string]>([
    ["too often", { backup: { schedule: "30s" } }, ["backup", "schedule"], 'is "30s". Allowed: 1m to 168h, or "off".'],
    ["no duration", { backup: { schedule: "daily" } }, ["backup", "schedule"], 'is "daily"'],
    ["of no length", { backup: { drill_every: "0h" } }, ["backup", "drill_every"], 'Allowed: 1m to 720h, or "off".'],
    ["nothing kept", { backup: { keep: 0 } }, ["backup", "keep"], "is 0. Allowed: a whole number, 1 to 100."],
    ["nothing kept there", to({}, { keep: 1.5 }), ["backup", "target", "keep"], "is 1.5."],
    ["no URL", to({ endpoint: "s3.example.com" }), ["backup", "target", "s3", "endpoint"], "Write http or https"],
    ["a prefix", to({ prefix: "/a" }), ["backup", "target", "s3", "prefix"], "none first"],
    ["a short passphrase", to({}, { passphrase: "hunter2" }), ["backup", "target", "passphrase"], "has 7 characters. Write 16 or more."],
    ["an empty key", to({ secret_access_key: "" }), ["backup", "target", "s3", "secret_access_key"], "is empty"],
  ])("%s", (_, config, path, words) => {
    const [problem, ...others] = backupProblems(config);
    expect(others).toEqual([]);
    expect(problem?.path).toEqual(path);
    expect(problem?.detail).toContain(words);
    expect(JSON.stringify(problem)).not.toContain("hunter2");
  });

  it("is nothing while it is not known", () => {
    const target = { s3: { ...s3, endpoint: unknown, secret_access_key: unknown }, passphrase: unknown };
    expect(backupProblems({ backup: { schedule: unknown, keep: unknown, target } })).toEqual([]);
    expect(backupProblems({ backup: unknown })).toEqual([]);
  });
});
