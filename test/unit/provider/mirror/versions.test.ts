import { describe, expect, it } from "vitest";
import { artefactsOf } from "../../../../provider/mirror/artefact.js";
import { imageNames } from "../../../../provider/mirror/images.js";
import { componentsOf, defaultVersion, latestOf, supportedVersions } from "../../../../provider/mirror/versions.js";
import { version } from "./fixture.js";

describe("the version table", () => {
  it("has the three supported minors, and the default in it", () => {
    expect(new Set(supportedVersions.map((v) => v.replace(/\.\d+$/, "")))).toEqual(new Set(["1.35", "1.36", "1.37"]));
    expect(supportedVersions).toContain(defaultVersion);
  });

  it.each(supportedVersions)("%s names every component by a bare version", (v) => {
    const components = version(v);
    expect(Object.keys(components).sort()).toEqual(
      ["agnhost", "cni", "containerd", "coredns", "crictl", "etcd", "kubeRouter", "kubernetes", "pause", "runc"].sort(),
    );
    for (const value of Object.values(components)) expect(value).toMatch(/^\d+\.\d+(\.\d+)?$/);
  });

  it("finds the newest patch of a minor, by number", () => {
    for (const minor of ["1.35", "1.36", "1.37"]) {
      const patches = supportedVersions.filter((v) => v.startsWith(`${minor}.`)).map((v) => Number(v.split(".")[2]));
      expect(latestOf(minor)).toBe(`${minor}.${Math.max(...patches)}`);
    }
    expect(latestOf("1.3")).toBeUndefined();
    expect(componentsOf("1.36")).toBeUndefined();
    expect(componentsOf("constructor")).toBeUndefined();
  });
});

it("files lie where upstream has them", () => {
  expect([...new Set(artefactsOf(version(), "arm64").map((a) => a.path))].filter((p) => !p.startsWith("dl.k8s.io"))).toEqual([
    "github.com/etcd-io/etcd/releases/download/v3.6.16/etcd-v3.6.16-linux-arm64.tar.gz",
    "github.com/containerd/containerd/releases/download/v2.3.7/containerd-2.3.7-linux-arm64.tar.gz",
    "github.com/opencontainers/runc/releases/download/v1.3.5/runc.arm64",
    "github.com/containernetworking/plugins/releases/download/v1.9.1/cni-plugins-linux-arm64-v1.9.1.tgz",
    "github.com/kubernetes-sigs/cri-tools/releases/download/v1.34.0/crictl-v1.34.0-linux-arm64.tar.gz",
  ]);
  expect(artefactsOf(version(), "arm64")[0]?.path).toBe("dl.k8s.io/v1.36.3/bin/linux/arm64/kubeadm");
});

it("images have the names that kubeadm expects", () => {
  expect(imageNames(version("1.37.2"))).toEqual({
    apiserver: "registry.k8s.io/kube-apiserver:v1.37.2",
    controllerManager: "registry.k8s.io/kube-controller-manager:v1.37.2",
    scheduler: "registry.k8s.io/kube-scheduler:v1.37.2",
    proxy: "registry.k8s.io/kube-proxy:v1.37.2",
    coredns: "registry.k8s.io/coredns/coredns:v1.14.6",
    pause: "registry.k8s.io/pause:3.10.2",
    kubeRouter: "docker.io/cloudnativelabs/kube-router:v2.1.0",
    agnhost: "registry.k8s.io/e2e-test-images/agnhost:2.66.1",
  });
});
