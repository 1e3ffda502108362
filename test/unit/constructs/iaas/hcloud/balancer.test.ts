import { describe, expect, it } from "vitest";
import { refsIn } from "../../../../../constructs/iaas/resource.js";
import { atControlPlanes, type HcloudOver, hcloudResources } from "../../../../support/hcloud.js";

const part = (name: string, over: HcloudOver = {}) => hcloudResources(over).get(`endpoint/balancer${name}`);

describe("the balancer", () => {
  it("finds control planes by the labels that they have, and no worker", () => {
    const all = hcloudResources();
    const selector = String(all.get("endpoint/balancer-target")?.args.label_selector);
    const wanted = Object.fromEntries(selector.split(",").map((term) => term.split("=")));
    const found = [...all.values()].filter(
      ({ type, args }) =>
        type === "hcloud_server" && Object.entries(wanted).every(([key, value]) => (args.labels as Record<string, string>)[key] === value),
    );
    expect(found.map(({ name }) => name)).toEqual(["cp/a/machine", "cp/b/machine", "cp/c/machine"]);
    expect(part("-target")?.args).toMatchObject({ type: "label_selector", use_private_ip: true });
  });

  it("is in the network before it has private targets, and depends on no machine", () => {
    const all = hcloudResources();
    expect(part("-target")?.dependsOn).toEqual(["endpoint/balancer-network"]);
    const reached = new Set<string>();
    const walk = (name: string): void => {
      if (reached.has(name)) return;
      reached.add(name);
      const found = all.get(name);
      for (const other of found ? [...refsIn(found.args), ...(found.dependsOn ?? [])] : []) walk(other);
    };
    for (const name of all.keys()) if (name.startsWith("endpoint/")) walk(name);
    expect([...reached].filter((name) => /machine|boot|node/.test(name))).toEqual([]);
  });

  it("asks /readyz over TLS, and is done with a control plane that retires before this one stops", () => {
    const [check] = (part("-service")?.args.health_check ?? []) as readonly {
      interval: number;
      timeout: number;
      retries: number;
      http: unknown;
    }[];
    expect(check).toMatchObject({ protocol: "http", port: 6443, http: [{ path: "/readyz", tls: true, status_codes: ["200"] }] });
    const serves = 5;
    expect((check?.interval ?? 0) * (check?.retries ?? 0) + (check?.timeout ?? 0)).toBeLessThanOrEqual(serves);
  });

  it("has its fixed address, and a public side only when the whole world may come in there", () => {
    expect(part("-network")?.args).toMatchObject({ ip: "10.98.0.10", enable_public_interface: false });
    expect(part("-network", { vpc: { public_access_cidrs: ["0.0.0.0/0"] } })?.args).toMatchObject({ enable_public_interface: true });
    expect(part("-network", atControlPlanes)?.args).toMatchObject({ enable_public_interface: false });
  });

  it("is in no location, which it would be replaced with", () => {
    expect(part("")?.args).toMatchObject({ network_zone: "eu-central", load_balancer_type: "lb11" });
    expect(part("")?.args).not.toHaveProperty("location");
    expect(part("")?.lifecycle).toEqual({ preventDestroy: true });
    expect(part("", { iaas: { balancer_type: "lb21" } })?.args).toMatchObject({ load_balancer_type: "lb21" });
  });
});
