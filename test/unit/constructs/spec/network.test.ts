// Bad input about networks, endpoints and rules of clouds: each is refused with the place and the code.
import { expect, it } from "vitest";
import { parse } from "../../../../constructs/spec/parse.js";
import { warnings } from "../../../../constructs/spec/warnings.js";
import { specOf } from "../../../support/blueprint.js";

const subnets = { a: { cidr: "10.98.0.0/20" }, b: { cidr: "10.98.16.0/20" } };
const rule = { to: "worker", protocol: "tcp", from_port: 80, cidr: "203.0.113.0/24", reason: "proxy" };

it.each<readonly [string, object, string]>([
  ["a zone without a subnet", { subnets, zones: ["a", "c"] }, "control_plane.zones.1 zone.no_subnet"],
  ["subnets that overlap", { subnets: { a: subnets.a, b: { cidr: "10.98.8.0/21" } } }, "vpc_config.subnets.b.cidr cidr.overlap"],
  ["a subnet outside of the network", { subnets: { a: { cidr: "10.99.0.0/20" } } }, "vpc_config.subnets.a.cidr cidr.outside"],
  ["a subnet that is too small", { subnets: { a: { cidr: "10.98.0.0/29" } } }, "vpc_config.subnets.a.cidr cidr.size"],
  ["a public endpoint that nobody may reach", { endpoint_public_access: true }, "vpc_config.public_access_cidrs endpoint.nobody"],
  [
    "ranges of an endpoint that is not public",
    { endpoint_public_access: false, public_access_cidrs: ["203.0.113.0/24"] },
    "vpc_config.public_access_cidrs endpoint.private",
  ],
  ["a range with host bits", { public_access_cidrs: ["203.0.113.7/24"] }, "vpc_config.public_access_cidrs.0 cidr.host_bits"],
  ["a range that is none", { public_access_cidrs: ["everybody"] }, "vpc_config.public_access_cidrs.0 cidr.invalid"],
  ["an existing network of unknown range", { cidr: undefined, network_id: "n" }, "vpc_config.cidr field.missing"],
  ["a subnet of no network", { subnet_id: "s" }, "vpc_config.subnet_id network.missing"],
  ["a gateway in a network of others", { network_id: "n", egress: "nat" }, "vpc_config.egress network.owned"],
  ["no firewall at all", { firewall: "own" }, "vpc_config.security_group_ids firewall.none"],
  [
    "a rule without ports",
    { security_rules: { x: { ...rule, from_port: undefined } } },
    "vpc_config.security_rules.x.from_port field.missing",
  ],
  ["ports of icmp", { security_rules: { x: { ...rule, protocol: "icmp" } } }, "vpc_config.security_rules.x.from_port rule.ports"],
  ["ports the wrong way round", { security_rules: { x: { ...rule, to_port: 79 } } }, "vpc_config.security_rules.x.to_port rule.ports"],
])("refuses %s", (_, { zones = ["a"], ...vpc }: { zones?: readonly string[] } & object, wanted) => {
  const { problems } = parse({
    name: "demo",
    version: "1.36.3",
    iaas: { preview: {} },
    control_plane: { replicas: 3, zones },
    vpc_config: { cidr: "10.98.0.0/16", ...vpc },
  });
  expect((problems ?? []).map(({ path, code }) => `${path.join(".")} ${code}`)).toContain(wanted);
});

it("warns of three control planes in one zone, and of no others", () => {
  const of = (replicas: number, zones: readonly string[]) =>
    warnings(specOf({ iaas: { preview: {} }, control_plane: { replicas, zones } })).map(({ code }) => code);
  expect(of(3, ["a"])).toEqual(["zones.one"]);
  expect(of(3, ["a", "b", "c"])).toEqual([]);
  expect(of(1, ["a"])).toEqual([]);
});
