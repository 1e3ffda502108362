// Every input of honest_boot as a value that is only known after apply. One machine for each input, so that all of them go
// through the same few runs; each has a source of its own, which is replaced to make the value unknown.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { releaseOf } from "../../../constructs/blueprint/machine-spec.js";
import { bundleOf } from "../../../provider/pki/bundle.js";
import { createPki } from "../../../provider/pki/create.js";
import { healthy } from "../../support/facts.js";
import { bootStates, changes, type Fixture, fixture, flat, machineSpec } from "./fixture.js";

const pki = createPki("demo", 100);
const bundle = (leafSeconds: number): string => JSON.stringify(bundleOf(pki, { leafSeconds, ticketNotAfter: "2026-12-01T00:00:00Z" }));

interface Case {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
  /** "decides": an unknown value means a plan of nothing. "recorded": it is taken over in place at once. */
  readonly kind: "decides" | "recorded";
  /** The value stands in a list or map of one element. */
  readonly element?: "list" | string;
}

const decides = (path: string, from: unknown, to: unknown, element?: Case["element"]): Case => ({
  path,
  from,
  to,
  kind: "decides",
  ...(element ? { element } : {}),
});
const recorded = (path: string, from: unknown, to: unknown, element?: Case["element"]): Case => ({
  ...decides(path, from, to, element),
  kind: "recorded",
});

const cases: readonly Case[] = [
  decides("spec.cluster", "demo", "other"),
  decides("spec.pool", "cp", "cq"),
  decides("spec.name", "m-spec-name", "m-spec-name-b"),
  decides("spec.role", "control-plane", "worker"),
  decides("spec.version", "1.36.3", "1.37.2"),
  decides("spec.template_epoch", 1, 2),
  decides("spec.endpoint_name", "api.demo.honest.internal", "api.other.honest.internal"),
  decides("spec.endpoint_port", 6443, 6444),
  decides("spec.pod_ipv4_cidr", "10.244.0.0/16", "10.245.0.0/16"),
  decides("spec.service_ipv4_cidr", "10.96.0.0/16", "10.97.0.0/16"),
  decides("spec.cert_names", "127.0.0.1", "127.0.0.2", "list"),
  decides("spec.component_flags", "50", "60", "kubelet.max-pods"),
  decides("spec.mirror_binaries", "http://a", "http://b"),
  decides("spec.mirror_images", "http://a", "http://b"),
  decides("spec.mirror_ca", "PEM a", "PEM b"),
  decides("spec.shape.instance_type", "local.cpu2.mem2048", "local.cpu2.mem4096"),
  decides("spec.shape.image", "honest-paas/machine:1.36.3", "honest-paas/machine:1.36.3-b"),
  decides("spec.shape.root_disk_gib", 20, 30),
  decides("born", false, true),
  decides("members", "m-members", "m-members-b", "list"),
  decides("roster", "r0", "r1", "m-roster"),
  decides("taints", "a=b:NoSchedule", "a=c:NoSchedule", "list"),
  decides("labels", "x", "y", "example.com/x"),
  decides("roll", "one_per_apply", "in_one_apply"),
  decides("max_unavailable", 1, 2),
  decides("max_surge", 1, 2),
  decides("window.hour", 1, 2),
  decides("window.duration_hours", 24, 23),
  decides("window.timezone", "UTC", "Europe/Berlin"),
  decides("window.days", "sunday", "monday", "list"),
  decides("encoding", "gzip_base64", "plain"),
  decides("user_data_limit", 16_384, 60_000),
  recorded("late.endpoint_address", "10.98.0.10", "10.98.0.20"),
  recorded("late.address", "10.98.0.11", "10.98.0.21"),
  recorded("late.etcd_disk", "honest-disk-a", "honest-disk-b"),
  recorded("late.pki", bundle(8760), bundle(9000)),
  recorded("late.members", "10.98.0.11", "10.98.0.21", "m-late-members"),
  recorded("access.endpoint", "https://127.0.0.1:1", "https://127.0.0.1:2"),
  recorded("access.ca_bundle", pki.ca.cert, pki.clientCa.cert),
  recorded("access.client_ca_cert", pki.clientCa.cert, pki.ca.cert),
  recorded("access.client_ca_key", pki.clientCa.key, pki.ca.key),
];

const keyOf = ({ path }: Case): string => path.replaceAll(".", "_");
const nameOf = (one: Case): string => `m-${keyOf(one).replaceAll("_", "-")}`;
const holding = (one: Case, value: unknown): unknown =>
  one.element === undefined ? value : one.element === "list" ? [value] : { [one.element]: value };

function put(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [first = "", ...rest] = path;
  if (rest.length === 0) target[first] = value;
  else {
    target[first] = target[first] ?? {};
    put(target[first] as Record<string, unknown>, rest, value);
  }
}
const get = (value: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((at, key) => (at as Record<string, unknown> | null)?.[key] ?? null, value);

/** `round` replaces every source; `to` gives it the other value. */
function config(round: number, to: boolean, only: readonly Case[] = cases): object {
  const boots = only.map((one) => {
    const name = nameOf(one);
    const spec = { ...machineSpec({ name }) };
    const boot: Record<string, unknown> = {
      spec: { ...spec, shape: { ...spec.shape } },
      late: { endpoint_address: "10.98.0.10", address: "10.98.0.11", etcd_disk: "d", pki: bundle(8760), members: { [name]: "10.98.0.11" } },
      members: only.map(nameOf),
      // of this machine alone: its turn is always now
      roster: { [name]: releaseOf(spec) },
      access: { endpoint: "https://127.0.0.1:1", ca_bundle: "x", client_ca_cert: "y", client_ca_key: "z" },
    };
    if (one.path.startsWith("window")) boot.window = { hour: 1, duration_hours: 24, timezone: "UTC" };
    put(boot, one.path.split("."), holding(one, `\${terraform_data.${keyOf(one)}.output}`));
    return [keyOf(one), boot];
  });
  const sources = only.map((one) => [keyOf(one), { input: to ? one.to : one.from, triggers_replace: round }]);
  return {
    terraform: { required_providers: { honest: { source: "honest-paas/honest" } } },
    resource: { honest_boot: Object.fromEntries(boots), terraform_data: Object.fromEntries(sources) },
  };
}

let f: Fixture;
const boots = (found: Record<string, string>): readonly string[] =>
  Object.keys(found)
    .filter((address) => address.startsWith("honest_boot"))
    .map((address) => address.slice("honest_boot.".length));
const planned = async () => {
  const plan = await f.w.plan();
  return { text: flat(plan.text), changed: boots(changes(plan.json)) };
};

beforeAll(async () => {
  f = await fixture(healthy({}, cases.map(nameOf)));
  await f.w.init();
  f.w.write({ "main.tf.json": config(1, false) });
  await f.w.apply();
  await f.w.expectEmptyPlan();
});
afterAll(() => f.w.close());

describe("unknown, then the same value", () => {
  it("changes no machine, and the next plan is empty", async () => {
    const before = await bootStates(f.w);
    f.w.write({ "main.tf.json": config(2, false) });
    const { text, changed } = await planned();
    expect(text).toMatch(/A machine's spec is only known after apply/);
    expect(changed.filter((key) => cases.find((one) => keyOf(one) === key)?.kind === "decides")).toEqual([]);
    await f.w.apply();
    expect(await bootStates(f.w)).toEqual(before);
    await f.w.expectEmptyPlan();
  });
});

describe("unknown, then another value", () => {
  it("changes no byte of a machine in the first apply; the next takes it over; then the plan is empty", async () => {
    const before = await bootStates(f.w);
    f.w.write({ "main.tf.json": config(3, true) });
    await f.w.apply();
    const first = await bootStates(f.w);
    for (const one of cases) {
      const key = keyOf(one);
      expect(get(first[key], "user_data"), one.path).toBe(get(before[key], "user_data"));
      expect(get(first[key], one.path), one.path).toEqual(holding(one, one.kind === "decides" ? one.from : one.to));
      if (one.path.startsWith("late.")) {
        expect(get(first[key], one.path.replace("late", "late_seen")), one.path).toEqual(holding(one, one.to));
      }
    }
    await f.w.apply();
    const second = await bootStates(f.w);
    for (const one of cases) {
      // of a machine that runs, `born` alone is no change: the ticket is in its bytes and is past
      const want = one.path === "born" ? one.from : one.to;
      expect(get(second[keyOf(one)], one.path), one.path).toEqual(holding(one, want));
      const rolled = get(second[keyOf(one)], "release") !== get(before[keyOf(one)], "release");
      expect(rolled, one.path).toBe(one.path.startsWith("spec."));
    }
    await f.w.expectEmptyPlan();
  });

  it("a known value goes back in one apply", async () => {
    const known = config(3, true) as { resource: { honest_boot: Record<string, Record<string, unknown>> } };
    for (const one of cases) put(known.resource.honest_boot[keyOf(one)] ?? {}, one.path.split("."), holding(one, one.from));
    f.w.write({ "main.tf.json": known });
    await f.w.apply();
    const after = await bootStates(f.w);
    for (const one of cases) expect(get(after[keyOf(one)], one.path), one.path).toEqual(holding(one, one.from));
    await f.w.expectEmptyPlan();
  });
});

describe("unknown where nothing was before", () => {
  const mirror = cases.filter((one) => one.path === "spec.mirror_ca");

  it("is an error at plan that says what to do; nothing was touched; then goes in two steps", async () => {
    const g = await fixture(healthy({}, mirror.map(nameOf)));
    try {
      await g.w.init();
      const without = config(1, false, mirror) as { resource: { honest_boot: Record<string, { spec: Record<string, unknown> }> } };
      for (const boot of Object.values(without.resource.honest_boot)) delete boot.spec.mirror_ca;
      g.w.write({ "main.tf.json": without });
      await g.w.apply();
      g.w.write({ "main.tf.json": config(2, true, mirror) });
      const refused = await g.w.run(["plan", "-no-color"], { expectFail: true });
      expect(flat(refused.stderr)).toMatch(
        /spec.mirror_ca of m-spec-mirror-ca comes from .* but spec.mirror_ca is given for the first time/,
      );
      await g.w.apply(["-target=terraform_data.spec_mirror_ca"]);
      await g.w.apply();
      await g.w.expectEmptyPlan();
    } finally {
      await g.w.close();
    }
  });
});

describe("late inputs", () => {
  it("reach a machine with the release after the one that recorded them, and the plan says so", async () => {
    const [late] = cases.filter((one) => one.path === "late.endpoint_address");
    if (!late) throw new Error("the case is gone");
    const g = await fixture(healthy({}, [nameOf(late)]));
    try {
      await g.w.init();
      g.w.write({ "main.tf.json": config(1, false, [late]) });
      await g.w.apply();
      const before = await bootStates(g.w);
      g.w.write({ "main.tf.json": config(1, true, [late]) });
      // the source changes in place here, so the value is known
      const moved = config(1, true, [late]) as { resource: { honest_boot: Record<string, Record<string, unknown>> } };
      put(moved.resource.honest_boot[keyOf(late)] ?? {}, ["late", "endpoint_address"], "10.98.0.20");
      g.w.write({ "main.tf.json": moved });
      expect(flat((await g.w.plan()).text)).toMatch(
        /endpoint_address changed. This apply records it; machines that run keep what they booted with/,
      );
      await g.w.apply();
      expect(get((await bootStates(g.w))[keyOf(late)], "user_data")).toBe(get(before[keyOf(late)], "user_data"));
      await g.w.expectEmptyPlan();
    } finally {
      await g.w.close();
    }
  });
});
