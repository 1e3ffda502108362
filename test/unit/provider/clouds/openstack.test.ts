import { describe, expect, it } from "vitest";
import { openstack } from "../../../../provider/clouds/openstack.js";
import type { ObjectValue } from "../../../../provider/framework/value.js";
import type { Vendor } from "../../../../provider/shim/vendor.js";

/** Answers as the vendor's data sources do, and keeps what they were asked. */
function vendor(state: ObjectValue | null, words = "") {
  const asked: unknown[] = [];
  const diagnostics = words === "" ? [] : [{ severity: "error" as const, summary: words, detail: "" }];
  const readData = async (type: string, config: ObjectValue) => {
    asked.push([type, { ...config }]);
    return { state, private: new Uint8Array(), diagnostics };
  };
  return { asked, plugin: { readData } as unknown as Vendor };
}

describe("an object on OpenStack", () => {
  it("is found by its name; a control plane at its port", async () => {
    const net = vendor({ id: "n-1" });
    const found = await openstack.lookups("openstack_networking_network_v2", { name: "demo" })?.lookup.find(net.plugin, { name: "demo" });
    expect(found).toEqual({ kind: "ids", ids: ["n-1"] });
    expect(net.asked).toEqual([["openstack_networking_network_v2", { name: "demo" }]]);
    const port = vendor({ device_id: "vm-1" });
    const wanted = { name: "demo-cp-a", network: [{ port: "p-1" }] };
    const at = openstack.lookups("openstack_compute_instance_v2", wanted);
    expect(await at?.lookup.find(port.plugin, wanted)).toEqual({ kind: "ids", ids: ["vm-1"] });
    expect(at?.lookup.ready?.({ power_state: "build" })).toBe("wait");
  });

  it("is not there only when the vendor says so", async () => {
    const wanted = { name: "demo" };
    const lookup = openstack.lookups("openstack_networking_network_v2", wanted)?.lookup;
    expect(await lookup?.find(vendor(null, "Your query returned no results").plugin, wanted)).toEqual({ kind: "none" });
    expect(await lookup?.find(vendor(null, "connection refused").plugin, wanted)).toMatchObject({ kind: "unknown" });
  });

  it("cannot be told from others when it is a worker or a rule of a firewall", () => {
    expect(openstack.lookups("openstack_compute_instance_v2", { name: "w", network: [{ uuid: "n" }] })).toBeNull();
    expect(openstack.lookups("openstack_networking_secgroup_rule_v2", {})).toBeNull();
  });
});
