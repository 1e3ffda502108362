import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { releaseOf } from "../../../../../constructs/blueprint/machine-spec.js";
import { hasUnknown, type ObjectValue, unknown } from "../../../../../provider/framework/value.js";
import { planBoot } from "../../../../../provider/resources/boot/plan.js";
import { etcdNumberOf, isRestoring, restoreProblems, restoreWarning, sourceFor } from "../../../../../provider/resources/boot/restore.js";
import { validateBoot } from "../../../../../provider/resources/boot/validate.js";
import { healthy, silent } from "../../../../support/facts.js";
import { controlPlane, spec } from "../../boot/inputs.js";

const sha256 = "ab".repeat(32);
const now = Date.parse("2026-12-01T12:00:00Z");
const source = {
  url: "https://s3/20261201T110000Z-a/etcd.sealed?X-Amz-Signature=s",
  passphrase: "open",
  not_after: "2026-12-01T18:00:00Z",
};
const machine = (number: number | null, over: ObjectValue = {}): ObjectValue => ({
  spec: spec({ restore: number === null ? null : { number, sha256 } }) as unknown as ObjectValue,
  members: ["a", "b", "c"],
  restore_source: number === null ? null : source,
  ...over,
});

describe("whether a machine is made for a restore", () => {
  it.each([
    ["never restored", {}, machine(null), false],
    ["the first", {}, machine(1), true],
    ["done", { etcd_number: 1 }, machine(1), false],
    ["another try", { etcd_number: 1 }, machine(2), true],
  ] as const)("%s", (_what, prior, proposed, is) => {
    expect(isRestoring(prior, proposed)).toBe(is);
  });

  it("leaves no trace in the state of a cluster that never had one", () => {
    expect(etcdNumberOf(machine(null))).toBeNull();
    expect(releaseOf(spec({ restore: null }))).toBe(releaseOf(spec()));
    expect(releaseOf(spec({ restore: { number: 1, sha256 } }))).not.toBe(releaseOf(spec()));
  });
});

describe("what is refused at plan", () => {
  it.each([
    ["a lower number", { etcd_number: 2 }, machine(1), /restore.number is 1, and machine demo-cp-a is of number 2/],
    ["none after one", { etcd_number: 2 }, machine(null), /restore.number is left out.* keep restore with number 2/],
    ["no place to fetch from", {}, machine(1, { restore_source: null }), /restore.url and restore.not_after are missing/],
    ["an end that is past", {}, machine(1, { restore_source: { ...source, not_after: "2026-12-01T11:59:59Z" } }), /is over/],
    ["an end in a month", {}, machine(1, { restore_source: { ...source, not_after: "2027-01-01T00:00:00Z" } }), /more than 7 days ahead/],
    ["keys that are still to come", {}, machine(1, { late: { pki: unknown } }), /a rotation of the authorities are two applies/],
    ["all of the late inputs still to come", {}, machine(1, { late: unknown }), /a rotation of the authorities are two applies/],
    ["fewer control planes at once", {}, machine(1, { members: ["a"] }), /etcd has b, c, which is no control plane any more/],
  ] as const)("%s", (_what, prior, proposed, words) => {
    const [problem] = restoreProblems(prior, proposed, healthy(), now);
    expect(problem?.severity).toBe("error");
    expect(problem?.detail).toMatch(words);
    expect(problem?.detail).not.toContain("X-Amz-Signature");
  });

  it.each([
    ["a first restore", {}, machine(1)],
    ["one that is done, and names no place", { etcd_number: 1 }, machine(1, { restore_source: null })],
    [
      "one that is done, and its end is past",
      { etcd_number: 1 },
      machine(1, { restore_source: { ...source, not_after: "2026-11-01T00:00:00Z" } }),
    ],
  ] as const)("not: %s", (_what, prior, proposed) => {
    expect(restoreProblems(prior, proposed, healthy(), now)).toEqual([]);
  });

  it.each([
    [{ spec: { restore: { number: 0, sha256 } } }, "spec.restore.number is 0"],
    [{ spec: { restore: { number: 1, sha256: "AB" } } }, "spec.restore.sha256 is not 64 hex digits"],
    [{ restore_source: { ...source, url: "s3://bucket/key" } }, "restore_source.url is not an http or https URL"],
    [{ restore_source: { ...source, not_after: "tomorrow" } }, "restore_source.not_after is not a time"],
  ])("as configuration: %j", (config, words) => {
    expect(
      validateBoot(config as unknown as ObjectValue)
        .map((d) => d.detail)
        .join(),
    ).toContain(words);
  });
});

describe("what the machine is told", () => {
  it("is the place until the cluster has been seen with that number, and no longer", () => {
    expect(sourceFor(machine(1), null)).toEqual(source);
    expect(sourceFor(machine(1), { ...healthy(), number: 0 })).toEqual(source);
    expect(sourceFor(machine(1), { ...healthy(), number: 1 })).toBeNull();
    expect(sourceFor(machine(1, { restore_source: null }), null)).toBeNull();
  });
});

it("says what is lost, of when the snapshot is, and nothing that is secret", () => {
  const { detail } = restoreWarning(machine(1), healthy());
  expect(detail).toContain("Control planes a, b, c are replaced at once and start on the snapshot of 2026-12-01 11:00:00 UTC");
  expect(detail).toContain("Everything that was written to the cluster after it is lost");
  expect(detail).toContain("The cluster answers now");
  expect(detail).not.toMatch(/X-Amz|open/);
});

describe("plan", () => {
  const soon = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+Z$/, "Z");
  const { late } = controlPlane();
  const base: ObjectValue = {
    late: late as unknown as ObjectValue,
    late_seen: late as unknown as ObjectValue,
    born: true,
    members: ["demo-cp-a", "demo-cp-b", "demo-cp-c"],
    taints: [],
    labels: {},
    roll: "one_per_apply",
    encoding: "gzip_base64",
    user_data_limit: 16_384,
    window: null,
  };
  const at = (number: number | null): ObjectValue => ({
    ...base,
    spec: spec({ restore: number === null ? null : { number, sha256 } }) as unknown as ObjectValue,
    roster: { "demo-cp-a": releaseOf(spec({ restore: number === null ? null : { number, sha256 } })) },
    restore_source: number === null ? null : { ...source, not_after: soon },
  });
  const prior: ObjectValue = { ...at(null), release: releaseOf(spec()), etcd_number: null, user_data: "old", user_data_bytes: 3 };

  it.each([
    ["a cluster that does not answer", silent({}, ["demo-cp-a"])],
    ["a living one", healthy({}, ["demo-cp-a"])],
    ["one that was never read", undefined],
  ])("takes it at once from %s, and fits", (_what, facts) => {
    const held = facts === undefined ? {} : { facts: facts as unknown as ObjectValue };
    const { planned, diagnostics = [] } = planBoot({ prior, config: at(1), proposed: at(1), private: held });
    expect(diagnostics.filter((d) => d.severity === "error")).toEqual([]);
    expect(diagnostics.map((d) => d.summary)).toContain("Cluster demo goes back to a snapshot");
    expect(planned).toMatchObject({ etcd_number: 1, release: releaseOf(spec({ restore: { number: 1, sha256 } })), pending: null });
    expect(Number(planned?.user_data_bytes)).toBeLessThan(16_384);
  });

  it("is made from disks that are only known after apply, when they were lost", () => {
    const lost: ObjectValue = { ...at(1), late: { ...late, etcd_disk: unknown } as unknown as ObjectValue };
    const { planned, diagnostics = [] } = planBoot({ prior, config: lost, proposed: lost, private: {} });
    expect(diagnostics.filter((d) => d.severity === "error")).toEqual([]);
    expect(planned).toMatchObject({ user_data: unknown, etcd_number: 1 });
    const known: ObjectValue = { ...at(1), late: { ...late, etcd_disk: "/dev/disk/by-id/honest-disk-new" } as unknown as ObjectValue };
    const final = planBoot({ prior, config: known, proposed: known, private: {} }).planned ?? {};
    expect(gunzipSync(Buffer.from(String(final.user_data), "base64")).toString()).toContain("honest-disk-new");
    // what the first plan says is what core holds the second one against
    for (const [name, value] of Object.entries(planned ?? {}))
      if (!hasUnknown(value)) expect([name, final[name] ?? null]).toEqual([name, value]);
  });

  it("is not made while the authorities are only known after apply", () => {
    const both: ObjectValue = { ...at(1), late: { ...late, pki: unknown } as unknown as ObjectValue };
    const { planned, diagnostics = [] } = planBoot({ prior, config: both, proposed: both, private: {} });
    expect(planned).toBe(prior);
    expect(diagnostics.map((d) => d.detail).join()).toContain("A restore and a rotation of the authorities are two applies");
  });

  it("keeps what it has when only the place or the passphrase goes", () => {
    const done = { ...prior, ...at(1), etcd_number: 1, release: releaseOf(spec({ restore: { number: 1, sha256 } })) };
    const proposed = { ...done, restore_source: null };
    const { planned, diagnostics } = planBoot({ prior: done, config: proposed, proposed, private: { facts: healthy() as never } });
    expect(planned).toMatchObject({ user_data: "old", etcd_number: 1 });
    expect(diagnostics).toEqual([]);
  });
});
