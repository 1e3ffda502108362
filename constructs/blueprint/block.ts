// Blocks: what every cloud sells. The blueprint is made of them and knows no cloud; a mapping (constructs/iaas) turns
// each into a vendor's resources. Ids are paths of names below the cluster ("cp/a/disk"), never indexes: taking one
// element away or moving it in a list touches that element only.

interface Common {
  /** Path below the cluster; the construct tree and Terraform's addresses are made of it, so it never changes. */
  readonly id: string;
  /** Name in the cloud; a mapping cuts it where the cloud takes less. */
  readonly name: string;
}

/** Of what the user has already: its id or address in the cloud's words. null: the cluster makes it. */
interface Owned extends Common {
  readonly existing: string | null;
}

/** How machines reach the world: not at all, by one gateway of the cloud or one in each zone, by an address of their own. */
export type Egress = "none" | "nat" | "nat_per_zone" | "public";

export interface NetworkBlock extends Owned {
  readonly kind: "network";
  readonly cidr: string;
  readonly egress: Egress;
}

export interface SubnetBlock extends Owned {
  readonly kind: "subnet";
  readonly network: string;
  readonly cidr: string;
  /** null: the cluster's one subnet, of all zones. */
  readonly zone: string | null;
  /** "public": for balancers and gateways; no machine is in it. */
  readonly side: "private" | "public";
}

export type MachineSet = "control-plane" | "worker" | "all";

/** One rule, one block: a changed rule touches no machine. */
export interface FirewallBlock extends Common {
  readonly kind: "firewall";
  readonly network: string;
  /** "in": `to` is opened for `from`. "out": `from` may call `to`. */
  readonly direction: "in" | "out";
  readonly to: MachineSet | "balancer" | "world";
  readonly from: MachineSet | "balancer" | "pods" | "network" | "world";
  /** Range that pods, network or world stand for; null where no side is one of these. */
  readonly cidr: string | null;
  readonly protocol: "tcp" | "udp" | "icmp" | "ipip" | "all";
  /** First and last port; null: the protocol has none, or all. */
  readonly ports: readonly [number, number] | null;
  readonly reason: string;
}

/**
 * An address that stays while what is behind it is replaced: of the endpoint in each of its subnets, of each control plane,
 * and the endpoint's public one. What carries it (a port, a network interface, a floating IP) is the mapping's choice; where
 * a machine takes an address by itself there is no resource.
 */
export interface AddressBlock extends Owned {
  readonly kind: "address";
  readonly subnet: string;
  /** null: chosen by the cloud. Only public ones. */
  readonly address: string | null;
  readonly side: "private" | "public";
  /** Id of the balancer or machine block that has it. */
  readonly owner: string;
  readonly zone: string | null;
}

export interface DiskBlock extends Common {
  readonly kind: "disk";
  readonly zone: string;
  readonly sizeGib: number;
  readonly type: string | null;
  readonly iops: number | null;
}

/** A disk that comes and goes with its machine. */
export interface ExtraDisk {
  readonly name: string;
  readonly sizeGib: number;
  readonly type: string | null;
}

export interface MachineBlock extends Common {
  readonly kind: "machine";
  readonly role: "control-plane" | "worker";
  readonly zone: string;
  /** The subnet of its zone. */
  readonly subnet: string;
  /** Fixed address, or null: the cloud chooses. Only control planes have one; a worker stands beside its successor. */
  readonly address: string | null;
  /** Id of the block of that address. */
  readonly addressBlock: string | null;
  /** Ids of disk blocks. */
  readonly disks: readonly string[];
  /** In the order of their names. A change is part of the release: an argument made of it belongs into ignoreChanges. */
  readonly extraDisks: readonly ExtraDisk[];
}

export interface BalancerBlock extends Common {
  readonly kind: "balancer";
  /** The first place; all of them in `places`. */
  readonly subnet: string;
  readonly address: string;
  /** One for each subnet that machines are in, with the balancer's fixed address there. Machines use that of their zone. */
  readonly places: readonly { readonly zone: string | null; readonly subnet: string; readonly address: string }[];
  readonly port: number;
  /** Name to "address:port". Addresses are fixed, so the balancer depends on no machine. */
  readonly backends: Readonly<Record<string, string>>;
  /** Ids of the blocks of its public addresses; empty: it has none. */
  readonly publicAddresses: readonly string[];
}

export type Block = NetworkBlock | SubnetBlock | FirewallBlock | AddressBlock | DiskBlock | MachineBlock | BalancerBlock;
export type BlockKind = Block["kind"];
export type BlockOf<K extends BlockKind> = Extract<Block, { readonly kind: K }>;
