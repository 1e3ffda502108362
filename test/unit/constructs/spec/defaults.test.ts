import { describe, expect, it } from "vitest";
import { parse } from "../../../../constructs/spec/parse.js";

const whole = (over: object) => {
  const { spec, problems } = parse({ name: "demo", version: "1.36.3", iaas: { local: {} }, ...over });
  if (!spec) throw new Error(JSON.stringify(problems));
  return spec;
};

describe("withDefaults", () => {
  it("gives each cluster of an engine a range and a port of its own, by its name", () => {
    const [demo, other] = [whole({}), whole({ name: "other" })];
    expect(demo.vpc_config.cidr).toMatch(/^10\.98\.\d+\.0\/24$/);
    expect(demo.vpc_config.cidr).not.toBe(other.vpc_config.cidr);
    expect(demo.iaas.local?.published_port).not.toBe(other.iaas.local?.published_port);
    expect(demo.iaas.local?.published_port).toBe(29_852);
  });

  it("reaches the API where the balancer's port is published", () => {
    const at = (local: object) => whole({ iaas: { local } }).access.endpoint;
    expect(at({ published_port: 25_000 })).toBe("https://127.0.0.1:25000");
    expect(at({ published_port: 25_000, published_address: "0.0.0.0" })).toBe("https://127.0.0.1:25000");
    expect(at({ published_port: 25_000, published_address: "192.168.7.1" })).toBe("https://192.168.7.1:25000");
    expect(whole({ access: { endpoint: "https://build.example:7000" } }).access.endpoint).toBe("https://build.example:7000");
  });

  it("takes a group's version, image and zones from the control plane's unless it has its own", () => {
    const { node_groups } = whole({
      version: "1.37.2",
      control_plane: { zones: ["x", "y"] },
      node_groups: {
        a: { scaling_config: { desired_size: 1 } },
        b: { scaling_config: { desired_size: 1 }, version: "1.36.3", zones: ["y"] },
      },
    });
    expect(node_groups.a).toMatchObject({ version: "1.37.2", image: "honest-paas/machine:1.37.2", zones: ["x", "y"] });
    expect(node_groups.b).toMatchObject({ version: "1.36.3", image: "honest-paas/machine:1.36.3", zones: ["y"] });
  });

  it("renews certificates at the last third of their life", () => {
    expect(whole({}).certificates).toMatchObject({ lifetime: "8760h", renew_before: "2920h" });
    expect(whole({ certificates: { lifetime: "3m" } }).certificates.renew_before).toBe("1m");
    expect(whole({ certificates: { lifetime: "200s" } }).certificates.renew_before).toBe("66s");
    expect(whole({ certificates: { lifetime: "3m", renew_before: "90s" } }).certificates.renew_before).toBe("90s");
  });

  it("fills in what is inside of a list", () => {
    const { node_groups } = whole({
      node_groups: { a: { scaling_config: { desired_size: 1 }, taint: [{ key: "k", effect: "NO_EXECUTE" }] } },
    });
    expect(node_groups.a?.taint).toEqual([{ key: "k", value: "", effect: "NO_EXECUTE" }]);
  });

  it("fills in a window only where one is asked for", () => {
    expect(whole({}).upgrade_policy.maintenance_window).toBeNull();
    expect(whole({ upgrade_policy: { maintenance_window: { hour: 2, duration_hours: 3 } } }).upgrade_policy.maintenance_window).toEqual({
      days: ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
      hour: 2,
      duration_hours: 3,
      timezone: "UTC",
    });
  });
});
