// Blocks: what every cloud sells. The blueprint is made of them and knows no cloud; a mapping (constructs/iaas) turns
// each into a vendor's resources. Ids are paths of names below the cluster ("cp/a/disk"), never indexes: taking one
// element away or moving it in a list touches that element only.

interface Common {
  /** Path below the cluster; the construct tree and Terraform's addresses are made of it, so it never changes. */
  readonly id: string;
  /** Name in the cloud. */
  readonly name: string;
}

export interface NetworkBlock extends Common {
  readonly kind: "network";
  readonly cidr: string;
}

export interface SubnetBlock extends Common {
  readonly kind: "subnet";
  readonly network: string;
  readonly cidr: string;
}

/** One rule, one block: a changed rule touches no machine. */
export interface FirewallBlock extends Common {
  readonly kind: "firewall";
  readonly network: string;
  /** Who is opened up. */
  readonly to: "control-plane" | "worker" | "all";
  readonly from: "control-plane" | "worker" | "all" | "balancer" | "runner";
  readonly protocol: "tcp" | "udp" | "ipip";
  /** First and last port; null: the protocol has none. */
  readonly ports: readonly [number, number] | null;
  readonly reason: string;
}

export interface AddressBlock extends Common {
  readonly kind: "address";
  readonly subnet: string;
  readonly address: string;
}

export interface DiskBlock extends Common {
  readonly kind: "disk";
  readonly zone: string;
  readonly sizeGib: number;
  readonly type: string | null;
  readonly iops: number | null;
}

export interface MachineBlock extends Common {
  readonly kind: "machine";
  readonly role: "control-plane" | "worker";
  readonly zone: string;
  readonly subnet: string;
  /** Fixed address, or null: the cloud chooses. Only control planes have one; a worker stands beside its successor. */
  readonly address: string | null;
  /** Ids of disk blocks. */
  readonly disks: readonly string[];
}

export interface BalancerBlock extends Common {
  readonly kind: "balancer";
  readonly subnet: string;
  readonly address: string;
  readonly port: number;
  /** Name to "address:port". Addresses are fixed, so the balancer depends on no machine. */
  readonly backends: Readonly<Record<string, string>>;
}

export type Block = NetworkBlock | SubnetBlock | FirewallBlock | AddressBlock | DiskBlock | MachineBlock | BalancerBlock;
export type BlockKind = Block["kind"];
export type BlockOf<K extends BlockKind> = Extract<Block, { readonly kind: K }>;
