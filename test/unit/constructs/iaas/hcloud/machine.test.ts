import { describe, expect, it } from "vitest";
import { ref, text } from "../../../../../constructs/iaas/resource.js";
import { atControlPlanes, type HcloudOver, hcloudResources } from "../../../../support/hcloud.js";

const named = (name: string, over: HcloudOver = {}) => hcloudResources(over).get(name);
const worker = "group/web/fsn1/0/machine";

describe("servers", () => {
  it("are made of what honest_boot gives, and a changed type is another server", () => {
    for (const name of ["cp/a", "group/web/fsn1/0"]) {
      const found = named(`${name}/machine`);
      expect(found?.args).toMatchObject({
        server_type: ref(`${name}/boot`, "instance_type"),
        image: ref(`${name}/boot`, "image"),
        user_data: ref(`${name}/boot`, "user_data"),
      });
      expect(found?.lifecycle?.replaceTriggeredBy).toEqual([ref(`${name}/boot`, "instance_type")]);
    }
  });

  it("of control planes have their name for good and go before their successor comes", () => {
    expect(named("cp/a/machine")).toMatchObject({ args: { name: "demo-cp-a" }, lifecycle: { createBeforeDestroy: false } });
  });

  it("of workers stand beside their successor, so their names end in something new each time", () => {
    const found = named(worker);
    expect(found?.args.name).toEqual(text("demo-web-fsn1-0", "-", { raw: "substr(uuid(), 0, 5)" }));
    expect(found?.lifecycle).toMatchObject({ createBeforeDestroy: true, ignoreChanges: expect.arrayContaining(["name"]) });
  });

  it("keep what would restart them all at once", () => {
    for (const name of ["cp/a/machine", worker])
      expect(named(name)?.lifecycle?.ignoreChanges).toEqual(expect.arrayContaining(["public_net", "ssh_keys"]));
  });

  it("have an address of the world's only where the spec says so", () => {
    const net = (name: string, over: HcloudOver = {}) => named(name, over)?.args.public_net;
    expect(net(worker)).toEqual([{ ipv4_enabled: true, ipv6_enabled: false }]);
    expect(net("cp/a/machine")).toEqual([{ ipv4_enabled: true, ipv6_enabled: false }]);
    const closed = { ...atControlPlanes, vpc: { ...atControlPlanes.vpc, egress: "none" } };
    expect(net(worker, closed)).toEqual([{ ipv4_enabled: false, ipv6_enabled: false }]);
    expect(net("cp/a/machine", closed)).toEqual([{ ipv4_enabled: true, ipv6_enabled: false, ipv4: ref("cp/a/machine-ipv4", "id") }]);
  });

  it("of control planes that are the endpoint have addresses that outlive them", () => {
    expect(named("cp/b/machine-ipv4", atControlPlanes)).toMatchObject({
      type: "hcloud_primary_ip",
      args: { location: "nbg1", auto_delete: false, assignee_type: "server" },
      lifecycle: { preventDestroy: true },
    });
    expect(named("cp/b/machine-ipv4")).toBeUndefined();
  });

  it("take the keys that are named", () => {
    expect(named("cp/a/machine", { iaas: { ssh_keys: ["ops"] } })?.args.ssh_keys).toEqual(["ops"]);
  });
});

describe("the disk of an etcd member", () => {
  it("is in its control plane's location, and attached without being mounted or formatted", () => {
    expect(named("cp/b/disk")?.args).toMatchObject({ size: 10, location: "nbg1", delete_protection: true });
    expect(named("cp/b/disk")?.args).not.toHaveProperty("format");
    expect(named("cp/b/disk")?.args).not.toHaveProperty("server_id");
    expect(named("cp/b/machine")?.args.location).toBe("nbg1");
    expect(named("cp/b/machine-disk")?.args).toEqual({
      volume_id: ref("cp/b/disk", "id"),
      server_id: ref("cp/b/machine", "id"),
      automount: false,
    });
  });
});
