import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { firewallRows } from "../../../../../constructs/blueprint/firewall.js";
import { ref } from "../../../../../constructs/iaas/resource.js";
import { atControlPlanes, type HcloudOver, hcloudResources, hcloudSpec } from "../../../../support/hcloud.js";

const rules = (role: string, over: HcloudOver = {}) => hcloudResources(over).get(`shared/firewall/${role}`)?.args.rule;
const ssh = { protocol: "tcp", from_port: 22, cidr: "198.51.100.7/32", reason: "maintenance" };

describe("firewalls", () => {
  it("let nothing in by themselves", () => {
    expect(rules("control-plane")).toEqual([]);
    expect(rules("worker")).toEqual([]);
  });

  it("do not open a balancer's ranges at machines", () => {
    expect(rules("control-plane", { vpc: { public_access_cidrs: ["0.0.0.0/0"] } })).toEqual([]);
  });

  it("open the API at control planes for the spec's ranges alone, where these are the endpoint", () => {
    expect(rules("control-plane", atControlPlanes)).toEqual([
      {
        direction: "in",
        protocol: "tcp",
        port: "6443",
        source_ips: ["203.0.113.0/24"],
        description: expect.stringContaining("public_access_cidrs"),
      },
    ]);
    expect(rules("worker", atControlPlanes)).toEqual([]);
  });

  it("have the spec's own rules, with the reason, at the role they are for", () => {
    const vpc = {
      security_rules: {
        ssh: { to: "all", ...ssh },
        ping: { to: "worker", protocol: "icmp", cidr: "0.0.0.0/0", reason: "monitoring" },
        ports: { to: "worker", protocol: "udp", from_port: 3000, to_port: 3010, cidr: "0.0.0.0/0", reason: "a game" },
      },
    };
    const base = { direction: "in", protocol: "tcp", port: "22", source_ips: ["198.51.100.7/32"], description: "maintenance" };
    expect(rules("control-plane", { vpc })).toEqual([base]);
    expect(rules("worker", { vpc })).toEqual(
      expect.arrayContaining([
        base,
        { direction: "in", protocol: "icmp", source_ips: ["0.0.0.0/0"], description: "monitoring" },
        { direction: "in", protocol: "udp", port: "3000-3010", source_ips: ["0.0.0.0/0"], description: "a game" },
      ]),
    );
  });

  it("are on from a server's first moment, the user's beside ours", () => {
    const ids = (over: HcloudOver, machine = "group/web/fsn1/0/machine") => hcloudResources(over).get(machine)?.args.firewall_ids;
    expect(ids({})).toEqual([ref("shared/firewall/worker", "id")]);
    expect(ids({}, "cp/a/machine")).toEqual([ref("shared/firewall/control-plane", "id")]);
    expect(ids({ vpc: { security_group_ids: ["7"] } })).toEqual([ref("shared/firewall/worker", "id"), 7]);
  });

  it("are on no machine without a public side, which the API would refuse, and stay for those that were made with one", () => {
    const all = hcloudResources({ vpc: { egress: "none" } });
    expect([...all.keys()].filter((name) => name.startsWith("shared/firewall"))).toHaveLength(2);
    for (const name of ["cp/a/machine", "group/web/fsn1/0/machine"]) {
      expect(all.get(name)?.args.firewall_ids).toEqual([]);
      expect(all.get(name)?.lifecycle?.ignoreChanges).toEqual(expect.arrayContaining(["public_net", "firewall_ids"]));
    }
  });
});

/** The blueprint's table as the cloud's page shows it, with what holds each row here. */
function pageTable(): readonly string[] {
  const all = hcloudResources(atControlPlanes);
  const held = JSON.stringify([...all.values()].filter(({ type }) => type === "hcloud_firewall"));
  return firewallRows(hcloudSpec(atControlPlanes)).map(({ name, to, from, cidr, protocol, ports, reason, direction }) => {
    const port = ports === null ? "" : ` ${ports[0] === ports[1] ? ports[0] : `${ports[0]}-${ports[1]}`}`;
    const here = direction === "out" ? "open" : held.includes(reason) ? "firewall of control planes" : "nothing";
    return `| ${name} | ${to} | ${cidr ?? from} | ${protocol}${port} | ${reason} | ${here} |`;
  });
}

it("are on the cloud's page, row by row, with what holds each", () => {
  const page = readFileSync(new URL("../../../../../docs/clouds/hetzner.md", import.meta.url), "utf8");
  for (const row of pageTable()) expect(page).toContain(`\n${row}\n`);
});
