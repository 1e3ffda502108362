import { describe, expect, it } from "vitest";
import { fillDefaults } from "../../../../provider/framework/plan.js";
import type { Context, Private } from "../../../../provider/framework/resource.js";
import { isUnknown, type ObjectValue, unknown, type Value } from "../../../../provider/framework/value.js";
import { coreKubernetes } from "../../../../provider/resources/barrier/core.js";
import { honestBarrier } from "../../../../provider/resources/honest-barrier.js";

const context = (): Context => {
  const shared = new Map<string, unknown>();
  return {
    signal: new AbortController().signal,
    log: () => undefined,
    config: {},
    once<T>(key: string, make: () => T): T {
      if (!shared.has(key)) shared.set(key, make());
      return shared.get(key) as T;
    },
  };
};
const config = fillDefaults(honestBarrier.schema.attributes, {
  cluster: "demo",
  version: "1.36.3",
  uid: "u",
  pod_ipv4_cidr: "10.244.0.0/16",
  service_ipv4_cidr: "10.96.0.0/16",
  endpoint_name: "api.demo.honest.internal",
  members: { "demo-cp-a": "10.98.0.11" },
  workers: {},
  token_seed: "00",
  // Nobody listens on the discard port of loopback.
  access: { endpoint: "https://127.0.0.1:9", ca_bundle: "x", client_ca_cert: "x", client_ca_key: "x" },
});
const plan = (prior: ObjectValue | null, proposed: ObjectValue | null, seen: Private = {}) =>
  honestBarrier.plan?.({ prior, config: proposed, proposed, private: seen }, context());

describe("the version of the cluster-wide parts", () => {
  it.each([
    ["1.37.2", [], "1.37.2"],
    ["1.37.2", ["1.36.3", "1.37.2"], "1.36.3"],
    ["1.37.2", ["1.37.2"], "1.37.2"],
    ["1.9.0", ["1.10.0"], "1.9.0"],
  ])("wanted %s while %j run is %s", (wanted, running, version) => {
    expect(coreKubernetes(wanted, running)).toBe(version);
  });

  it("moves when every API server runs it", async () => {
    const digest = async (version: string, versions: string[]) => {
      const running = Object.fromEntries(versions.map((one, n) => [`cp-${n}`, one]));
      return (await plan(null, { ...config, version }, { running }))?.planned?.core_version;
    };
    expect(await digest("1.37.2", ["1.36.3", "1.37.2"])).toBe(await digest("1.36.3", []));
    expect(await digest("1.37.2", ["1.37.2"])).not.toBe(await digest("1.36.3", []));
  });
});

describe("the plan", () => {
  it("knows the parts' digest and the agent's beforehand", async () => {
    const planned = (await plan(null, config))?.planned;
    expect(planned).toMatchObject({
      id: "demo",
      complete: true,
      core_version: expect.stringMatching(/^[0-9a-f]{12}$/),
      agent_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it("is the same twice, and empty over its own result", async () => {
    const planned = (await plan(null, config))?.planned;
    const state: ObjectValue = { ...planned, cluster_uid: "k", api_endpoint: "https://127.0.0.1:9" };
    expect((await plan(state, state))?.planned).toEqual(state);
  });

  it("leaves open what depends on unknown inputs", async () => {
    expect(isUnknown((await plan(null, { ...config, endpoint_name: unknown }))?.planned?.core_version)).toBe(true);
  });

  it("takes keys of the backup that are only known after apply, and shows nothing of those that are known", async () => {
    const s3 = { endpoint: "https://s3.example.com", bucket: "etcd", access_key_id: "id", secret_access_key: "secret" };
    const digest = async (passphrase: Value) =>
      (await plan(null, { ...config, backup: { target: { s3, passphrase } } }))?.planned?.core_version as Value;
    expect(isUnknown(await digest(unknown))).toBe(true);
    expect(await digest("correct horse battery")).toBe(await digest("battery horse correct"));
    const shorter = await honestBarrier.validate?.({ config: { ...config, backup: { target: { s3, passphrase: "hunter2" } } } }, context());
    expect(JSON.stringify(shorter)).toMatch(/has 7 characters/);
    expect(await honestBarrier.validate?.({ config: { ...config, backup: { target: { s3, passphrase: unknown } } } }, context())).toEqual(
      [],
    );
  });

  it("finds a hand-over that is not complete", async () => {
    const state: ObjectValue = { ...(await plan(null, config))?.planned, cluster_uid: "k", complete: false };
    expect((await plan(state, state))?.planned?.complete).toBe(true);
  });
});

describe("versions that may not be", () => {
  const handedOver: ObjectValue = { ...config, complete: true };
  const refusals = async (prior: ObjectValue | null, change: ObjectValue, seen: Private) =>
    (await plan(prior, { ...config, ...change }, seen))?.diagnostics?.map(({ summary, detail }) => `${summary}: ${detail}`) ?? [];
  const w = (version: string): ObjectValue => ({ workers: { "demo-w-a-0": { vm_id: "i", release: "r", address: null, version } } });

  it("a double jump and a downgrade, also without a refresh", async () => {
    expect((await refusals(handedOver, { version: "1.37.2" }, { running: { a: "1.35.8" } })).join()).toMatch(
      /^Cluster cannot go to this Kubernetes version: Cluster demo, version: skips a minor.*allowed: 1\.35\.8, 1\.36\.3.*Fix: go to 1\.36\.3 first/,
    );
    expect(await refusals(handedOver, { version: "1.36.3" }, { running: { a: "1.37.2" } })).toHaveLength(1);
    expect(await refusals(handedOver, { version: "1.37.2" }, { running: { a: "1.36.3" } })).toEqual([]);
  });

  it("not of a birth that never came up: it has no version yet", async () => {
    expect(await refusals(null, { version: "1.35.8" }, {})).toEqual([]);
    expect(await refusals({ ...handedOver, complete: false }, { version: "1.35.8" }, { running: { a: "1.37.2" } })).toEqual([]);
  });

  it("workers newer than the control plane, and kubelets that would be left behind", async () => {
    expect((await refusals(null, w("1.37.2"), {})).join()).toMatch(
      /workers\.demo-w-a-0\.version: is newer than the control plane's 1\.36\.3/,
    );
    expect(await refusals(null, w("1.35.8"), {})).toEqual([]);
    const old = { running: { a: "1.36.3" }, kubelets: { w: "1.33.9" } };
    expect((await refusals(handedOver, { version: "1.37.2" }, old)).join()).toMatch(/bring node group w to a later version first/);
  });
});

describe("the end", () => {
  const prior: ObjectValue = { ...config, complete: true };
  const destroy = async (change: ObjectValue, marks: Private) =>
    honestBarrier.delete({ prior: { ...prior, ...change }, private: marks }, context());

  it("is refused while the cluster is protected, and the words name protection and -target", async () => {
    const { state, diagnostics = [] } = await destroy({ deletion_protection: true }, { how: "leave" });
    expect(state).not.toBeNull();
    expect(diagnostics[0]?.detail).toMatch(/deletion_protection = true.*-target/s);
  });

  it("does nothing when the barrier is only replaced or tainted", async () => {
    expect(await destroy({ deletion_protection: true }, {})).toEqual({ state: null });
    expect(await destroy({ deletion_protection: false }, { how: "create" })).toEqual({ state: null });
  });

  it("marks itself at the plan of a destroy, and only there", async () => {
    expect((await plan(prior, null))?.private).toMatchObject({ how: "leave" });
    expect((await plan(prior, prior))?.private).not.toHaveProperty("how");
  });
});

describe("validate", () => {
  it.each<[string, ObjectValue, string[]]>([
    ["nothing wrong", {}, []],
    ["a network that we do not have", { cni: "calico" }, ["Not a value of cni"]],
    ["a way of pods that we do not have", { pod_traffic: "swum" }, ["Not a value of pod_traffic"]],
    ["volumes", { on_destroy_volumes: "burn" }, ["Not a value of on_destroy_volumes"]],
    ["a version that nobody knows", { version: "1.36.99" }, ["Unknown Kubernetes version"]],
    ["a version by the name of something else", { version: "constructor" }, ["Unknown Kubernetes version"]],
    ["a timeout", { timeouts: { create: "soon" } }, ["Not a duration"]],
    ["unknown values", { version: unknown, cni: unknown, timeouts: unknown }, []],
  ])("%s", async (_, change, expected) => {
    expect((await honestBarrier.validate?.({ config: { ...config, ...change } }, context()))?.map((d) => d.summary)).toEqual(expected);
  });
});
