// The OpenStack project's own provider, as it is published, driven through the shim against an API that is slow and loses
// nothing: what its plugin does when it is killed is real, what it talks to is not.
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ObjectValue } from "../../../provider/framework/value.js";
import { configOf } from "../../../provider/shim/config.js";
import { dataLookup } from "../../../provider/shim/data-lookup.js";
import { createExecutor } from "../../../provider/shim/executor.js";
import type { Executor, ObjectPlan, ObjectState } from "../../../provider/shim/instance-types.js";
import { type Journal, openJournal } from "../../../provider/shim/journal.js";
import { launchVendor } from "../../../provider/shim/launch.js";
import { planDestroy, planObject, readObject } from "../../../provider/shim/object.js";
import { preflight } from "../../../provider/shim/preflight.js";
import { stillRunning } from "../../../provider/shim/process-identity.js";
import { loadObject, storeObject } from "../../../provider/shim/stored.js";
import type { Vendor } from "../../../provider/shim/vendor.js";
import { createVendorPool, type VendorPool } from "../../../provider/shim/vendor-pool.js";
import { type FakeOpenStack, fakeOpenStack } from "../../support/fake-openstack.js";

const type = "openstack_networking_network_v2";
const built = join(process.env.HONEST_PAAS_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "honest-paas"), "go");
const program = (existsSync(built) ? readdirSync(built) : [])
  .filter((name) => name.startsWith("github.com_terraform-provider-openstack_"))
  .flatMap((name) => ["amd64", "arm64"].map((arch) => join(built, name, arch, "terraform-provider-openstack")))
  .find((path) => existsSync(path));
const missing = program ? "" : " (left out: the provider's binary is not in the cache; the OpenStack suite builds it)";

const lookups = {
  [type]: dataLookup({
    dataSource: type,
    config: ({ name }) => (typeof name === "string" ? { name } : null),
    none: /Your query returned no results/,
    ready: (value) => (value.id ? "ready" : "wait"),
  }),
};

describe.skipIf(missing !== "")(`the OpenStack provider${missing}`, () => {
  let api: FakeOpenStack;
  let pool: VendorPool;
  let dir = "";
  const logged: string[] = [];

  const start = (): Promise<Vendor> =>
    launchVendor({
      program: program ?? "",
      name: "openstack",
      log: (_level, message) => logged.push(message),
      patience: { handshakeMs: 30_000 },
    });
  const configure = (vendor: Vendor) =>
    vendor.configure({
      auth_url: `${api.url}/v3`,
      user_name: "demo",
      password: "secret",
      tenant_name: "demo",
      domain_name: "Default",
      region: "r",
      max_retries: 0,
    });

  beforeAll(async () => {
    api = await fakeOpenStack();
  });
  afterAll(() => api.close());
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "honest-shim-"));
    pool = createVendorPool(start, configure);
    Object.assign(api, { delayMs: 0, locked: false, refuseWith: null });
    api.networks.clear();
  });
  afterEach(async () => {
    await pool.close();
    rmSync(dir, { recursive: true });
  });

  async function plan(args: ObjectValue, prior: ObjectState | null = null): Promise<ObjectPlan> {
    const vendor = await pool.get();
    const { config, diagnostics } = configOf(await vendor.schema(type), args);
    const planned = await planObject(vendor, type, config, prior);
    expect([...diagnostics, ...planned.diagnostics]).toEqual([]);
    if (planned.plan === null) throw new Error("no plan");
    return planned.plan;
  }
  const executor = (journal: Journal): Executor =>
    createExecutor({ vendors: pool, journal, lookups, log: (_l, m) => logged.push(m), pace: { settleMs: 1500, pollMs: 50 } });

  it("lives a whole life: create, read, store, no-op, update, replace, destroy", async () => {
    const journal = openJournal(join(dir, "j"));
    const run = executor(journal);
    const made = await run.apply("network", await plan({ name: "net", admin_state_up: true, tags: ["b", "a"] }));
    expect(made.diagnostics).toEqual([]);
    if (made.state === null) throw new Error("nothing made");
    const vendor = await pool.get();
    expect(vendor.protocol).toBe(5);
    const stored = await storeObject(vendor, type, made.state);
    const loaded = await loadObject(vendor, stored);
    if (loaded.state === null) throw new Error("not loaded");
    const seen = await readObject(vendor, type, loaded.state);
    expect(seen.outcome).toBe("present");
    expect(await plan({ name: "net", admin_state_up: true, tags: ["a", "b"] }, seen.state)).toMatchObject({ action: "no-op", changed: [] });
    const update = await plan({ name: "renamed", admin_state_up: true, tags: ["a", "b"] }, seen.state);
    expect(update).toMatchObject({ action: "update", changed: ["name"] });
    const updated = await run.apply("network", update);
    expect([...api.networks.values()].map(({ name }) => name)).toEqual(["renamed"]);
    const replace = await plan({ name: "renamed", admin_state_up: true, tags: ["a", "b"], tenant_id: "p2" }, updated.state);
    expect(replace).toMatchObject({ action: "replace", replacedBy: [["tenant_id"]] });
    const replaced = await run.apply("network", replace);
    expect([...api.networks.values()].map(({ id, tenant_id }) => [id === made.state?.value.id, tenant_id])).toEqual([[false, "p2"]]);
    if (replaced.state === null) throw new Error("not replaced");
    expect(await run.apply("network", planDestroy(type, replaced.state))).toMatchObject({ outcome: "done", state: null });
    expect(api.networks.size).toBe(0);
    journal.close();
  });

  it("makes no request for a plan, so wrong credentials need the preflight", async () => {
    api.locked = true;
    const before = api.requests;
    expect(await plan({ name: "net" })).toMatchObject({ action: "create" });
    expect(api.requests).toBe(before);
    const check = { dataSource: "openstack_identity_auth_scope_v3", config: { name: "scope" }, account: "project_id" };
    const refused = await preflight(await pool.get(), check, null);
    expect(refused.diagnostics[0]?.summary).toBe("The cloud does not accept the credentials, or cannot be reached");
    api.locked = false;
    await pool.close();
    expect(await preflight(await pool.get(), check, null)).toEqual({ account: "p1", diagnostics: [] });
    const other = await preflight(await pool.get(), check, "p9");
    expect(other.diagnostics[0]?.detail).toContain("The credentials belong to p1; the cluster was made in p9.");
  });

  it("reports a quota once and makes nothing", async () => {
    api.refuseWith = 403;
    const before = api.requests;
    const refused = await executor(openJournal(join(dir, "j"))).apply("network", await plan({ name: "net" }));
    expect(refused).toMatchObject({ outcome: "failed", state: null });
    expect(refused.diagnostics.map((d) => d.detail + d.summary).join()).toContain("Quota exceeded");
    expect(api.requests - before).toBeLessThan(12);
    expect(api.networks.size).toBe(0);
  });

  // the API answers after 600 ms: before it, around the answer, after it
  it.each([50, 250, 450, 580, 620, 700, 900])("makes five networks once when the vendor is killed after %i ms", async (ms) => {
    api.delayMs = 600;
    const journal = openJournal(join(dir, "j"));
    const run = executor(journal);
    const names = ["a", "b", "c", "d", "e"];
    const plans = await Promise.all(names.map((name) => plan({ name, tags: [name] })));
    const victim = (await pool.get()).process;
    if (victim === null) throw new Error("no process");
    const applying = plans.map((p, i) => run.apply(`network.${names[i]}`, p));
    await sleep(ms);
    process.kill(victim.pid, "SIGKILL");
    const applied = await Promise.all(applying);
    expect(applied.map(({ outcome }) => outcome)).toEqual(names.map(() => "done"));
    await sleep(700);
    expect([...api.networks.values()].map(({ name }) => name).sort()).toEqual(names);
    expect(stillRunning(victim)).toBe(false);
    journal.close();
    // what was adopted lacks its tags, which are a second request: the next plan mends them, and nothing else
    for (const [i, { state }] of applied.entries()) {
      const vendor = await pool.get();
      const seen = await readObject(vendor, type, state ?? { value: {}, private: new Uint8Array() });
      const next = await plan({ name: names[i] ?? "", tags: [names[i] ?? ""] }, seen.state);
      expect(["no-op", "update"]).toContain(next.action);
      expect(next.changed.filter((name) => !["tags", "all_tags"].includes(name))).toEqual([]);
    }
  });

  it("adopts in the next run what this process was killed in the middle of", async () => {
    api.delayMs = 400;
    const first = openJournal(join(dir, "j"));
    const making = await plan({ name: "net" });
    void executor(first).apply("network", making);
    await sleep(150);
    const old = (await pool.get()).process;
    first.close();
    // another run: another pool, the same journal; the vendor of the first still works
    const rest = pool;
    pool = createVendorPool(start, configure);
    const journal = openJournal(join(dir, "j"));
    const run = executor(journal);
    await run.ready();
    expect(old && stillRunning(old)).toBe(false);
    expect(await run.apply("network", await plan({ name: "net" }))).toMatchObject({ outcome: "done" });
    expect(api.networks.size).toBe(1);
    journal.close();
    await rest.close();
  });

  it("leaves no process and no folder behind", async () => {
    const vendor = await pool.get();
    const own = vendor.process;
    await vendor.close();
    expect(own && stillRunning(own)).toBe(false);
    expect(vendor.alive()).toBe(false);
    await expect(vendor.validate(type, {})).rejects.toThrow(/gave no answer/);
  });
});
