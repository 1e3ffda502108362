// The endpoint: a balancer inside with a fixed address in each zone, which machines use, and, where the API is public, a
// second one that faces the world: only a balancer inside can have addresses of our choice.
import type { BlockOf } from "../../blueprint/block.js";
import type { Context, MapBlock } from "../mapping.js";
import { fitName } from "../names.js";
import { type Arg, type Args, present, ref, type VendorResource } from "../resource.js";
import { parts } from "./network.js";
import { groupsOf } from "./security.js";
import { tagsOf } from "./tags.js";
import type { Vendor } from "./vendor.js";

/** Longest name of a balancer and of a target group. */
export const balancerName = 32;

type Balancer = BlockOf<"balancer">;

/** The balancers of a block by what their names end in. */
export const sidesOf = ({ publicAddresses }: Balancer): readonly ("" | "-public")[] => (publicAddresses.length ? ["", "-public"] : [""]);

export const publicBalancer = "endpoint/balancer-public";
export const targetsOf = (balancer: string, side: "" | "-public"): string => `${balancer}${side}-targets`;

export const mapBalancer =
  (vendor: Vendor): MapBlock<"balancer"> =>
  (block, context) =>
    sidesOf(block).flatMap((side) => {
      const name = fitName(`${block.name}${side}`, balancerName);
      const tags = tagsOf(context, name);
      return [
        balancer(vendor, block, context, side, { name, ...tags }),
        {
          type: "aws_lb_target_group",
          name: targetsOf(block.id, side),
          args: {
            name,
            port: block.port,
            protocol: "TCP",
            vpc_id: context.idOf("network"),
            ...vendor.targetGroup,
            health_check: [vendor.healthCheck],
            ...tags,
          },
        },
        {
          type: "aws_lb_listener",
          name: `${block.id}${side}-listener`,
          args: {
            load_balancer_arn: ref(`${block.id}${side}`, "arn"),
            port: block.port,
            protocol: "TCP",
            default_action: [vendor.forwardTo(ref(targetsOf(block.id, side), "arn"))],
            ...tags,
          },
        },
        ...(vendor.targets === "ip" ? addressTargets(block, side) : []),
        ...(side === "-public" && closable(vendor, block, context).length ? [accessList(vendor, block, context)] : []),
      ];
    });

const accessName = `${publicBalancer}-access`;

function balancer(vendor: Vendor, block: Balancer, context: Context, side: "" | "-public", named: Args): VendorResource {
  const network = context.block("network");
  const made = "existing" in network && network.existing === null;
  // It faces the world only once its network does, and not before it is closed to all but whom the spec names.
  const before = [
    ...(made ? [parts.gateway(network.id), parts.publicRoute(network.id)] : []),
    ...(closable(vendor, block, context).length ? [accessName] : []),
  ];
  return {
    type: "aws_lb",
    name: `${block.id}${side}`,
    args: present({
      internal: side === "",
      load_balancer_type: "network",
      subnet_mapping: side === "" ? inside(block, context) : outside(block, context),
      security_groups: vendor.balancerGroups ? groupsOf(context, "balancer") : null,
      ...vendor.balancer,
      ...named,
    }),
    ...(side === "-public" && before.length ? { dependsOn: before } : {}),
  };
}

const inside = (block: Balancer, context: Context): Arg =>
  block.places.map(({ subnet, address }) => ({ subnet_id: context.idOf(subnet), private_ipv4_address: address }));

const outside = (block: Balancer, context: Context): Arg =>
  block.publicAddresses.map((id) => {
    const address = context.block(id);
    if (address.kind !== "address") throw new TypeError(`${id} is no address`);
    return { subnet_id: context.idOf(address.subnet), allocation_id: context.idOf(id) };
  });

/** Targets are addresses that stay: the balancer knows no machine, and one that is replaced need not be entered again. */
const addressTargets = (block: Balancer, side: "" | "-public"): readonly VendorResource[] =>
  Object.entries(block.backends).map(([name, backend]) => {
    const [address = "", port] = backend.split(":");
    return {
      type: "aws_lb_target_group_attachment",
      name: `${block.id}${side}-target-${name}`,
      args: { target_group_arn: ref(targetsOf(block.id, side), "arn"), target_id: address, port: Number(port) },
    };
  });

const anywhere = { protocol: "-1", from_port: 0, to_port: 0, action: "allow" } as const;

/** Public subnets whose access list is the cluster's to say; those that were there before are not changed (check.ts). */
function closable(vendor: Vendor, block: Balancer, context: Context): readonly string[] {
  if (vendor.balancerGroups) return [];
  return block.publicAddresses.flatMap((id) => {
    const address = context.block(id);
    const subnet = address.kind === "address" ? context.block(address.subnet) : null;
    return subnet?.kind === "subnet" && subnet.existing === null ? [subnet.id] : [];
  });
}

/** Where balancers are in no groups, the public subnets themselves let in whom the spec names and the network, and nobody else. */
function accessList(vendor: Vendor, block: Balancer, context: Context): VendorResource {
  const world = context.blocks("firewall").filter(({ to, from }) => to === "balancer" && from === "world");
  const [network] = context.blocks("network");
  if (!network) throw new TypeError("no network");
  return {
    type: "aws_network_acl",
    name: accessName,
    args: {
      vpc_id: context.idOf(network.id),
      subnet_ids: closable(vendor, block, context).map((id) => context.idOf(id)),
      ingress: [
        ...world.map(({ cidr, ports }, n) => ({
          rule_no: 100 + n,
          action: "allow",
          protocol: "tcp",
          cidr_block: cidr,
          from_port: ports?.[0] ?? block.port,
          to_port: ports?.[1] ?? block.port,
        })),
        { rule_no: 30_000, cidr_block: network.cidr, ...anywhere },
      ],
      egress: [{ rule_no: 100, cidr_block: "0.0.0.0/0", ...anywhere }],
      ...tagsOf(context, `${block.name}-public`),
    },
  };
}
