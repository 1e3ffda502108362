import { expect, it } from "vitest";
import { listText, merged, onDisks } from "../../../../../provider/cli/snapshot/list.js";
import { kubeNode } from "../../../../support/kube-node.js";

const node = (name: string, held: unknown, labels = { "node-role.kubernetes.io/control-plane": "" } as Record<string, string>) =>
  kubeNode(name, { labels, annotations: { "honest-paas.dev/snapshots": typeof held === "string" ? held : JSON.stringify({ held }) } });

it("takes from nodes what control planes say in the right form", () => {
  const nodes = [
    node("demo-cp-a", [["20261130T120000Z", 1, 2, 3], ["x", 1, 2, 3], ["20261130T130000Z", "1", 2, 3], 7]),
    node("demo-cp-b", "{"),
    node("demo-web-x", [["20261130T120000Z", 1, 2, 3]], {}),
    kubeNode("demo-cp-c", { labels: { "node-role.kubernetes.io/control-plane": "" } }),
  ];
  expect(onDisks(nodes)).toEqual([
    {
      id: "20261130T120000Z-demo-cp-a",
      node: "demo-cp-a",
      taken_at: "2026-11-30T12:00:00Z",
      size: 1,
      revision: 2,
      keys: 3,
      version: null,
      number: null,
      on_disk: true,
      at_target: false,
      problem: null,
    },
  ]);
});

it("has one row for what is in both places, and says which place was not read", () => {
  const disks = onDisks([node("a", [["20261130T120000Z", 5 << 20, 2, 3]])]);
  const both = { ...disks[0], on_disk: false, at_target: true, version: "1.36.3", number: 0 } as (typeof disks)[number];
  const snapshots = merged(disks, [both]);
  expect(snapshots).toMatchObject([{ on_disk: true, at_target: true, version: "1.36.3" }]);
  const text = listText({ format: 1, cluster: null, disks: "the Kubernetes API does not answer", target: null, snapshots });
  expect(text).toContain("5.0 MiB");
  expect(text).toMatch(/disk, target\n\n! disks: the Kubernetes API does not answer\n$/);
});
