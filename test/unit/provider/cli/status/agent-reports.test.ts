// What agents wrote, as status tells it: availability, health, certificates, running versions.
import { describe, expect, it } from "vitest";
import { availabilityReports } from "../../../../../provider/cli/status/availability.js";
import { statusText } from "../../../../../provider/cli/status/render.js";
import { runningVersions } from "../../../../../provider/cli/status/running.js";
import type { KubeObject } from "../../../../../provider/kube/object.js";
import { kubeNode } from "../../../../support/kube-node.js";
import { type Look, now, report, second } from "./read.js";

const iso = (ms: number) => new Date(ms).toISOString();
const hour = 3_600 * second;
interface Counts {
  readonly probes?: unknown;
  readonly failed?: unknown;
  readonly gap?: unknown;
  readonly since?: number;
  readonly at?: number;
}
const measured = ({ probes = 720, failed = 0, gap = 0, since = now - hour, at = now }: Counts = {}) =>
  JSON.stringify({
    at: iso(at),
    pace: 5,
    down_since: null,
    last_failure: null,
    day: { probes, failed, longest_gap: gap, since: iso(since) },
    month: { probes, failed, longest_gap: gap, since: iso(since) },
  });
const worker = (name: string, counts: Counts): KubeObject =>
  kubeNode(name, { annotations: { "honest-paas.dev/availability": measured(counts) } });

describe("availability", () => {
  it("tells the nodes of a kind by their median and their worst, never rounded up", () => {
    const nodes = [
      worker("w-1", { probes: 17_280, since: now - 24 * hour }),
      worker("w-2", { probes: 17_280, failed: 1, gap: 5, since: now - 24 * hour }),
      worker("w-3", { probes: 8_640, failed: 864, gap: 4_320, since: now - 24 * hour }),
    ];
    const [seen, ...rest] = availabilityReports(nodes, now);
    expect(rest).toEqual([]);
    expect(seen).toMatchObject({ seen_from: "worker", asks: "endpoint", nodes: 3 });
    expect(seen?.day).toEqual({
      median_percent: 99.994,
      worst_percent: 90,
      worst_node: "w-3",
      longest_gap_seconds: 4_320,
      since: "2026-05-31T12:00:00Z",
      measured_percent: 50,
    });
  });

  it("shows a gap of under ten minutes in seconds", () => {
    const seen = (gap: number) =>
      statusText(report(on({ "honest-paas.dev/status": status, "honest-paas.dev/availability": measured({ failed: 22, gap }) })));
    expect(seen(110)).toMatch(/day +96\.944 % +96\.944 % +110 s +100 % since/);
    expect(seen(7_300)).toMatch(/day +96\.944 % +96\.944 % +2 h /);
  });

  it("takes the worse of two for the median", () => {
    expect(availabilityReports([worker("w-1", {}), worker("w-2", { failed: 72 })], now)[0]?.day?.median_percent).toBe(90);
  });

  it("keeps control planes apart: each asks its own API server", () => {
    const controlPlane = kubeNode("cp-a", {
      labels: { "node-role.kubernetes.io/control-plane": "" },
      annotations: { "honest-paas.dev/availability": measured({ failed: 7 }) },
    });
    expect(availabilityReports([controlPlane, worker("w-1", {})], now).map((r) => [r.asks, r.day?.worst_percent])).toEqual([
      ["endpoint", 100],
      ["own API server", 99.027],
    ]);
  });

  it.each<[string, Counts]>([
    ["an old report: its last day is another", { at: now - hour }],
    ["no probe yet", { probes: 0 }],
    ["more failed than probed", { probes: 5, failed: 6 }],
    ["no numbers", { probes: "many" }],
    ["begun after its end", { since: now + hour }],
  ])("does not count %s", (_, counts) => {
    expect(availabilityReports([worker("w-1", counts)], now)).toEqual([]);
  });

  it.each(["", "{", "[]", "null", "7"])("does not stumble over %j", (text) => {
    expect(availabilityReports([kubeNode("w-1", { annotations: { "honest-paas.dev/availability": text } })], now)).toEqual([]);
  });
});

const on = (annotations: Readonly<Record<string, string>>): Look => ({ nodes: { "demo-cp-a": { annotations } } });
const status = JSON.stringify({ machine_id: "i", release: "r1a2b3c4d5e6", stage: "ready", at: iso(now), booted_at: iso(now) });
const withNote = (name: string, value: unknown): Look =>
  on({ "honest-paas.dev/status": status, [`honest-paas.dev/${name}`]: JSON.stringify(value) });

describe("what agents say", () => {
  it("of what is wrong and what they mended", () => {
    const found = report(
      withNote("health", {
        problems: ["etcd is out of space", 7, "kubelet hangs"],
        healed: [{ at: iso(now - hour), what: "containerd was restarted" }],
      }),
    );
    expect(found.problems).toEqual([
      { severity: "problem", text: "demo-cp-a: etcd is out of space." },
      { severity: "problem", text: "demo-cp-a: kubelet hangs." },
      { severity: "note", text: "The agent on demo-cp-a has mended: containerd was restarted." },
    ]);
  });

  it("of certificates: the one that ends first", () => {
    const items = {
      etcd: { not_after: iso(now + 30 * hour) },
      apiserver: { not_after: iso(now + 90 * hour), served: iso(now + 3 * hour) },
    };
    const found = report(withNote("certificates", { items, problem: null }));
    expect(found.nearest_expiry).toEqual({ node: "demo-cp-a", name: "apiserver", not_after: "2026-06-01T15:00:00Z" });
    expect(statusText(found)).toContain("apiserver on demo-cp-a, in 3 h (2026-06-01T15:00:00Z)");
  });
});

describe("running versions", () => {
  const pod = (node: string, container: string, image: string, phase = "Running"): KubeObject => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `${container}-${node}` },
    spec: { nodeName: node, containers: [{ name: container, image }] },
    status: { phase },
  });

  it("are those of the images that run", () => {
    const found = runningVersions([
      pod("demo-cp-a", "kube-apiserver", "registry.k8s.io/kube-apiserver:v1.37.2"),
      pod("demo-cp-a", "kube-proxy", "mirror.example:5000/kube-proxy:v1.36.3@sha256:00"),
      pod("demo-cp-b", "kube-proxy", "kube-proxy:v1.37.2", "Pending"),
      pod("demo-cp-c", "kube-proxy", "kube-proxy"),
    ]);
    expect(found).toEqual({ apiServers: { "demo-cp-a": "1.37.2" }, proxies: { "demo-cp-a": "1.36.3" } });
  });

  it("are told where they differ from the kubelet's, and as a note where API servers differ", () => {
    const found = report({ running: { apiServers: { "demo-cp-a": "1.37.2", "demo-cp-b": "1.36.3" }, proxies: { "demo-cp-b": "1.36.3" } } });
    expect(found.verdict).toBe("healthy");
    expect(found.problems).toEqual([{ severity: "note", text: "API servers of 2 versions serve: 1.36.3, 1.37.2." }]);
    expect(statusText(found)).toMatch(/demo-cp-a +cp +1\.36\.3, API server 1\.37\.2 /);
    expect(statusText(found)).toMatch(/demo-cp-b +cp +1\.36\.3 +r1a2/);
  });
});
