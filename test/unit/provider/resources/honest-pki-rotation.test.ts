// The three states in honest_pki: what each changes, what is refused and why, how documents follow.
import { describe, expect, it } from "vitest";
import { proposePlan } from "../../../../provider/framework/plan.js";
import type { Context, Private } from "../../../../provider/framework/resource.js";
import { isUnknown, type ObjectValue, unknown } from "../../../../provider/framework/value.js";
import { failed, ok } from "../../../../provider/kube/outcome.js";
import type { RotationSet } from "../../../../provider/pki/rotation.js";
import { honestPki } from "../../../../provider/resources/honest-pki.js";
import type { Facts, TrustFacts } from "../../../../provider/rollout/facts.js";
import { testContext } from "../../../support/context.js";
import { healthy } from "../../../support/facts.js";

const base = { cluster: "demo", endpoint: "https://127.0.0.1:1" };
const step = (state: string, number = 1) => ({ ...base, rotation: { number, state } });

async function plan(config: ObjectValue, prior: ObjectValue | null, held: Private = {}) {
  const proposed = proposePlan(honestPki.schema, config, prior);
  const answer = await honestPki.plan?.({ prior, config, proposed, private: held }, testContext());
  return { planned: answer?.planned as ObjectValue, diagnostics: answer?.diagnostics ?? [], private: answer?.private ?? {} };
}
/** Plan and apply; what was known at plan is what comes out. */
async function apply(config: ObjectValue, prior: ObjectValue | null, held: Private = {}): Promise<ObjectValue> {
  const { planned, diagnostics } = await plan(config, prior, held);
  if (diagnostics.some((d) => d.severity === "error")) throw new Error(diagnostics[0]?.detail);
  const request = { prior, planned, config, private: held };
  const { state } = (await (prior === null ? honestPki.create(request, testContext()) : honestPki.update?.(request, testContext()))) ?? {};
  for (const [name, value] of Object.entries(planned)) if (!isUnknown(value)) expect(state?.[name], name).toEqual(value);
  expect(Object.values(state ?? {}).some(isUnknown)).toBe(false);
  return state as ObjectValue;
}
/** The snapshot that all resources of a process share. */
const seeing = (facts: Facts | null): Context => {
  const context = testContext();
  const answer = Promise.resolve(facts ? ok(facts) : failed({ kind: "unreachable", message: "connection refused" }));
  return {
    ...context,
    once: <T>(key: string, make: () => T): T => (key.startsWith("cluster/facts/") ? (answer as T) : context.once(key, make)),
  };
};
const says = (state: string, over: Partial<TrustFacts> = {}) => ({ trust: { number: 1, state, waits: null, document: true, ...over } });
const nodes = (said: object, others: Readonly<Record<string, object>> = {}): Facts =>
  healthy({ nodes: Object.fromEntries(["a", "b", "c"].map((name) => [name, others[name] ?? said])) });
async function read(state: ObjectValue, facts: Facts | null): Promise<Private> {
  const answer = await honestPki.read({ state: { ...state, born: true }, private: {} }, seeing(facts));
  expect(answer.state).toEqual({ ...state, born: true });
  return answer.private ?? {};
}
const born = async (config: ObjectValue = base): Promise<ObjectValue> => ({ ...(await apply(config, null)), born: true });
const created = async (): Promise<ObjectValue> => apply(step("create"), await born());
const promoted = async (): Promise<ObjectValue> => {
  const state = await created();
  return apply(step("promote"), state, await read(state, nodes(says("create"))));
};
/** With documents that carry the new authorities. */
const followed = async (): Promise<ObjectValue> => {
  const state = await promoted();
  return apply(step("promote"), state, await read(state, nodes(says("promote", { document: false }))));
};
const bundleOf = (state: ObjectValue) => JSON.parse(String(state.bundle)) as Record<string, unknown>;
const setOf = (state: ObjectValue) => JSON.parse(String(state.rotation_set)) as RotationSet;
const count = (pem: unknown): number => String(pem).split("BEGIN CERTIFICATE").length - 1;

describe("create", () => {
  it("makes authorities beside the old ones: both are trusted, the old ones sign, documents stay", async () => {
    const before = await born();
    const state = await created();
    const { planned } = await plan(step("create"), before);
    expect(planned.ca_bundle).toBe(unknown);
    for (const name of ["bundle", "ca_cert", "client_ca_cert", "client_ca_key", "uid", "sa_pub", "token_seed", "expires_at", "generation"])
      expect(planned[name], name).toEqual(before[name]);
    expect(count(state.ca_bundle)).toBe(2);
    expect(String(state.ca_bundle).startsWith(String(state.ca_cert))).toBe(true);
    expect(setOf(state)).toMatchObject({ number: 1, state: "create", authorities: { ca: { key: null, chain: "" } } });
    expect((await plan(step("create"), state)).planned).toEqual(state);
  });
});

describe("promote", () => {
  it("signs with the new ones, whose certificates carry the old one's word; documents stay until everybody is there", async () => {
    const before = await created();
    const state = await apply(step("promote"), before, await read(before, nodes(says("create"))));
    expect(state.bundle).toBe(before.bundle);
    expect(state.ca_cert).not.toBe(before.ca_cert);
    expect(count(state.ca_bundle)).toBe(2);
    expect(count(state.client_ca_cert)).toBe(2);
    expect(setOf(state).authorities.ca.key).toContain("PRIVATE KEY");
    expect((await plan(step("promote"), state, await read(state, nodes(says("create"))))).planned).toEqual(state);
  });

  it("lets documents follow when every node uses the new ones", async () => {
    const state = await promoted();
    const next = await followed();
    expect([state.generation, next.generation]).toEqual([0, 1]);
    expect(bundleOf(next)).toMatchObject({ generation: 1, uid: next.uid, sa_pub: next.sa_pub });
    const again = await read(next, nodes(says("promote")));
    expect((await plan(step("promote"), next, again)).planned).toEqual(next);
    const { planned } = await plan(step("promote"), state, await read(state, nodes(says("promote"))));
    expect(bundleOf(planned).ca_cert).toBe(state.ca_cert);
  });

  it.each<[string, Facts | null, RegExp]>([
    ["one does not say", nodes(says("create"), { b: {} }), /b: it has not begun/],
    ["one is not done", nodes(says("create"), { c: says("create", { waits: "etcd to be started anew" }) }), /c: etcd to be/],
    ["one is at another rotation", nodes(says("create"), { c: says("create", { number: 2 }) }), /c: it has not begun/],
    ["one is silent", nodes(says("create"), { a: { ...says("create"), agentFresh: false } }), /a: its agent is silent/],
    ["nobody answers", null, /Nobody can say: .*connection refused/],
    ["it was never handed over", { ...nodes(says("create")), complete: false }, /has not been handed over/],
  ])("is refused while %s, and says how to go on", async (_, facts, why) => {
    const state = await created();
    const { planned, diagnostics } = await plan(step("promote"), state, await read(state, facts));
    expect(planned).toEqual(state);
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]?.detail).toMatch(why);
    expect(diagnostics[0]?.detail).toContain('Apply with { number = 1, state = "create" } again, then promote');
  });

  it("is refused without a reading: a plan without a refresh judges by the last one, and there was none", async () => {
    const { diagnostics } = await plan(step("promote"), await created());
    expect(diagnostics[0]?.detail).toMatch(/has not been read/);
  });
});

describe("retire", () => {
  it("forgets the old ones", async () => {
    const before = await followed();
    const state = await apply(step("retire"), before, await read(before, nodes(says("promote"))));
    expect(state.next).toBeNull();
    expect(state.ca_bundle).toBe(state.ca_cert);
    expect([count(state.client_ca_cert), state.bundle]).toEqual([1, before.bundle]);
    expect(setOf(state).authorities.ca).toMatchObject({ trust: state.ca_cert, chain: "" });
    const old = await born();
    expect(Date.parse(String(state.expires_at))).toBeGreaterThanOrEqual(Date.parse(String(old.expires_at)) - 1000);
    expect((await plan(step("retire"), state)).planned).toEqual(state);
    // and the next one begins from there
    const again = await apply(step("create", 2), state);
    expect(setOf(again)).toMatchObject({ number: 2, state: "create" });
    expect(count(again.ca_bundle)).toBe(2);
  });

  it.each<[string, Facts, RegExp]>([
    [
      "one uses the old ones",
      nodes(says("promote"), { b: says("promote", { waits: "kubelet-client to be renewed" }) }),
      /b: kubelet-client/,
    ],
    ["a document is older", nodes(says("promote"), { b: says("promote", { document: false }) }), /would not come back: b\..*converge/],
  ])("is refused while %s", async (_, facts, why) => {
    const state = await followed();
    const { planned, diagnostics } = await plan(step("retire"), state, await read(state, facts));
    expect(planned).toEqual(state);
    expect(diagnostics[0]?.detail).toMatch(why);
  });

  it("is refused while no document carries the new ones", async () => {
    const state = await promoted();
    const { diagnostics } = await plan(step("retire"), state, await read(state, nodes(says("promote"))));
    expect(diagnostics[0]?.detail).toMatch(/do not carry the new authorities yet/);
  });
});

describe("a wrong state", () => {
  it.each<[string, () => Promise<ObjectValue>, ObjectValue, string]>([
    ["promote first", born, step("promote"), 'set { number = 1, state = "create" }'],
    ["number 2 first", born, step("create", 2), 'set { number = 1, state = "create" }'],
    ["retire after create", created, step("retire"), 'set { number = 1, state = "promote" }'],
    ["left out after create", created, base, 'set { number = 1, state = "promote" }'],
    ["create after promote", promoted, step("create"), 'set { number = 1, state = "retire" }'],
  ])("is refused: %s", async (_, before, config, fix) => {
    const state = await before();
    const { planned, diagnostics } = await plan(config, state);
    expect(planned).toEqual(state);
    expect(diagnostics.map((d) => d.severity)).toEqual(["error"]);
    expect(diagnostics[0]?.detail).toContain(fix);
  });

  it.each(["create", "promote"])("is refused for a cluster that does not exist: %s", async (state) => {
    const { diagnostics } = await plan(step(state), null);
    expect(diagnostics[0]?.detail).toContain('set { number = 1, state = "retire" }');
  });

  it("a new cluster takes the number that its project carries", async () => {
    const state = await born(step("retire", 3));
    expect([state.generation, bundleOf(state).generation, state.rotation_set]).toEqual([3, 3, null]);
    expect((await plan(step("retire", 3), state)).planned).toEqual(state);
    expect((await plan(base, state)).diagnostics[0]?.detail).toContain('set { number = 3, state = "retire" }');
    expect((await apply(step("create", 4), state)).generation).toBe(3);
  });

  it.each<[ObjectValue, RegExp]>([
    [{ number: 0, state: "create" }, /rotation.number is 0; it is a whole number from 1/],
    [{ number: 1.5, state: "create" }, /rotation.number is 1.5/],
    [{ number: 1, state: "Create" }, /rotation.state is "Create"; allowed are create, promote, retire/],
  ])("is refused at once: %o", async (rotation, why) => {
    const found = await honestPki.validate?.({ config: { ...base, rotation } }, testContext());
    expect(found?.map((d) => d.detail).join()).toMatch(why);
  });

  it("is refused when it is not known at plan", async () => {
    const state = await born();
    const { planned, diagnostics } = await plan({ ...base, rotation: unknown }, state);
    expect([planned, diagnostics[0]?.summary]).toEqual([state, "A rotation is not known at plan"]);
  });
});

describe("what else may happen in the middle", () => {
  it("another life of leaves is taken with any step", async () => {
    const before = await created();
    const state = await apply({ ...step("promote"), leaf_lifetime: "100h" }, before, await read(before, nodes(says("create"))));
    expect(bundleOf(state)).toMatchObject({ leaf_seconds: 360_000 });
    expect(bundleOf(state).generation).toBeUndefined();
  });

  it("a state of before rotations is read as the first authorities, and plans nothing", async () => {
    const { ca_bundle: _, generation: __, ...old } = await born();
    const { state } = await honestPki.read({ state: old, private: {} }, testContext());
    expect(state).toMatchObject({ ca_bundle: old.ca_cert, generation: 0 });
    expect((await plan(base, state)).planned).toEqual(state);
  });

  it("an authority that ends soon is said with the step that comes next", async () => {
    const soon = { ...(await born()), expires_at: new Date(Date.now() + 40 * 86_400_000).toISOString() };
    const found = await plan(base, soon);
    expect(found.diagnostics[0]?.detail).toContain('set certificates.rotation = { number = 1, state = "create" }');
    const next = { ...(await created()), expires_at: soon.expires_at };
    expect((await plan(step("create"), next)).diagnostics[0]?.detail).toContain(
      'Go on with their rotation: set certificates.rotation = { number = 1, state = "promote" }',
    );
  });
});
