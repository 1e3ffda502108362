// Each cause from several sets of evidence, those that look alike beside each other.
import { describe, expect, it } from "vitest";
import { diagnose } from "../../../../../provider/cli/diagnosis/diagnose.js";
import type { Evidence } from "../../../../../provider/cli/diagnosis/evidence.js";
import {
  budget,
  coredns,
  cut,
  dead,
  distress,
  evidence,
  hour,
  kubeRouter,
  machine,
  machines,
  node,
  now,
  pod,
  second,
  tls,
} from "./evidence.js";
import { rows as cluster } from "./rows-cluster.js";
import { rows as workloads } from "./rows-workloads.js";

const draining = { spec: { unschedulable: true }, annotations: { "honest-paas.dev/draining": "g1" } };
const held = { labels: { app: "web" } };
const noCni = {
  ready: false,
  reason: "KubeletNotReady",
  message: "container runtime network not ready: NetworkReady=false cni plugin not initialized",
};

const rows = [...cluster, ...workloads];

it.each(rows)("%s", (_, seen, cause, sureness, words) => {
  const [first] = diagnose(seen);
  expect(first).toMatchObject({ cause, sureness, text: expect.stringMatching(words) });
  expect(first?.fix.length).toBeGreaterThan(0);
});

it("has at least two sets of evidence for each of the ten causes", () => {
  const ten = ["no-quorum", "clock", "disk", "certificate", "dns", "endpoint", "image-pull", "cni", "pdb", "mirror"];
  for (const cause of ten) expect(rows.filter((row) => row[2] === cause).length, cause).toBeGreaterThanOrEqual(2);
});

it("advises a rotation only while one can still be made", () => {
  const fixOf = (name: string) => diagnose(evidence({ authorities: { [name]: now - hour } }))[0]?.fix.join(" ");
  for (const name of ["cluster CA", "client CA", "etcd CA"]) expect(fixOf(name), name).toMatch(/^A rotation comes too late/);
  expect(fixOf("front-proxy CA")).toMatch(/^Rotate the authorities/);
});

describe("finds nothing", () => {
  it.each<[string, Evidence]>([
    ["in a healthy cluster", evidence({ machines: machines(), balancer: "runs" })],
    [
      "wrong with a budget that allows nothing while nobody drains",
      evidence({ pods: [pod("web-1", held)], budgets: [budget("web", { maxUnavailable: 0, selector: {} }, 0)] }),
    ],
    [
      "wrong with a budget of other pods",
      evidence({
        nodes: [node("demo-w-1", draining)],
        pods: [pod("db-1", { labels: { app: "db" } })],
        budgets: [budget("web", { minAvailable: 2, selector: { matchLabels: { app: "web" } } }, 0)],
      }),
    ],
    ["in a note that is no JSON", evidence({ nodes: [node("demo-w-1", { annotations: { "honest-paas.dev/health": "{" } })] })],
    [
      "of a disk in what a person wrote on a machine in maintenance",
      evidence({
        nodes: [
          node("demo-w-1", {
            annotations: {
              "honest-paas.dev/health": JSON.stringify({ problems: ["containerd is not mended: in maintenance: new disk, Ann"] }),
            },
          }),
        ],
      }),
    ],
    ["in clocks that agree to the second", evidence({ reach: tls({ clock: now - 2 * second }) })],
    [
      "in a machine that waits for its grant",
      evidence({
        machines: [...machines(), machine("demo-w-2", { marker: { stage: "join", ok: false, reason: "demo-w-2 asks to join" } })],
      }),
    ],
    ["wrong with a cluster that brings its own pod network", evidence({ cni: "none", workloads: [coredns(2)] })],
    ["in lists that could not be read", evidence({ workloads: null })],
  ])("%s", (_, seen) => {
    expect(diagnose(seen)).toEqual([]);
  });
});

it("puts what brings others about first, and the rest after it", () => {
  const full = dead(cut, {
    controlPlanes: ["demo-cp-a"],
    machines: [machine("demo-cp-a", { distress: distress({ etcd: "activating", "disk etcd": "100%" }) })],
  });
  expect(diagnose(full).map((f) => f.cause)).toEqual(["disk", "no-quorum"]);
  const noNetwork = evidence({ nodes: [node("demo-w-1", noCni)], workloads: [coredns(0), kubeRouter(0)] });
  expect(diagnose(noNetwork).map((f) => [f.cause, f.sureness])).toEqual([
    ["cni", "certain"],
    ["dns", "possible"],
  ]);
});

it("blames a wrong clock alone for a certificate that is valid by the other one", () => {
  const certificate = { notBefore: now - 3 * hour, notAfter: now - hour, names: "", issuer: "" };
  const seen = (clock: number) => diagnose(dead(tls({ problem: "CERT_HAS_EXPIRED", certificate, clock }))).map((f) => f.cause);
  expect(seen(now - 2 * hour)).toEqual(["clock"]);
  expect(seen(now)).toEqual(["certificate"]);
  // both are wrong
  expect(seen(now + 2 * hour)).toEqual(["clock", "certificate"]);
});

it("tells several nodes of one cause in one finding", () => {
  const found = diagnose(evidence({ nodes: [node("demo-cp-a", noCni), node("demo-w-1", noCni)] }));
  expect(found).toHaveLength(1);
  expect(found[0]?.evidence.join("\n")).toMatch(/demo-cp-a: .*\n.*\n?.*demo-w-1/s);
});

it("tells users of other clouds which console to open, and what to look for", () => {
  expect(diagnose(dead(cut))[0]?.fix.join(" ")).toMatch(/console of demo-cp-a, demo-cp-b, demo-cp-c .*"honest: distress:"/);
});
