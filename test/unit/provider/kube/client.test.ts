import { beforeEach, describe, expect, it } from "vitest";
import { connect, type KubeClient } from "../../../../provider/kube/client.js";
import { configMap, type KubeObject } from "../../../../provider/kube/object.js";
import { connectedCluster } from "../../../support/connected-cluster.js";
import { createCa, issueTestClient } from "../../../support/stand-in/certificates.js";
import type { StandIn } from "../../../support/stand-in-cluster.js";

let cluster: StandIn;
let client: KubeClient;

beforeEach(async () => {
  const made = await connectedCluster();
  ({ cluster, client } = made);
  return made.close;
});

const map = (name: string, data: Record<string, string>): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "kube-system" },
  data,
});
const value = <T>(outcome: { ok: boolean; value?: T }): T | undefined => outcome.value;

describe("a missing object and an API that does not answer are two things", () => {
  it("answers undefined for what is not there", async () => {
    expect(await client.get(configMap("none"))).toEqual({ ok: true, value: undefined });
    expect(await client.delete(configMap("none"))).toEqual({ ok: true, value: false });
  });

  it.each(["get", "delete", "list"] as const)("fails with unreachable on %s when nobody answers", async (verb) => {
    cluster.reachable = false;
    const outcome = verb === "list" ? await client.list("v1", "Node") : await client[verb](configMap("x"));
    expect(outcome).toMatchObject({ ok: false, failure: { kind: "unreachable" } });
  });

  it("fails with unreachable when the server's certificate is another CA's", async () => {
    const other = await createCa("other");
    const wrong = connect({ ...cluster.access, ca_bundle: other.cert }, { issue: issueTestClient });
    expect(await wrong.get(configMap("x"))).toMatchObject({ ok: false, failure: { kind: "unreachable" } });
    await wrong.close();
  });

  it("fails with unreachable when the server does not take our certificate", async () => {
    const other = await createCa("other");
    const wrong = connect({ ...cluster.access, client_ca_cert: other.cert, client_ca_key: other.key }, { issue: issueTestClient });
    expect(await wrong.get(configMap("x"))).toMatchObject({ ok: false, failure: { kind: "unreachable" } });
    await wrong.close();
  });

  it("fails with stopped when terraform asks to stop", async () => {
    expect(await client.get(configMap("x"), { signal: AbortSignal.abort() })).toMatchObject({ ok: false, failure: { kind: "stopped" } });
  });

  describe("when a kept connection is closed in the moment in which it is used", () => {
    /** The next request finds its connection cut; the one after it is answered. */
    const cutOnce = async () => {
      await client.get(configMap("x"));
      let cuts = 1;
      Object.defineProperty(cluster, "reachable", { get: () => cuts-- <= 0 });
    };

    it("asks again on another one", async () => {
      await cutOnce();
      expect(await client.get(configMap("x"))).toEqual({ ok: true, value: undefined });
    });

    it("does not repeat a create, which may have gone through", async () => {
      await cutOnce();
      expect(await client.create(map("x", {}))).toMatchObject({ ok: false, failure: { kind: "unreachable" } });
    });
  });

  it("fails with unreachable after its time", async () => {
    expect(await client.get(configMap("x"), { timeoutMs: 0 })).toMatchObject({ ok: false, failure: { kind: "unreachable" } });
  });
});

describe("writing", () => {
  it("applies, and takes away what it applied before and no more", async () => {
    await client.apply(map("a", { one: "1", two: "2" }));
    await client.patch(configMap("a"), { data: { theirs: "3" } });
    await client.apply(map("a", { one: "1" }));
    expect((value(await client.get(configMap("a"))) as KubeObject | undefined)?.data).toEqual({ one: "1", theirs: "3" });
  });

  it("refuses to replace what somebody else has changed", async () => {
    const first = value(await client.create(map("a", { one: "1" }))) as KubeObject;
    await client.patch(configMap("a"), { data: { one: "2" } });
    expect(await client.replace({ ...first, data: {} })).toMatchObject({ ok: false, failure: { kind: "status", status: 409 } });
  });

  it("does not make an object that is applied with the uid of one that went", async () => {
    const gone = { ...map("a", {}), metadata: { name: "a", namespace: "kube-system", uid: "x" } };
    expect(await client.apply(gone)).toMatchObject({ ok: false, failure: { status: 409 } });
  });
});

describe("kinds that are not in the table", () => {
  const widget = (name: string): KubeObject => ({ apiVersion: "example.org/v1", kind: "Widget", metadata: { name, namespace: "default" } });

  it("are discovered, once", async () => {
    await client.apply(widget("a"));
    await client.apply(widget("b"));
    expect(value(await client.list("example.org/v1", "Widget"))).toHaveLength(2);
    expect(cluster.requests.filter((r) => r === "GET /apis/example.org/v1")).toHaveLength(1);
  });

  it("fail with a status when the cluster does not serve them", async () => {
    const unserved = await client.get({ apiVersion: "example.org/v2", kind: "Widget", name: "a" });
    expect(unserved.ok ? unserved : unserved.failure).toMatchObject({ kind: "status", status: 404 });
  });
});
