import { describe, expect, it } from "vitest";
import { unknown } from "../../../../../provider/framework/value.js";
import { certificatePolicy, certificateProblems, certificateWarnings } from "../../../../../provider/resources/barrier/certificates.js";
import type { NodeFacts } from "../../../../../provider/rollout/facts.js";

const hour = 3_600;
const now = Date.parse("2026-06-01T12:00:00Z");
const policy = { lifetimeSeconds: 90 * 24 * hour, renewBeforeSeconds: 30 * 24 * hour };
const node = (endsInHours: Readonly<Record<string, number>>, over: Partial<NodeFacts> = {}, problem: string | null = null): NodeFacts => ({
  pool: "cp",
  ready: true,
  release: "r1",
  version: "1.36.3",
  machineId: "i-1",
  agentFresh: true,
  gen: "g",
  unschedulable: false,
  certificates: { problem, ends: Object.fromEntries(Object.entries(endsInHours).map(([k, h]) => [k, now + h * hour * 1000])) },
  ...over,
});
const words = (nodes: Readonly<Record<string, NodeFacts>>): string => certificateWarnings("demo", nodes, policy, now)[0]?.detail ?? "";

describe("the warning", () => {
  it("is none while agents report and nothing is wrong, however near the end is", () => {
    expect(
      certificateWarnings("demo", { a: node({ apiserver: 1 }), b: { ...node({}), certificates: undefined } as never }, policy, now),
    ).toEqual([]);
  });

  it("is the agent's own word when a renewal fails", () => {
    expect(words({ "demo-cp-a": node({ apiserver: 500 }, {}, "etcd-peer: renew failed: no space") })).toContain(
      "demo-cp-a: etcd-peer: renew failed: no space.",
    );
  });

  it("names node, certificate and date when the agent is silent and the window has begun", () => {
    const silent = { agentFresh: false };
    expect(words({ w: node({ "kubelet-client": 719, apiserver: 721 }, silent) })).toMatch(
      /^w: kubelet-client ends 2026-07-01T11:00:00Z, and its agent is silent, so nothing renews them\./,
    );
    expect(words({ w: node({ "kubelet-client": 721 }, silent) })).toBe("");
    expect(words({ w: node({ "kubelet-client": -1 }, silent) })).toContain("w: kubelet-client ended 2026-06-01T11:00:00Z");
  });

  it("is said of what has ended, whoever reports", () => {
    expect(words({ a: node({ ca: -1, apiserver: 100 }) })).toMatch(/^a: ca ended 2026-06-01T11:00:00Z\./);
  });

  it("is one for the whole cluster, in the order of names", () => {
    const [first, ...others] = certificateWarnings("demo", { b: node({ x: -1 }), a: node({ y: -1 }, {}, "z") }, policy, now);
    expect(others).toEqual([]);
    expect(first?.summary).toBe("Certificates of cluster demo need attention");
    expect(first?.detail).toMatch(/^a: y ended \S+\. a: z\. b: x ended/);
  });
});

describe("the policy", () => {
  it.each([
    [{}, { lifetimeSeconds: 31_536_000, renewBeforeSeconds: 10_512_000 }],
    [{ certificate_lifetime: "3m" }, { lifetimeSeconds: 180, renewBeforeSeconds: 60 }],
    [
      { certificate_lifetime: "90m", certificate_renew_before: "1h" },
      { lifetimeSeconds: 5_400, renewBeforeSeconds: 3_600 },
    ],
  ])("%j", (value, wanted) => {
    expect(certificatePolicy(value)).toEqual(wanted);
    expect(certificateProblems(value)).toEqual([]);
  });

  it.each([
    [{ certificate_lifetime: "2m" }, /certificate_lifetime is "2m".*3m at least/],
    [{ certificate_lifetime: "a year" }, /certificate_lifetime is "a year"/],
    [{ certificate_renew_before: "59s" }, /certificate_renew_before is "59s".*1m at least/],
    [{ certificate_renew_before: "8760h" }, /less than certificate_lifetime \(31536000 s\)/],
    [{ certificate_lifetime: "3m", certificate_renew_before: "soon" }, /certificate_renew_before is "soon"/],
  ])("%j is refused", (value, words) => {
    expect(certificateProblems(value).map((d) => d.detail)).toEqual([expect.stringMatching(words)]);
  });

  it("is not judged before it is known", () => {
    expect(certificateProblems({ certificate_lifetime: unknown, certificate_renew_before: unknown })).toEqual([]);
  });
});
