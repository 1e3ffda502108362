import { describe, expect, it } from "vitest";
import { halves } from "../../../../../constructs/iaas/hcloud/network.js";
import { ref } from "../../../../../constructs/iaas/resource.js";
import { hcloudResources } from "../../../../support/hcloud.js";

describe("network", () => {
  it.each([
    ["10.98.0.0/16", "10.98.0.0/17", "10.98.128.0/17"],
    ["192.168.1.0/24", "192.168.1.0/25", "192.168.1.128/25"],
    ["10.0.0.0/8", "10.0.0.0/9", "10.128.0.0/9"],
  ])("%s is halved", (whole, lower, upper) => {
    expect(halves(whole)).toEqual([lower, upper]);
  });

  it("keeps workers out of the half in which addresses are fixed", () => {
    const all = hcloudResources();
    expect(all.get("subnet")?.args).toMatchObject({ ip_range: "10.98.0.0/17", type: "cloud", network_zone: "eu-central" });
    expect(all.get("cp/a/machine")?.args.network).toEqual([{ subnet_id: ref("subnet", "id"), ip: "10.98.0.11", alias_ips: [] }]);
    expect(all.get("group/web/fsn1/0/machine")?.args.network).toEqual([{ subnet_id: ref("subnet-workers", "id"), alias_ips: [] }]);
  });

  it("is protected in the API too while the cluster is", () => {
    expect(hcloudResources().get("network")).toMatchObject({ args: { delete_protection: true }, lifecycle: { preventDestroy: true } });
    expect(hcloudResources({ more: { deletion_protection: false } }).get("network")?.args).toMatchObject({ delete_protection: false });
  });
});

describe("a network of the user's", () => {
  it("gets subnets of ours and is not made", () => {
    const all = hcloudResources({ vpc: { network_id: "4711", cidr: "10.0.1.0/24" } });
    expect(all.has("network")).toBe(false);
    expect(all.get("subnet")?.args).toMatchObject({ network_id: 4711, ip_range: "10.0.1.0/25" });
  });

  it("with a subnet gets machines and balancer and nothing else", () => {
    const all = hcloudResources({ vpc: { network_id: "4711", subnet_id: "4711-10.0.1.0/24", cidr: "10.0.1.0/24" } });
    expect([...all.values()].filter(({ type }) => /_network$|_subnet$/.test(type)).map(({ name }) => name)).toEqual([
      "endpoint/balancer-network",
    ]);
    for (const machine of ["cp/a/machine", "group/web/fsn1/0/machine"])
      expect(all.get(machine)?.args.network).toMatchObject([{ subnet_id: "4711-10.0.1.0/24" }]);
    expect(all.get("endpoint/balancer-network")?.args).toMatchObject({ subnet_id: "4711-10.0.1.0/24", ip: "10.0.1.10" });
  });
});
