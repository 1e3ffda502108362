import type { AddressInfo } from "node:net";
import { createServer as createTcp } from "node:net";
import { createServer } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Diagnostic } from "../../../../provider/framework/diagnostic.js";
import { proposePlan } from "../../../../provider/framework/plan.js";
import { type ObjectValue, unknown } from "../../../../provider/framework/value.js";
import { honestPki } from "../../../../provider/resources/honest-pki.js";
import { seen } from "../../../../provider/resources/pki/born.js";
import { testContext } from "../../../support/context.js";
import { openWorld } from "../../../support/open-world.js";
import { createServer as serverCertificate } from "../../../support/stand-in/certificates.js";

// birth is noticed by a TLS handshake
openWorld("sockets");

const plan = async (config: ObjectValue, prior: ObjectValue | null = null) => {
  const proposed = proposePlan(honestPki.schema, config, prior);
  const answer = await honestPki.plan?.({ prior, config, proposed, private: {} }, testContext());
  return { planned: answer?.planned as ObjectValue, diagnostics: answer?.diagnostics ?? [] };
};
async function create(config: ObjectValue): Promise<ObjectValue> {
  const { planned } = await plan(config);
  const { state } = await honestPki.create({ prior: null, planned, config, private: {} }, testContext());
  if (!state) throw new Error("nothing was made");
  return state;
}
const read = async (state: ObjectValue, context = testContext()) => (await honestPki.read({ state, private: {} }, context)).state;

describe("create", () => {
  it("makes everything, knows nothing of a birth, and plans again: nothing", async () => {
    const config = { cluster: "demo" };
    const state = await create(config);
    expect(state.born).toBe(false);
    const bundle = JSON.parse(String(state.bundle)) as Record<string, unknown>;
    for (const name of [
      "uid",
      "ca_cert",
      "client_ca_cert",
      "client_ca_key",
      "etcd_ca_cert",
      "front_proxy_ca_cert",
      "sa_pub",
      "token_seed",
      "ticket_not_after",
    ]) {
      expect(bundle[name], name).toBe(state[name]);
    }
    const ticket = Date.parse(String(state.ticket_not_after)) - Date.now();
    expect(ticket).toBeGreaterThan(178 * 60_000);
    expect(ticket).toBeLessThanOrEqual(180 * 60_000);
    const years = (Date.parse(String(state.expires_at)) - Date.now()) / (365 * 86_400_000);
    expect(Math.round(years)).toBe(10);
    expect((await plan(config, state)).planned).toEqual(state);
  });

  it("marks every key as sensitive", () => {
    const open = Object.entries(honestPki.schema.attributes).filter(
      ([name, a]) => /key|seed|bundle|next|rotation_set/.test(name) && !a.sensitive,
    );
    // certificates only
    expect(open.map(([name]) => name)).toEqual(["ca_bundle"]);
  });
});

describe("plan", () => {
  it("knows the new bundle when only the life of leaves changes, and update makes the same one", async () => {
    const state = await create({ cluster: "demo" });
    const config = { cluster: "demo", leaf_lifetime: "100h" };
    const { planned } = await plan(config, state);
    expect(JSON.parse(String(planned.bundle))).toMatchObject({ leaf_seconds: 360_000, uid: state.uid });
    const updated = await honestPki.update?.({ prior: state, planned, config, private: {} }, testContext());
    expect(updated?.state).toEqual(planned);
  });

  it("leaves everything open when the cluster's name changes or is not known", async () => {
    const state = await create({ cluster: "demo" });
    for (const cluster of ["other", unknown]) {
      expect((await plan({ cluster }, state)).planned.bundle).toBe(unknown);
    }
  });

  it.each([
    [24 * 91, 0, ""],
    [24 * 89, 1, /end in 88 days/],
    [24 * 365, 0, ""],
  ])("authorities that live %i hours give %i warnings", async (ca_hours, count, words) => {
    const config = { cluster: "demo", ca_hours };
    const { diagnostics } = await plan(config, await create(config));
    expect(diagnostics).toHaveLength(count);
    if (words) expect(diagnostics[0]?.detail).toMatch(words);
  });

  it("says that they have ended", async () => {
    const state = { ...(await create({ cluster: "demo" })), expires_at: "2020-01-01T00:00:00Z" };
    expect((await plan({ cluster: "demo" }, state)).diagnostics[0]?.detail).toMatch(/have ended/);
  });
});

describe("validate", () => {
  it.each<[ObjectValue, RegExp | null]>([
    [{ cluster: "demo", endpoint: "https://127.0.0.1:26443" }, null],
    [{ cluster: "demo", endpoint: "https://[2001:db8::1]:6443" }, null],
    [{ cluster: "demo", endpoint: unknown, ca_hours: unknown }, null],
    [{ cluster: "demo", endpoint: "127.0.0.1:26443" }, /it is a URL such as/],
    [{ cluster: "demo", endpoint: "http://127.0.0.1" }, /it is a URL such as/],
    [{ cluster: "demo", ca_hours: 0 }, /a number from 24 to 876000/],
    [{ cluster: "demo", ca_hours: 10_000_000 }, /a number from 24 to 876000/],
    [{ cluster: "demo", leaf_lifetime: "90m" }, null],
    [{ cluster: "demo", leaf_lifetime: "2m" }, /a duration such as "8760h", at least "3m"/],
    [{ cluster: "demo", leaf_lifetime: "a year" }, /a duration such as/],
    [{ cluster: "demo", ticket_minutes: 100_000 }, /a number from 5 to 10080/],
  ])("%j", async (config, words) => {
    const found: readonly Diagnostic[] = (await honestPki.validate?.({ config }, testContext())) ?? [];
    if (words === null) expect(found).toEqual([]);
    else expect(found.map((d) => d.detail).join()).toMatch(words);
  });
});

describe("birth", () => {
  const servers: { close(): void }[] = [];
  const listen = (server: ReturnType<typeof createTcp> | ReturnType<typeof createServer>): Promise<string> => {
    servers.push(server);
    return new Promise((done) => server.listen(0, "127.0.0.1", () => done(`https://127.0.0.1:${(server.address() as AddressInfo).port}`)));
  };
  let state: ObjectValue;
  let mine = "";
  let foreign = "";
  let mute = "";
  let asked = 0;
  beforeAll(async () => {
    state = await create({ cluster: "demo" });
    const bundle = JSON.parse(String(state.bundle)) as Record<string, string>;
    const serving = async (cert = "", key = "") =>
      createServer(await serverCertificate({ cert, key }), (socket) => socket.on("error", () => undefined)).on("connection", () => {
        asked += 1;
      });
    mine = await listen(await serving(bundle.ca_cert, bundle.ca_key));
    foreign = await listen(await serving(bundle.etcd_ca_cert, bundle.etcd_ca_key));
    mute = await listen(createTcp((socket) => socket.on("error", () => undefined)));
  });
  afterAll(() => {
    for (const server of servers) server.close();
  });

  it("is noticed for ever when the API answers with a certificate of this cluster", async () => {
    const born = await read({ ...state, endpoint: mine });
    expect(born?.born).toBe(true);
    expect((await read({ ...state, born: true, endpoint: "https://127.0.0.1:1" }))?.born).toBe(true);
  });

  it.each([
    ["another cluster's certificate", () => foreign],
    ["nobody there", () => "https://127.0.0.1:1"],
    ["no endpoint", () => null],
  ])("is not noticed by %s, and nothing else moves", async (_what, endpoint) => {
    const before = { ...state, endpoint: endpoint() };
    expect(await read(before)).toEqual(before);
  });

  it("waits for no longer than its limit", async () => {
    const start = Date.now();
    expect(await seen(mute, String(state.ca_cert), 100)).toBe(false);
    expect(Date.now() - start).toBeLessThan(2_000);
  });

  it("asks once per process and cluster", async () => {
    asked = 0;
    const context = testContext();
    await Promise.all([1, 2, 3].map(() => read({ ...state, endpoint: mine }, context)));
    expect(asked).toBe(1);
  });
});

it("cannot be imported, and forgets when it is destroyed", async () => {
  expect(honestPki.importState).toBeUndefined();
  expect(honestPki.importRefused).toMatch(/Keep the state/);
  expect((await honestPki.delete({ prior: {}, private: {} }, testContext())).state).toBeNull();
});
