import { describe, expect, it } from "vitest";
import { authority, day, type Look, leaf, machine, now, report, second } from "./read.js";

const texts = (look: Look) => report(look).problems.map(({ severity, text }) => `${severity}: ${text}`);

it("is healthy without a word when nothing is wrong", () => {
  expect(report()).toMatchObject({ format: 1, verdict: "healthy", problems: [], api_error: null, complete: true });
});

it("has the shape that is documented", () => {
  const found = report({ leader: "demo-cp-b" });
  expect(Object.keys(found).sort()).toEqual(
    "api_error at availability certificates cluster complete endpoint format health lease members nearest_expiry nodes pending problems snapshots torn_down uid verdict version window".split(
      " ",
    ),
  );
  expect(found.members[1]).toEqual({ name: "demo-cp-b", state: "answers", leader: true, reported_at: "2026-06-01T11:59:55Z" });
  expect(found.nodes[0]).toEqual({
    name: "demo-cp-a",
    role: "control-plane",
    pool: "cp",
    version: "1.36.3",
    api_server: null,
    kube_proxy: null,
    release: "r1a2b3c4d5e6",
    state_release: "r1a2b3c4d5e6",
    ready: true,
    reason: "KubeletReady:",
    unschedulable: false,
    draining: false,
    booted_at: "2026-06-01T09:00:00Z",
    agent_fresh: true,
    agent_at: "2026-06-01T11:59:55Z",
    ready_since: "2026-06-01T11:59:52Z",
    stage: "ready",
  });
  expect(found.certificates).toEqual([
    { name: "cluster CA", source: "state", not_before: "2026-05-31T12:00:00Z", not_after: "2036-05-29T12:00:00Z", trusted: true },
    { name: "API server", source: "served", not_before: "2026-05-31T12:00:00Z", not_after: "2027-05-31T12:00:00Z", trusted: true },
  ]);
});

it("does not know the leader when no agent says so", () => {
  expect(report().members.map((m) => m.leader)).toEqual([null, null, null]);
  expect(report({ leader: "demo-cp-c" }).members.map((m) => m.leader)).toEqual([false, false, true]);
});

const silent = { agentAt: now - 240 * second, readySince: now - 240 * second };
describe("a cause for each trouble", () => {
  it.each<[string, Look, readonly (string | RegExp)[]]>([
    [
      "a member whose machine is gone",
      { dead: ["demo-cp-b"], nodes: { "demo-cp-b": { ...silent, ready: false, message: "Kubelet stopped posting node status." } } },
      [
        /^problem: etcd member demo-cp-b does not answer since 11:56:00Z \(4 min\), and its machine has not been heard of since/,
        /^problem: 2 of 3 etcd members answer: with one more lost/,
        /^problem: Node demo-cp-b is not Ready since 11:56:00Z \(4 min\): KubeletNotReady: Kubelet stopped/,
        /^problem: The agent on demo-cp-b is silent since 11:56:00Z \(4 min\)/,
      ],
    ],
    ["a member whose machine runs", { dead: ["demo-cp-b"] }, [/demo-cp-b does not answer, and its machine runs: .*honest-etcd/, /2 of 3/]],
    [
      "a member on which witnesses disagree",
      { dead: ["demo-cp-b"], nodes: { "demo-cp-b": { etcd: { at: now - 30 * second, members: [{ name: "demo-cp-b", answers: true }] } } } },
      [/^problem: etcd member demo-cp-b did not answer the newest witness/, /2 of 3/],
    ],
    ["a learner", { learner: "demo-cp-c" }, [/demo-cp-c is a learner/, /2 of 3/]],
    [
      "a control plane that is no member",
      { voters: ["demo-cp-a", "demo-cp-b"] },
      [/^problem: demo-cp-c is no member of etcd; its machine runs/],
    ],
    [
      "nobody reports on etcd",
      { nodes: Object.fromEntries(["a", "b", "c"].map((l) => [`demo-cp-${l}`, { etcd: { at: now - 90 * second, members: [] } }])) },
      ["problem: No control plane has reported on etcd within the last minute."],
    ],
    [
      "an agent that never spoke",
      { nodes: { "demo-cp-a": { annotations: { "honest-paas.dev/status": "{}" } } } },
      [/agent on demo-cp-a has never reported/],
    ],
    ["a node that is gone", { nodes: { "demo-cp-c": null } }, [/^problem: Node demo-cp-c is in the state and not in the cluster/]],
    ["a cordoned node", { nodes: { "demo-cp-a": { spec: { unschedulable: true } } } }, ["note: Node demo-cp-a is cordoned."]],
    [
      "another release than the state's",
      { nodes: { "demo-cp-a": { release: "r999999999999" } } },
      [/demo-cp-a runs release r9999999 and the state has r1a2b3c4/],
    ],
    ["no hand-over", { marker: null }, [/^problem: The cluster has not been handed over/]],
    ["a teardown", { marker: { complete: "true", torn_down: "true" } }, [/^problem: The cluster is being torn down/]],
    [
      "a lease of a moment",
      { lease: { holder: "demo-cp-a", ageSec: 90, drained: true } },
      ["note: demo-cp-a is being replaced or taken out for 1 min, and is drained."],
    ],
    [
      "a lease that was left",
      { lease: { holder: "demo-cp-a", ageSec: 3_600 } },
      [/^problem: demo-cp-a is being replaced.*1 h.*an apply was cut/],
    ],
    [
      "a machine that waits",
      { state: { machines: [machine("demo-cp-a", { pending: true, wanted: "r2" })] } },
      ["note: demo-cp-a waits for a new release: honest-paas converge goes on."],
    ],
    [
      "behind a closed window",
      {
        state: {
          machines: [machine("demo-cp-a", { pending: true })],
          window: { days: ["saturday"], hour: 2, durationHours: 1, timezone: "UTC" },
        },
      },
      [/opens at 2026-06-06T02:00Z/],
    ],
    [
      "a served certificate that ended",
      { served: [leaf(now - 2 * day, now - second)] },
      [/^problem: The certificate of API server ended at 2026-06-01T11:59:59Z/],
    ],
    [
      "one that ends soon",
      { served: [leaf(now - 340 * day, now + 25 * day)] },
      [/^problem: The certificate of API server ends at .*, in 25 d\.$/],
    ],
    ["a short-lived one in its last tenth", { served: [leaf(now - 95 * second, now + 5 * second)] }, [/in 5 s\.$/]],
    ["a short-lived one before that", { served: [leaf(now - 50 * second, now + 50 * second)] }, []],
    [
      "one of another cluster",
      { served: [leaf(now - day, now + 300 * day, authority(now - day, now + 3650 * day))] },
      [/not signed by the cluster's CA/],
    ],
    [
      "an authority that ends",
      { state: { authorities: { "etcd CA": authority(now - 3600 * day, now + 60 * day).cert } } },
      [/^problem: The certificate of the etcd CA ends at .*in 60 d/],
    ],
  ])("%s", (_, look, expected) => {
    const found = texts(look);
    expect(found).toHaveLength(expected.length);
    for (const [n, words] of expected.entries()) {
      if (typeof words === "string") expect(found[n]).toBe(words);
      else expect(found[n]).toMatch(words);
    }
  });

  it.each([
    ["artefacts: 404", 1, "problem: The boot of demo-cp-a failed at stage artefacts: 404."],
    ["components", 1, "note: demo-cp-a is booting: stage components."],
    ["components", 12, "problem: The boot of demo-cp-a stands at stage components for 12 min."],
  ])("is a boot stage: %s after %i min", (stage, minutes, words) => {
    const at = new Date(now).toISOString();
    const booted = new Date(now - minutes * 60 * second).toISOString();
    const status = JSON.stringify({ machine_id: "i", release: "r1a2b3c4d5e6", stage, booted_at: booted, at });
    expect(texts({ nodes: { "demo-cp-a": { annotations: { "honest-paas.dev/status": status } } } })).toEqual([words]);
  });

  it("is a tainted membership", () => {
    const state = report().members.map(({ name }) => ({
      nodeName: name,
      role: "control-plane" as const,
      pool: "cp",
      release: "r1a2b3c4d5e6",
      machineId: "i",
      tainted: name === "demo-cp-b",
    }));
    expect(texts({ state: { memberships: state } })).toEqual([expect.stringContaining("membership of demo-cp-b is tainted")]);
  });
});

it("is unreadable when the API is silent, and says what the state and the handshake know", () => {
  const found = report({ unreachable: "the Kubernetes API does not answer: refused", served: [leaf(now - 2 * day, now - day)] });
  expect(found).toMatchObject({
    verdict: "unreadable",
    complete: null,
    nodes: [],
    members: [],
    api_error: "the Kubernetes API does not answer: refused",
  });
  expect(found.problems.map((p) => p.text)).toEqual([
    "The Kubernetes API does not answer: refused",
    expect.stringContaining("The certificate of API server ended"),
    expect.stringContaining("honest-paas doctor"),
  ]);
});

it("is not in trouble for what is only worth knowing", () => {
  expect(report({ lease: { holder: "demo-cp-a", ageSec: 5 } }).verdict).toBe("healthy");
  expect(report({ dead: ["demo-cp-a"] }).verdict).toBe("trouble");
});
