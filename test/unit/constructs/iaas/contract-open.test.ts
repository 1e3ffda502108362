// What a cluster opens, and what it leaves alone of what the user has.
import { describe, expect, it } from "vitest";
import { unhonoured } from "../../../../constructs/iaas/honour.js";
import { type Arg, isText, refsIn, type VendorResource } from "../../../../constructs/iaas/resource.js";
import { clouds, clusterOn, type Skips, theirs, worldOf } from "../../../support/cloud-specs.js";

/** Clouds without what a test is about. */
const noFirewall: Skips = {
  local: "the engine's network is closed to everything outside, and there are no rules",
  hcloud: "its balancer cannot tell ranges apart, so that the whole world is the only range that its check takes",
};
const noOwnNetwork: Skips = { local: "the engine's network is the cluster's own, and an existing one is refused" };
const noTags: Skips = { local: "its resources have no tags, and tags are refused" };

/** Resources in which the whole world may stand: ways out, never in. A name, and why. */
const waysOut: readonly (readonly [RegExp, string])[] = [
  [/^firewall\/out($|-)/, "the row for what machines begin themselves"],
  [/^(network|subnet)(\/|-).*(route|rtb|default)/, "the default route of a way out"],
];

/** Without what a resource says of ways out. */
const inwards = ({ args, ...of }: VendorResource): VendorResource => {
  const { egress: _, ...rest } = args;
  return { ...of, args: rest };
};

const everyText = (value: Arg): readonly string[] => {
  if (typeof value === "string") return [value];
  if (isText(value)) return value.parts.filter((part): part is string => typeof part === "string");
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(everyText) : [];
};
const says = (of: readonly VendorResource[], text: string): readonly string[] =>
  of
    .filter(({ args }) => everyText(args).some((one) => one === text || (text.includes("/") && one.includes(`"${text}"`))))
    .map(({ name }) => name);

describe.each(clouds)("%s", (cloud) => {
  it.skipIf(noFirewall[cloud] !== undefined)("opens nothing to the world but what the spec says", () => {
    const range = worldOf(cloud);
    const open = clusterOn(cloud, { public: true });
    const closed = clusterOn(cloud);
    expect(says(open.vendors, range).length, "the range is opened somewhere").toBeGreaterThan(0);
    expect(says(closed.vendors, range)).toEqual([]);
    for (const of of [open, closed])
      for (const world of ["0.0.0.0/0", "::/0"])
        for (const name of says(of.vendors.map(inwards), world))
          expect(
            waysOut.some(([form]) => form.test(name)),
            `${name} says ${world}`,
          ).toBe(true);
  });

  it.skipIf(noFirewall[cloud] !== undefined)("opens each row of the user's own, and no other", () => {
    const rule = { to: "worker", protocol: "tcp", from_port: 30_080, cidr: "198.51.100.0/24", reason: "our own proxy" };
    const { vendors } = clusterOn(cloud, { network: { security_rules: { proxy: rule } } });
    expect(says(vendors, "198.51.100.0/24")).not.toHaveLength(0);
    for (const name of says(vendors, "198.51.100.0/24")) expect(name).toMatch(/^firewall\/extra-proxy|^shared\//);
    expect(says(clusterOn(cloud).vendors, "198.51.100.0/24")).toEqual([]);
  });

  it("carries pods' packets between machines", () => {
    const { spec, mapping, byName, blueprint } = clusterOn(cloud);
    if (mapping.limits.podTraffic === "tunnelled") return expect(byName.get("barrier")?.args.pod_traffic).toBe("tunnelled");
    // Routed: the cloud has to let pods' own addresses through.
    expect(blueprint.blocks.some((block) => block.kind === "firewall" && block.from === "pods")).toBe(true);
    if (noFirewall[cloud] === undefined)
      expect(says(clusterOn(cloud).vendors, spec.kubernetes_network_config.pod_ipv4_cidr).length).toBeGreaterThan(0);
    return undefined;
  });

  describe("with a network of the user's", () => {
    const skip = noOwnNetwork[cloud] !== undefined;

    it.skipIf(skip)("makes none of what exists, and refers to it by its id", () => {
      const { spec, mapping, blueprint, resources, byName, vendors } = clusterOn(cloud, { own: true, public: true });
      expect(unhonoured(spec, mapping)).toEqual([]);
      for (const block of blueprint.blocks)
        if ("existing" in block && block.existing !== null && mapping.standIn === undefined) {
          expect(byName.has(block.id), block.id).toBe(false);
          for (const { name, args } of resources) expect(refsIn(args), name).not.toContain(block.id);
        }
      expect(JSON.stringify(vendors)).toContain(theirs(cloud, "network"));
    });

    it.skipIf(skip)("changes no route, gateway or rule of theirs", () => {
      const { vendors, mapping } = clusterOn(cloud, { own: true, public: true });
      if (mapping.standIn !== undefined) return;
      const changing = /(route|router|gateway|nat|dhcp)/;
      for (const { type, name, data } of vendors) if (data !== true) expect(type, name).not.toMatch(changing);
      for (const { type, name, args } of vendors)
        if (type.includes("acl")) for (let n = 0; n < 20; n++) expect(everyText(args), name).not.toContain(theirs(cloud, "subnet", n));
      // Rules are in groups of the cluster's own.
      for (const { name, args } of vendors)
        if (name.startsWith("firewall/")) expect(everyText(args), name).not.toContain(theirs(cloud, "group"));
    });

    it.skipIf(skip)("puts every machine into their groups too", () => {
      const { blueprint, byName, mapping } = clusterOn(cloud, { own: true });
      if (mapping.standIn !== undefined) return;
      for (const block of blueprint.blocks.filter(({ kind }) => kind === "machine")) {
        if (block.kind !== "machine") continue;
        const carriers = [block.id, block.addressBlock ?? "", ...[...byName.keys()].filter((name) => name.startsWith(`${block.id}-`))];
        const text = carriers.map((name) => JSON.stringify(byName.get(name)?.args ?? {})).join("");
        expect(text, block.id).toContain(theirs(cloud, "group"));
      }
    });

    it.skipIf(skip)("makes no rules and no groups when theirs are all", () => {
      const { vendors, blueprint } = clusterOn(cloud, { own: true, network: { firewall: "own" } });
      expect(blueprint.blocks.filter(({ kind }) => kind === "firewall")).toEqual([]);
      const made = vendors.filter(({ type, data }) => data !== true && /(security_?group|secgroup|firewall)/.test(type));
      expect(made.map(({ name }) => name)).toEqual([]);
    });
  });

  it.skipIf(noTags[cloud] !== undefined)("has the user's tags on every machine, disk, network and balancer", () => {
    const { blueprint, byName, spec, mapping } = clusterOn(cloud, { tags: { team: "platform" } });
    expect(unhonoured(spec, mapping)).toEqual([]);
    const balancers = [...byName.keys()].filter((name) => name.startsWith("endpoint/balancer"));
    const of = blueprint.blocks.filter(({ kind }) => ["machine", "disk", "network"].includes(kind)).map(({ id }) => id);
    for (const name of of) expect(JSON.stringify(byName.get(name)?.args), name).toContain("platform");
    expect(balancers.some((name) => JSON.stringify(byName.get(name)?.args).includes("platform"))).toBe(true);
  });
});

it("has no skip that is not needed", () => {
  for (const skips of [noFirewall, noOwnNetwork, noTags])
    for (const [cloud, why] of Object.entries(skips)) {
      expect(why.length, cloud).toBeGreaterThan(20);
    }
  expect(clouds).toEqual(expect.arrayContaining(["local"]));
});
