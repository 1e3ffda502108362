import { describe, expect, it } from "vitest";
import { build } from "../../../../constructs/blueprint/build.js";
import { local } from "../../../../constructs/iaas/local.js";
import { mapCluster } from "../../../../constructs/iaas/map.js";
import { specOf } from "../../../support/blueprint.js";

const resource = (name: string, over: object = {}) => {
  const spec = specOf({ vpc_config: { cidr: "10.98.0.0/24" }, node_groups: { web: { scaling_config: { desired_size: 1 } } }, ...over });
  return mapCluster(spec, build(spec), local).find((one) => one.name === name);
};

describe("local", () => {
  it("gives a control plane its address and name, and leaves a worker's to its machine", () => {
    expect(resource("cp/a/machine")?.args).toMatchObject({ address: "10.98.0.11", hostname: "demo-cp-a" });
    const worker = resource("group/web/a/0/machine")?.args ?? {};
    expect("address" in worker || "hostname" in worker || "disk_ids" in worker).toBe(false);
  });

  it("publishes the port that everybody was told", () => {
    expect(resource("endpoint/balancer", { iaas: { local: { published_port: 25_001 } } })?.args).toMatchObject({ published_port: 25_001 });
    expect(resource("pki", { iaas: { local: { published_port: 25_001 } } })?.args.endpoint).toBe("https://127.0.0.1:25001");
  });

  it("does not touch the balancer when the version changes: its update would wait for every control plane to go", () => {
    expect(resource("endpoint/balancer")?.lifecycle).toEqual({ ignoreChanges: ["image"] });
  });

  it("leaves out what is not asked for", () => {
    expect(Object.keys(resource("network")?.args ?? {}).sort()).toEqual(["cidr", "cluster", "internal", "name"]);
    expect(resource("network", { iaas: { local: { mtu: 1400, internal: false } } })?.args).toMatchObject({ mtu: 1400, internal: false });
  });

  it("takes machine types as the engine does", () => {
    const pattern = local.limits.instanceType?.pattern;
    for (const good of ["local.cpu2.mem2048", "2x2048", "0.5x256"]) expect(pattern?.test(good), good).toBe(true);
    for (const bad of ["m5.large", "2x", "x2", "local.cpu2", "2x2048 "]) expect(pattern?.test(bad), bad).toBe(false);
  });
});
