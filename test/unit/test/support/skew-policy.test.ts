import { describe, expect, it } from "vitest";
import { isMixed, type Sight, skewProblems } from "../../../support/skew-policy.js";

const on = (version: string, over: Readonly<Record<string, string>> = {}): Record<string, string> => ({ a: version, b: version, ...over });
const sight = (over: Partial<Sight> = {}): Sight => ({
  apiServers: on("1.36.3"),
  controlPlanes: ["a", "b"],
  kubelets: on("1.36.3", { w: "1.36.3" }),
  proxies: on("1.36.3", { w: "1.36.3" }),
  controllerManagers: on("1.36.3"),
  schedulers: on("1.36.3"),
  ...over,
});

describe("the skew policy", () => {
  it.each<[string, Partial<Sight>, RegExp | null]>([
    ["one version", {}, null],
    ["half-way: one control plane has moved", { apiServers: on("1.36.3", { a: "1.37.2" }), kubelets: on("1.36.3", { a: "1.37.2" }) }, null],
    ["a control plane's kubelet ahead of its own API server", { kubelets: { a: "1.37.2" } }, /newer than its API server 1\.36\.3/],
    ["a control plane whose API server is being made", { apiServers: { b: "1.36.3" }, kubelets: { a: "1.37.2" } }, null],
    ["workers are three minors behind", { kubelets: { w: "1.33.9" } }, null],
    ["an API server that is down", { apiServers: { b: "1.36.3" } }, null],
    ["nobody answers", { apiServers: {} }, null],
    ["API servers two minors apart", { apiServers: { a: "1.35.8", b: "1.37.2" }, kubelets: {}, proxies: {} }, /2 minors apart/],
    [
      "a kubelet that is newer than one API server",
      { apiServers: on("1.36.3", { a: "1.37.2" }), kubelets: { w: "1.37.2" } },
      /kubelet 1\.37\.2 on w is newer/,
    ],
    ["a kubelet four minors behind", { kubelets: { w: "1.32.0" } }, /kubelet 1\.32\.0 on w is too old/],
    ["a kube-proxy that was moved first", { proxies: { w: "1.37.2" } }, /kube-proxy 1\.37\.2 on w is newer/],
    ["kube-proxy far from its kubelet", { kubelets: { w: "1.36.0" }, proxies: { w: "1.32.0" } }, /too far apart/],
    ["a controller-manager ahead of its API server", { controllerManagers: { a: "1.37.2" } }, /kube-controller-manager 1\.37\.2 on a/],
    ["a scheduler two minors behind its own", { schedulers: { a: "1.34.0" } }, /kube-scheduler 1\.34\.0 on a/],
    ["a patch ahead", { kubelets: { w: "1.36.9" } }, null],
  ])("%s", (_, over, problem) => {
    const got = skewProblems(sight(over)).join("\n");
    if (problem === null) expect(got).toBe("");
    else expect(got).toMatch(problem);
  });

  it("tells a look at two versions from one at a single", () => {
    expect(isMixed(sight())).toBe(false);
    expect(isMixed(sight({ kubelets: { w: "1.37.2" } }))).toBe(true);
  });
});
