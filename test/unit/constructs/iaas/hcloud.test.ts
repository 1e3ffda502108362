import { describe, expect, it } from "vitest";
import { hcloud } from "../../../../constructs/iaas/hcloud.js";
import { refsIn, type VendorResource } from "../../../../constructs/iaas/resource.js";
import { argumentProblems, cloudSchema } from "../../../support/cloud-schema.js";
import { atControlPlanes, type HcloudOver, hcloudResources } from "../../../support/hcloud.js";

const rule = { to: "worker", protocol: "tcp", from_port: 443, cidr: "0.0.0.0/0", reason: "ingress" };
const variants: Readonly<Record<string, HcloudOver>> = {
  "a private endpoint": {},
  "an endpoint for the world": { vpc: { public_access_cidrs: ["0.0.0.0/0"] } },
  "the control planes as endpoint": { ...atControlPlanes, groups: { web: { scaling_config: { desired_size: 7, max_size: 9 } } } },
  "machines without a public side": { vpc: { egress: "none" }, more: { deletion_protection: false } },
  "a network and firewalls of the user's": {
    iaas: { ssh_keys: ["ops"] },
    vpc: { network_id: "4711", subnet_id: "4711-10.0.1.0/24", cidr: "10.0.1.0/24", egress: "public", security_group_ids: ["7"] },
  },
  "tags and rules": { vpc: { security_rules: { web: rule } }, more: { tags: { team: "a" } } },
};

const schema = cloudSchema("hcloud");
const ofCloud = (over: HcloudOver): readonly VendorResource[] =>
  [...hcloudResources(over).values()].filter(({ type }) => type.startsWith("hcloud_"));

describe.each(Object.entries(variants))("%s", (_, over) => {
  it("has arguments that the provider knows, of its types, and all that it requires", () => {
    expect(ofCloud(over).flatMap((resource) => argumentProblems(schema, resource))).toEqual([]);
  });

  it("lists every argument of a server once, by what its change does", () => {
    const { boot, fixed, inPlace } = hcloud.machines.hcloud_server ?? { boot: [], fixed: [], inPlace: [] };
    const listed = [...boot, ...fixed, ...inPlace];
    expect(new Set(listed).size).toBe(listed.length);
    for (const { type, args } of ofCloud(over))
      if (type === "hcloud_server") for (const argument of Object.keys(args)) expect(listed).toContain(argument);
  });

  it("takes of honest_boot what restarts a machine, and of nothing else that may change", () => {
    for (const { type, args, name } of ofCloud(over)) {
      if (type !== "hcloud_server") continue;
      const boot = name.replace(/machine$/, "boot");
      for (const argument of ["server_type", "image", "user_data"]) expect(refsIn(args[argument] ?? null)).toEqual([boot]);
      for (const [argument, value] of Object.entries(args))
        if (!["server_type", "image", "user_data"].includes(argument)) expect(refsIn(value)).not.toContain(boot);
    }
  });

  it("hangs servers on nothing that hangs on machines", () => {
    for (const { type, name, args, dependsOn = [] } of ofCloud(over))
      if (!name.includes("/machine")) expect([...refsIn(args), ...dependsOn].join(), type).not.toMatch(/machine|boot|node|pki|barrier/);
  });

  it("shows secrets to no resource but a server", () => {
    for (const { type, args } of ofCloud(over)) if (type !== "hcloud_server") expect(refsIn(args).join()).not.toMatch(/boot|pki/);
  });
});
