import { describe, expect, it } from "vitest";
import { buildsOf, itemsOf, serves } from "../../../../provider/mirror/plan.js";
import { version } from "./fixture.js";

describe("itemsOf", () => {
  it("has each file once, though etcd's comes from three modules", () => {
    const names = itemsOf(version(), "amd64").map((item) => item.name);
    expect(new Set(names).size).toBe(names.length);
    const etcd = itemsOf(version(), "amd64").find((item) => item.name.includes("etcd"));
    expect(etcd?.kind === "file" && etcd.parts.flatMap((p) => p.binaries)).toEqual(["etcd", "etcdctl", "etcdutl"]);
  });

  it("gives another recipe when anything that is built differs", () => {
    const recipes = (v: string): ReadonlyMap<string, string> => new Map(itemsOf(version(v), "amd64").map((i) => [i.name, i.recipe]));
    const [a, b] = [recipes("1.36.3"), recipes("1.37.2")];
    const shared = [...a].filter(([name]) => b.has(name));
    expect(shared.length).toBeGreaterThan(5);
    for (const [name, recipe] of shared) expect(b.get(name)).toBe(recipe);
  });
});

it("buildsOf asks for each module once, with all its binaries", () => {
  const builds = buildsOf(itemsOf(version(), "amd64"));
  const modules = builds.map((b) => b.build.module);
  expect(new Set(modules).size).toBe(modules.length);
  expect(builds.find((b) => b.build.module === "k8s.io/kubernetes")?.wanted).toEqual([
    ...["kubeadm", "kubelet", "kubectl", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "agnhost"],
  ]);
});

describe("serves", () => {
  const up = { source: "upstream", recipe: "" };
  const own = { source: "gomod", recipe: "r" };
  it.each([
    [up, "auto", true],
    [up, "upstream", true],
    [up, "gomod", false],
    [own, "auto", true],
    [own, "gomod", true],
    [own, "upstream", false],
    [{ ...own, recipe: "older" }, "auto", false],
  ] as const)("%j for %s: %s", (found, source, expected) => expect(serves(found, source, "r")).toBe(expected));
});
