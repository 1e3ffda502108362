import { afterEach, describe, expect, it } from "vitest";
import { connect } from "../../../../../provider/kube/client.js";
import { coreObjects } from "../../../../../provider/kube/core-manifests/build.js";
import { everybodyTrusts } from "../../../../../provider/resources/barrier/rotation.js";
import { oldDocuments, trustLag } from "../../../../../provider/rollout/trust.js";
import { nodeFacts } from "../../../../support/facts.js";
import { issueTestClient } from "../../../../support/stand-in/certificates.js";
import { type StandIn, standInCluster } from "../../../../support/stand-in-cluster.js";

const part = (name: string) => ({ trust: `${name} NEW OLD`, key: `${name} KEY`, chain: `${name} CROSS` });
const set = JSON.stringify({
  number: 2,
  state: "promote",
  authorities: { ca: part("ca"), client_ca: part("client"), etcd_ca: part("etcd"), front_proxy_ca: part("front") },
});
const core = (rotation?: string) =>
  coreObjects({
    cluster: "demo",
    version: "1.36.3",
    endpointName: "api.demo.honest.internal",
    endpointPort: 6443,
    podCidr: "10.244.0.0/16",
    serviceCidr: "10.96.0.0/16",
    clusterDomain: "cluster.local",
    cni: "none",
    coredns: "1",
    kubeRouter: "2",
    ...(rotation === undefined ? {} : { rotation }),
  }).map((object) => JSON.stringify(object));

describe("what machines are given", () => {
  it("is nothing of a cluster that never rotated", () => {
    expect(core().filter((text) => text.includes('"honest-paas-rotation"'))).toEqual([]);
  });

  it("is the whole set in a Secret, and what workers need, without a key, in a ConfigMap", () => {
    const added = core(set).filter((text) => !core().includes(text));
    const [secret = "", map = ""] = added;
    expect(added).toHaveLength(2);
    expect(secret).toContain('"kind":"Secret"');
    expect(Buffer.from((JSON.parse(secret) as { data: { set: string } }).data.set, "base64").toString()).toBe(set);
    const { data } = JSON.parse(map) as { data: { set: string } };
    expect(JSON.parse(data.set)).toEqual({ number: 2, state: "promote", authorities: { ca: { trust: "ca NEW OLD", chain: "ca CROSS" } } });
    expect(map).not.toContain("KEY");
  });

  it("may be read by every node as far as it holds no key", () => {
    const roles = core(set).filter((text) => text.includes("honest-paas-trust") && text.includes('"kind":"Role"'));
    expect(roles).toHaveLength(1);
    expect(core(set).filter((text) => text.includes('"kind":"Role"') && text.includes("honest-paas-rotation"))).toEqual([]);
  });
});

const trust = (over: object = {}) => nodeFacts({ trust: { number: 2, state: "promote", waits: null, document: true, ...over } });

describe("who is behind", () => {
  it.each([
    [trust(), []],
    [trust({ waits: "etcd to be started anew" }), ["a: etcd to be started anew"]],
    [trust({ state: "create" }), ["a: it has not begun"]],
    [trust({ number: 1 }), ["a: it has not begun"]],
    [nodeFacts(), ["a: it has not begun"]],
    [{ ...trust(), agentFresh: false }, ["a: its agent is silent, so nobody can say"]],
  ])("%#", (a, expected) => {
    expect(trustLag({ b: trust(), a }, { number: 2, state: "promote" })).toEqual(expected);
  });

  it("an old document is one that is not said to carry the signer", () => {
    expect(oldDocuments({ c: trust({ document: false }), a: nodeFacts(), b: trust() })).toEqual(["a", "c"]);
  });
});

describe("the wait", () => {
  let cluster: StandIn | undefined;
  afterEach(async () => {
    await cluster?.close();
    cluster = undefined;
  });
  const input = (rotation: string, { access }: StandIn) => ({
    cluster: "demo",
    version: "1.36.3",
    uid: "u",
    cni: "none" as const,
    members: { a: "10.0.0.1" },
    workers: [],
    tokenSeed: "00",
    rotation,
    access,
  });
  const wait = async (seconds: number, said: object, silent: readonly string[] = []) => {
    cluster = await standInCluster();
    const status = { at: new Date().toISOString(), machine_id: "i-1" };
    const annotations = { "honest-paas.dev/status": JSON.stringify(status), "honest-paas.dev/trust": JSON.stringify(said) };
    const node = (name: string) => ({ collection: "api/v1/nodes", apiVersion: "v1", kind: "Node", name });
    cluster.store.put(node("a"), { metadata: { annotations } });
    // of a machine that was replaced: its Node goes after the barrier
    cluster.store.put(node("gone"), { metadata: {} });
    const client = connect(cluster.access, { issue: issueTestClient });
    const options = {
      deadline: Date.now() + seconds * 1000,
      signal: new AbortController().signal,
      log: () => undefined,
      births: new Map(),
      everyMs: 20,
    };
    const done = await everybodyTrusts(client, input(set, cluster), options, silent);
    await client.close();
    return done;
  };

  it("ends when every node has said that it is there", async () => {
    expect(await wait(5, { number: 2, state: "promote", waits: null, document: false })).toMatchObject({ ok: true });
  });

  it.each([
    ["is not done", { number: 2, state: "promote", waits: "kubelet to be started anew" }, /a: kubelet to be started anew/],
    ["says something else than nothing", { number: 2, state: "promote" }, /a: its report cannot be read/],
    ["says nonsense", { number: "2", state: 1 }, /a: it has not begun/],
  ])("names a node that %s", async (_, said, why) => {
    const outcome = await wait(0.2, said);
    expect(outcome.ok).toBe(false);
    expect(JSON.stringify(outcome)).toMatch(why);
  });

  it("passes over agents that an apply without a rotation only warns of", async () => {
    const said = { number: 2, state: "create", waits: null, document: false };
    expect((await wait(0.2, said)).ok).toBe(false);
    await cluster?.close();
    expect(await wait(5, said, ["a"])).toMatchObject({ ok: true });
  });

  it("is none where there never was a rotation", async () => {
    const never = undefined as never;
    expect(await everybodyTrusts(never, { rotation: null } as never, never)).toMatchObject({ ok: true });
  });
});
