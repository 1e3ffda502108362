import { describe, expect, it } from "vitest";
import { releaseOf } from "../../../../constructs/blueprint/machine-spec.js";
import { proposePlan } from "../../../../provider/framework/plan.js";
import type { Context } from "../../../../provider/framework/resource.js";
import { type ObjectValue, unknown } from "../../../../provider/framework/value.js";
import { failed, ok } from "../../../../provider/kube/outcome.js";
import { honestBoot } from "../../../../provider/resources/honest-boot.js";
import type { Facts, SnapshotsFacts } from "../../../../provider/rollout/facts.js";
import { testContext } from "../../../support/context.js";
import { healthy, nodeFacts } from "../../../support/facts.js";
import { members, pkiText, spec } from "../boot/inputs.js";

const names = Object.keys(members);
const rosterOf = (over: object): ObjectValue => Object.fromEntries(names.map((name) => [name, releaseOf(spec({ name, ...over }))]));
const flags = { component_flags: { "kubelet.max-pods": "70" } };

function config(specOver: object = {}, over: ObjectValue = {}): ObjectValue {
  return {
    spec: spec(specOver) as unknown as ObjectValue,
    late: { endpoint_address: "10.98.0.10", address: "10.98.0.11", etcd_disk: "honest-disk-1", pki: pkiText, members },
    born: false,
    members: names,
    roster: rosterOf(specOver),
    access: { endpoint: "https://127.0.0.1:1", ca_bundle: "a", client_ca_cert: "b", client_ca_key: "c" },
    ...over,
  };
}

async function plan(wanted: ObjectValue, prior: ObjectValue | null = null, held: object = {}) {
  const proposed = proposePlan(honestBoot.schema, wanted, prior);
  const answer = await honestBoot.plan?.({ prior, config: wanted, proposed, private: held as Record<string, unknown> }, testContext());
  return { planned: answer?.planned as ObjectValue, diagnostics: answer?.diagnostics ?? [] };
}
async function create(wanted: ObjectValue): Promise<ObjectValue> {
  const { planned } = await plan(wanted);
  const { state, diagnostics } = await honestBoot.create({ prior: null, planned, config: wanted, private: {} }, testContext());
  if (!state) throw new Error(diagnostics?.[0]?.detail);
  return state;
}
const document = (state: ObjectValue): Record<string, unknown> =>
  JSON.parse(/boot\.json"\n\n(.*)\n/.exec(String(state.user_data))?.[1] ?? "{}") as Record<string, unknown>;
const plain = { encoding: "plain", user_data_limit: 65_535 } as const;
const reached = healthy({}, names);

/** The snapshot that all resources of a process share. */
const seeing = (facts: Facts | null): Context => {
  const base = testContext();
  const answer = Promise.resolve(facts ? ok(facts) : failed({ kind: "unreachable", message: "connection refused" }));
  return { ...base, once: <T>(key: string, make: () => T): T => (key.startsWith("cluster/facts/") ? (answer as T) : base.once(key, make)) };
};
const read = (state: ObjectValue, facts: Facts | null, held: object = {}) =>
  honestBoot.read({ state, private: held as Record<string, unknown> }, seeing(facts));

describe("create", () => {
  it("knows release and shape at plan, bytes at apply, and plans again: nothing", async () => {
    const { planned } = await plan(config());
    expect(planned).toMatchObject({
      release: releaseOf(spec()),
      instance_type: "local.cpu2.mem2048",
      pending: null,
      pending_count: 0,
      user_data: unknown,
    });
    const state = await create(config());
    expect((await plan(config(), state)).planned).toEqual(state);
  });

  it("gives a ticket while nobody has seen the cluster, and none after", async () => {
    expect(document(await create(config({}, plain))).ticket).not.toBeNull();
    expect(document(await create(config({}, { ...plain, born: null }))).ticket).not.toBeNull();
    expect(document(await create(config({}, { ...plain, born: true }))).ticket).toBeNull();
  });

  it("stores no facts: a plan without a refresh releases nobody", async () => {
    const { planned } = await plan(config());
    const answer = await honestBoot.create({ prior: null, planned, config: config(), private: {} }, testContext());
    expect(answer.private).toBeUndefined();
  });

  it("fails when what was unknown turns out to be no bundle, and stores nothing", async () => {
    const late = { ...(config().late as ObjectValue), pki: "{}" };
    const { planned } = await plan(config({}, { late: { ...late, pki: unknown } }));
    const answer = await honestBoot.create({ prior: null, planned: { ...planned, late }, config: config(), private: {} }, testContext());
    expect(answer.state).toBeNull();
    expect(answer.diagnostics?.[0]?.summary).toBe("Not a bundle of honest_pki");
  });

  it("says at plan that user-data will be too large, also while keys and addresses are unknown", async () => {
    const large = Object.fromEntries(Array.from({ length: 700 }, (_, n) => [`kubelet.${n * 7919}`, `${(n * 104_729) % 99_991}`]));
    for (const late of [config().late ?? null, unknown, { ...(config().late as ObjectValue), pki: unknown }]) {
      const { diagnostics } = await plan(config({ component_flags: large }, { late }));
      expect(diagnostics.map((d) => `${d.severity}: ${d.summary}`)).toEqual(["error: User-data is too large"]);
    }
    expect((await plan(config({}, { late: unknown }))).diagnostics).toEqual([]);
  });

  it("refuses a version that it knows no components of", async () => {
    const { diagnostics } = await plan(config({ version: "1.12.0" }));
    expect(diagnostics[0]?.detail).toMatch(/^spec.version of demo-cp-a is "1.12.0"; this version of the kit makes machines of .*1\.36\.3/);
  });
});

describe("a machine that runs", () => {
  it("keeps its bytes when born, taints, labels, members or late change", async () => {
    const state = await create(config());
    const late = { ...(config().late as ObjectValue), endpoint_address: "10.98.0.99" };
    const changed = config({}, { born: true, taints: ["a=b:NoSchedule"], labels: { x: "y" }, late, members: [...names, "demo-cp-d"] });
    const { planned, diagnostics } = await plan(changed, state, { facts: reached });
    expect(planned.user_data).toBe(state.user_data);
    expect(planned.born).toBe(false);
    expect(planned.late_seen).toEqual(late);
    expect(diagnostics.map((d) => d.summary)).toEqual(["Late inputs reach machines with their next release"]);
    const answer = await honestBoot.update?.({ prior: state, planned, config: changed, private: {} }, testContext());
    expect(answer?.state).toEqual(planned);
    expect((await plan(changed, planned, { facts: reached })).planned).toEqual(planned);
  });

  it("takes its release from what was recorded, never from the configuration of the same run", async () => {
    const state = await create(config({}, plain));
    const late = { ...(config().late as ObjectValue), endpoint_address: "10.98.0.99" };
    const { planned } = await plan(config(flags, { ...plain, late }), state, { facts: reached });
    expect(planned.release).toBe(releaseOf(spec(flags)));
    expect((document(planned).endpoint as ObjectValue).address).toBe("10.98.0.10");
    expect(document(planned).component_flags).toEqual(flags.component_flags);
    // the same with a late input that is still unknown: core's second call must not see other bytes
    const first = await plan(config(flags, { ...plain, late: unknown }), state, { facts: reached });
    expect(first.planned.user_data).toBe(planned.user_data);
  });

  it("gets no ticket with a release once anybody has seen the cluster", async () => {
    const state = await create(config({}, plain));
    const ticket = async (held: Facts | undefined, born: boolean) =>
      document((await plan(config(flags, { ...plain, born }), state, held ? { facts: held } : {})).planned).ticket;
    expect(await ticket(reached, false)).toBeNull();
    const unborn = { ...reached, reachable: false, born: false, complete: false };
    expect(await ticket(unborn, false)).not.toBeNull();
  });

  const at = (version: string): Facts => healthy({ nodes: Object.fromEntries(names.map((name) => [name, { version }])) }, names);
  it.each([
    ["down", "1.36.3", at("1.37.2"), /is older than the 1\.37\.2 that demo-cp-a.* run.*"1\.36\.3".*write 1\.37\.2/],
    ["over a minor", "1.37.2", at("1.35.8"), /skips a minor version.*"1\.37\.2".*go to 1\.36\.3 first/],
    [
      "down while one control plane is up already, since the cluster still serves what it is to go back to",
      "1.36.3",
      healthy({ nodes: { ...at("1.36.3").nodes, "demo-cp-b": { version: "1.37.2" } } }, names),
      null,
    ],
    ["up by one", "1.37.2", at("1.36.3"), null],
    ["down before the hand-over: the correction of a birth", "1.36.3", { ...at("1.37.2"), complete: false }, null],
  ])("goes a cluster's way: %s", async (_case, version, facts, words) => {
    const state = await create(config({ version: version === "1.36.3" ? "1.37.2" : "1.36.3" }));
    const { diagnostics } = await plan(config({ version }), state, { facts });
    const errors = diagnostics.filter((d) => d.severity === "error").map((d) => d.detail);
    if (words) expect(errors[0]).toMatch(words);
    else expect(errors).toEqual([]);
  });

  it("moves its shape with the release only", async () => {
    const state = await create(config());
    const shape = { shape: { instance_type: "local.cpu4.mem8192", image: "other", root_disk_gib: 40 } };
    const waits = await plan(config(shape), state, { facts: healthy({ etcd: { "demo-cp-c": "dead" } }, names) });
    expect(waits.planned).toMatchObject({ instance_type: "local.cpu2.mem2048", image: "honest-paas/machine:1.36.3", root_disk_gib: 20 });
    expect(waits.planned).toMatchObject({ pending: `release ${releaseOf(spec(shape))} waits for its turn`, pending_count: 1 });
    const takes = await plan(config(shape), state, { facts: reached });
    expect(takes.planned).toMatchObject({
      instance_type: "local.cpu4.mem8192",
      image: "other",
      root_disk_gib: 40,
      pending: null,
      pending_count: 0,
    });
  });

  it("drops an attribute that the configuration drops", async () => {
    const state = await create(config({}, { born: true, labels: { a: "b" } }));
    const { planned } = await plan(config({}, { born: null }), state, { facts: reached });
    expect(planned).toMatchObject({ born: null, labels: null });
  });
});

describe("window", () => {
  const window = { days: null, hour: 2, duration_hours: 1, timezone: "UTC" };

  it("holds while it is closed, is judged by the one that was read, and opens at once when it is taken away", async () => {
    const state = await create(config({}, { window }));
    const closed = { facts: { ...reached, windowOpen: false, windowOpens: "2026-12-01T02:00Z", window } };
    const waits = await plan(config(flags, { window }), state, closed);
    expect(waits.diagnostics[0]?.detail).toMatch(/the maintenance window is closed; it opens at 2026-12-01T02:00Z/);
    const other = await plan(config(flags, { window: { ...window, hour: 3 } }), state, { facts: { ...reached, window } });
    expect(other.planned.pending_count).toBe(1);
    expect(other.diagnostics[0]?.detail).toMatch(/the maintenance window is new; this apply records it, and the next plan judges it/);
    expect((await plan(config(flags), state, closed)).planned.pending_count).toBe(0);
  });
});

describe("read", () => {
  it("keeps what the pace asks for, without times, and nothing of other pools", async () => {
    const state = await create(config());
    const facts = healthy(
      { lease: { holder: "demo-cp-b", drained: true, ageSec: 77 }, nodes: { "demo-web-a-0-0abcd": nodeFacts({ pool: "web" }) } },
      names,
    );
    const kept = (await read(state, facts)).private?.facts as Facts;
    expect(Object.keys(kept.nodes)).toEqual(names);
    expect(kept.lease).toEqual({ holder: "demo-cp-b", drained: true, ageSec: 0 });
    expect((await read(state, facts)).private).toEqual((await read(state, facts)).private);
  });

  it("keeps nothing that agents report all the time and no pace asks for", async () => {
    const state = await create(config());
    const reports = {
      certificates: { problem: null, ends: { etcd: 1 } },
      trust: { number: 1, state: "create", waits: null, document: false },
      snapshots: { scheduleSeconds: 60 } as SnapshotsFacts,
      health: { problems: [], healed: [], selfHeal: true, maintenance: null },
    };
    const told = healthy({ nodes: Object.fromEntries(names.map((name) => [name, reports])) }, names);
    const seen = (await read(state, told)).private?.facts as Facts;
    for (const name of names) for (const part of Object.keys(reports)) expect(seen.nodes[name], name).not.toHaveProperty(part);
  });

  it("keeps old facts, marked as old, when the API is silent", async () => {
    const state = await create(config());
    const answer = await read(state, null, { facts: reached });
    expect(answer.state).toBe(state);
    expect(answer.private?.facts).toMatchObject({
      ...reached,
      reachable: false,
      unreachable: expect.stringContaining("connection refused"),
    });
    expect(answer.diagnostics?.[0]).toMatchObject({ severity: "warning", summary: "Cluster demo could not be read" });
    // and a later answer takes the mark away
    expect((await read(state, reached, answer.private)).private?.facts).not.toHaveProperty("unreachable");
  });

  it("has nothing to read without access", async () => {
    const state = await create(config({}, { access: null }));
    expect(await read(state, reached)).toEqual({ state });
  });
});

describe("validate", () => {
  it.each<[string, ObjectValue, RegExp]>([
    ["roll", config({}, { roll: "fast" }), /roll is "fast"; allowed are one_per_apply, in_one_apply/],
    ["encoding", config({}, { encoding: "zip" }), /allowed are gzip_base64, gzip_base64_text, plain/],
    ["role", config({ role: "master" }), /spec.role is "master"; allowed are control-plane, worker/],
    ["port", config({ endpoint_port: 70_000 }), /whole number from 1 to 65535/],
    ["max_surge", config({}, { max_surge: 0.5 }), /whole number from 0/],
    ["day", config({}, { window: { days: ["Sunday"], hour: 2, duration_hours: 1 } }), /window.days is "Sunday"; allowed are sunday/],
    ["hour", config({}, { window: { hour: 24, duration_hours: 1 } }), /window.hour is 24/],
    ["zone", config({}, { window: { hour: 2, duration_hours: 1, timezone: "Mars/Base" } }), /IANA/],
    ["offset, in which no hour may ever begin", config({}, { window: { hour: 2, duration_hours: 1, timezone: "+05:37" } }), /IANA/],
    [
      "no day: it never opens",
      config({}, { window: { hour: 2, duration_hours: 1, days: [] } }),
      /days is empty: such a window never opens/,
    ],
    ["no hour: it never opens", config({}, { window: { hour: 2, duration_hours: 0 } }), /duration_hours is 0; it is a whole number from 1/],
    ["disk", config({}, { late: { ...(config().late as ObjectValue), etcd_disk: null } }), /late.etcd_disk is left out/],
    ["bundle", config({}, { late: { ...(config().late as ObjectValue), pki: "x" } }), /takes honest_pki's attribute bundle/],
  ])("fails when %s is wrong", async (_what, wrong, words) => {
    const found = (await honestBoot.validate?.({ config: wrong }, testContext())) ?? [];
    expect(found.map((d) => d.detail).join()).toMatch(words);
  });

  it("has nothing to say of what is right, or unknown", async () => {
    expect(await honestBoot.validate?.({ config: config() }, testContext())).toEqual([]);
    const open = config({}, { late: unknown, window: unknown, roll: unknown, spec: unknown });
    expect(await honestBoot.validate?.({ config: open }, testContext())).toEqual([]);
  });
});

it("cannot be imported, and forgets when it is destroyed", async () => {
  expect(honestBoot.importState).toBeUndefined();
  expect((await honestBoot.delete({ prior: {}, private: {} }, testContext())).state).toBeNull();
});
